// Package middleware says what the ROS 2 middleware of a process gives beyond messages, services and the graph: the
// value that all code asks instead of the middleware's name, and the sentences that follow from it. What has to be
// tried is tried by package selftest. It imports nothing of this project.
package middleware

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Abilities is what a middleware gives. The zero value gives nothing, and its times are unknown.
type Abilities struct {
	Name string // as RMW_IMPLEMENTATION names it; empty: not known

	Liveliness bool // an event tells that a publisher does not renew its liveliness
	GIDs       bool // a message carries the GID that the graph shows for its publisher
	Processes  bool // the GIDs of one process begin with the same 12 bytes
	ProcessIDs bool // a GID contains the process id, so that the end of a process on this host is noticed at once
	Requests   bool // the graph shows the request topics of services; else each node is asked for its clients
	Router     bool // processes discover each other through a router only

	// Silent is how long a process that is suspended, or whose host has died, stays in the graph. Zero: not known.
	Silent time.Duration
}

// known is what cannot be tried in a moment.
var known = []struct {
	part   string // of the name
	silent time.Duration
	router bool
}{
	{"fastrtps", 20 * time.Second, false},
	{"cyclonedds", 10 * time.Second, false},
	{"connext", 100 * time.Second, false},
	{"zenoh", 60 * time.Second, true},
}

// demoLease is the lease of the processes of rstate demo, in seconds.
const demoLease = "RSTATE_DEMO_LEASE"

// The settings of users that change those times, and what they are called in the files.
var (
	profiles = []string{"FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE"}
	fastDDS  = regexp.MustCompile(`(?s)<leaseDuration>.*?<sec>\s*(\d+)\s*</sec>`)
	cyclone  = regexp.MustCompile(`<LeaseDuration>\s*(\d+(?:\.\d+)?)\s*(ms|s|min)\s*</LeaseDuration>`)
	zenoh    = regexp.MustCompile(`(?:transport/link/tx/lease\s*=|"?\blease"?\s*:)\s*(\d+)`)
	number   = regexp.MustCompile(`^(\d+)$`)
	scouting = regexp.MustCompile(`scouting/multicast/enabled\s*=\s*true`)
)

// Of returns what is known of a middleware by its name and by the settings of this process. Everything that can be
// tried is left out. read reads the files that the settings name.
func Of(name string, env func(string) string, read func(file string) ([]byte, error)) Abilities {
	a := Abilities{Name: name}
	text := func(setting string) string { return content(setting, read) }
	for _, k := range known {
		if strings.Contains(name, k.part) {
			a.Silent, a.Router = k.silent, k.router
		}
	}
	switch {
	case strings.Contains(name, "fastrtps"):
		for _, variable := range profiles {
			a.lease(fastDDS, text(env(variable)), "s")
		}
		a.lease(number, env(demoLease), "s")
	case strings.Contains(name, "cyclonedds"):
		for _, part := range strings.Split(env("CYCLONEDDS_URI"), ",") {
			a.lease(cyclone, text(strings.TrimPrefix(part, "file://")), "")
		}
	case strings.Contains(name, "zenoh"):
		a.lease(zenoh, text(env("ZENOH_SESSION_CONFIG_URI")), "ms")
		a.lease(zenoh, env("ZENOH_CONFIG_OVERRIDE"), "ms")
		a.Router = !scouting.MatchString(env("ZENOH_CONFIG_OVERRIDE"))
	}
	return a
}

// content returns the settings themselves, or those of the file that is named instead.
func content(setting string, read func(string) ([]byte, error)) string {
	if setting == "" || strings.Contains(setting, "<") {
		return setting
	}
	text, err := read(setting)
	if err != nil {
		return ""
	}
	return string(text)
}

// The router that rmw_zenoh connects to unless a setting names others.
const usualRouter = "localhost:7447"

var (
	connects = regexp.MustCompile(`(?s)(?:connect/endpoints\s*=|"?connect"?\s*:\s*\{.*?"?endpoints"?\s*:)\s*\[((?:[^\]"]|"[^"]*")*)\]`)
	overTCP  = regexp.MustCompile(`"tcp/([^"]+)"`)
	comments = regexp.MustCompile(`(?m)(?:^|\s)//.*$`)
)

// Routers returns the addresses of the routers that the settings of this process name for a middleware that needs one.
func Routers(env func(string) string, read func(file string) ([]byte, error)) (list []string) {
	for _, text := range []string{env("ZENOH_CONFIG_OVERRIDE"), content(env("ZENOH_SESSION_CONFIG_URI"), read)} {
		found := connects.FindStringSubmatch(comments.ReplaceAllString(text, ""))
		if found == nil {
			continue
		}
		for _, at := range overTCP.FindAllStringSubmatch(found[1], -1) {
			list = append(list, at[1])
		}
		if len(list) > 0 {
			return list
		}
	}
	return []string{usualRouter}
}

// lease takes the time that a setting names, if it names one.
func (a *Abilities) lease(setting *regexp.Regexp, text, unit string) {
	found := setting.FindStringSubmatch(text)
	if found == nil {
		return
	}
	if unit == "" {
		unit = strings.Replace(found[2], "min", "m", 1)
	}
	if d, err := time.ParseDuration(found[1] + unit); err == nil && d > 0 {
		a.Silent = d
	}
}

// library is one of rmw. rmw_implementation only loads a middleware, and the shared parts are no whole one.
var (
	library = regexp.MustCompile(`/lib(rmw_[a-z0-9_]+)\.so`)
	whole   = regexp.MustCompile(`^rmw_(?:(?:fastrtps|fastrtps_dynamic|cyclonedds|zenoh)_cpp|connextdds|connextddsmicro)$`)
)

// Loaded returns the name of the middleware whose library a process has mapped, as /proc/PID/maps shows; empty: none is
// found. wanted is the value of RMW_IMPLEMENTATION, which may name a middleware that is not known here.
func Loaded(maps, wanted string) (name string) {
	for _, found := range library.FindAllStringSubmatch(maps, -1) {
		switch {
		case found[1] == wanted:
			return wanted
		case name == "" && whole.MatchString(found[1]):
			name = found[1]
		}
	}
	return name
}

// Gone says how long a process that is suspended, or whose host has died, stays in the graph, as the end of a sentence:
// "20 s".
func (a Abilities) Gone() string { return seconds(a.Silent) }

// GoneAnywhere says the same for a text that is written without a middleware.
func GoneAnywhere() string { return "20 s with Fast DDS, 10 s with Cyclone DDS, 60 s with Zenoh" }

func seconds(d time.Duration) string {
	if d == 0 {
		return "a time that rstate does not know"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}

// Lack is one thing that a middleware does not give, and what follows from that.
type Lack struct{ What, Follows string }

// Lacks lists what the middleware does not give.
func (a Abilities) Lacks() (list []Lack) {
	add := func(has bool, what, follows string) {
		if !has {
			list = append(list, Lack{what, follows})
		}
	}
	add(a.Liveliness, "events that tell that a publisher has stopped",
		fmt.Sprintf("rstate publishes ~/state every %v instead, and a daemon or a peer counts as lost after %v without a message",
			Heartbeat, Believed))
	add(a.GIDs, "the publisher of a message as the graph shows it",
		"rstate attributes messages of peers by instance id and node name, and reports by the publishers of their topic")
	add(a.Processes, "which publishers belong to one process",
		"a guard believes that the arm lease was given back if the graph shows that the daemon's node says so; a report counts for the only process of its node")
	add(a.ProcessIDs, "the process of a node",
		fmt.Sprintf("a node that is killed is noticed when the middleware removes it, at the latest after %s; probe: 1s in the network file notices it within 3 s, and within proof while armed",
			a.Gone()))
	add(a.Requests, "the request topics of services", "rstate asks each daemon in the graph for its clients")
	return list
}

// String lists what the middleware gives, for a log.
func (a Abilities) String() string {
	yes := func(b bool) string {
		if b {
			return "yes"
		}
		return "no"
	}
	return fmt.Sprintf("liveliness events %s, publishers of messages %s, process ids %s, request topics %s, silent processes stay %s",
		yes(a.Liveliness), yes(a.GIDs), yes(a.ProcessIDs), yes(a.Requests), a.Gone())
}
