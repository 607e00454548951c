package doctor

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	aboutROS       = "ROS"
	aboutDiscovery = "discovery"
)

// ros judges what this process runs on.
func (j *judge) ros() {
	s := j.Stack
	if s.Fault != "" {
		j.fault(aboutROS, "ROS cannot be used", s.Fault,
			"source the setup file of a ROS 2 that is whole, in this terminal (from a clone of rstate: source setup.bash)")
	}
	sourced := j.Env["ROS_DISTRO"]
	switch {
	case s.Distro != "" && sourced != "" && sourced != s.Distro:
		j.fault(aboutROS, "another ROS is sourced than rstate is built for",
			fmt.Sprintf("ROS_DISTRO is %s, and rstate has loaded %s from %s", sourced, s.Distro, s.Prefix),
			"source "+s.Distro+" in this terminal, or build rstate again for "+sourced)
	case s.Distro != "":
		j.fine(aboutROS, s.Distro+", from "+s.Prefix)
	case s.Prefix != "":
		j.fine(aboutROS, "a release that rstate does not know, from "+s.Prefix)
	}
	wanted := j.Env["RMW_IMPLEMENTATION"]
	switch {
	case s.RMW == "":
	case wanted != "" && wanted != s.RMW:
		j.fault(aboutROS, "another middleware is asked for than is loaded",
			fmt.Sprintf("RMW_IMPLEMENTATION is %s, and %s is loaded", wanted, s.RMW),
			"install "+wanted+", or start every node with RMW_IMPLEMENTATION="+s.RMW)
	default:
		j.fine(aboutROS, "middleware "+s.RMW+j.keeps())
	}
	j.abilities()
	for _, v := range j.Vendors {
		if v.Name == s.Maker {
			continue
		}
		j.warn(aboutROS, "nodes of another middleware are in the graph",
			fmt.Sprintf("%s: %s, of %s", v.Name, many(v.Ends, "endpoint"), strings.Join(v.Of, ", ")),
			"start every node with the same RMW_IMPLEMENTATION: between makers of middleware answers to services get lost")
	}
	for _, t := range s.Lacking {
		j.fault(aboutROS, "an interface is not installed", t,
			"build and source the workspace that has it; rstate's own come with make setup")
	}
	if len(s.Lacking) == 0 && s.Fault == "" {
		j.fine(aboutROS, "the interfaces are installed")
	}
}

// keeps says how long the middleware keeps a silent process, as far as that is known.
func (j *judge) keeps() string {
	if j.Stack.Abilities.Silent == 0 {
		return ""
	}
	return "; it shows a suspended process for " + j.Stack.Abilities.Gone()
}

// abilities says what the middleware does not give, and what follows from that. None of it is a fault.
func (j *judge) abilities() {
	if j.Stack.Abilities.Name == "" {
		return // it could not be tried
	}
	for _, l := range j.Stack.Abilities.Lacks() {
		j.fine(aboutROS, "the middleware does not give "+l.What+": "+l.Follows)
	}
}

// router judges whether the router is there that the middleware needs.
func (j *judge) router() {
	at := strings.Join(j.Router.At, ", ")
	const do = "start it (ros2 run rmw_zenoh_cpp rmw_zenohd), or name the one that runs in ZENOH_CONFIG_OVERRIDE or ZENOH_SESSION_CONFIG_URI, the same for every process"
	evidence := at + " accepts no connection"
	if n, err := strconv.Atoi(j.Env["ZENOH_ROUTER_CHECK_ATTEMPTS"]); err != nil || n == 0 {
		evidence += "; ZENOH_ROUTER_CHECK_ATTEMPTS is not set, so that each process waits for it at its start without end"
	}
	switch {
	case at == "":
	case j.Router.Found:
		j.fine(aboutDiscovery, "the router of the middleware is there, at "+j.Router.At[len(j.Router.At)-1])
	case len(j.Nodes) == 0:
		j.fault(aboutDiscovery, "the router of the middleware is not there, and no node finds another without it", evidence, do)
	default:
		j.warn(aboutDiscovery, "the router of the middleware is not there: nodes that start from now on are not found",
			evidence, do)
	}
}

// discovery judges which processes can discover each other.
func (j *judge) discovery() {
	j.domain()
	j.router()
	j.reach()
	for _, variable := range j.Missing {
		j.fault(aboutDiscovery, "a settings file of the middleware is not there", variable+" is "+j.Env[variable],
			"put the file there, or unset "+variable)
	}
	if server := j.Env["ROS_DISCOVERY_SERVER"]; server != "" {
		j.warn(aboutDiscovery, "nodes are found over a discovery server", "ROS_DISCOVERY_SERVER is "+server,
			"nothing, if every node has the same and the server runs; else unset it everywhere")
	}
	j.links()
	j.elsewhere()
	j.releases()
}

// highDomain is the first domain whose ports Linux may have assigned to other processes.
const highDomain = 102

// NoDomain says what is wrong with the ROS_DOMAIN_ID of an environment; empty: nothing. It is to be asked before ROS is
// used: Fast DDS ends the process over a number that is too high.
func NoDomain(env map[string]string) string {
	text := env["ROS_DOMAIN_ID"]
	if id, err := strconv.Atoi(strings.TrimSpace(text)); text == "" || err == nil && id >= 0 && id <= 232 {
		return ""
	}
	return "ROS_DOMAIN_ID is " + strconv.Quote(text)
}

func (j *judge) domain() {
	text, set := j.Env["ROS_DOMAIN_ID"]
	number := fmt.Sprintf("domain %d", j.Stack.Domain)
	switch {
	case NoDomain(j.Env) != "":
		j.fault(aboutDiscovery, "there is no such domain", NoDomain(j.Env), "give ROS_DOMAIN_ID a number from 0 to 101")
	case j.Stack.Fault != "":
	case j.Stack.Domain >= highDomain && j.Stack.Domain < 215:
		j.warn(aboutDiscovery, number+" uses ports that the system may give to others", "ROS_DOMAIN_ID is "+text,
			"take one from 0 to 101, everywhere")
	case set && text != "":
		j.fine(aboutDiscovery, number+", from ROS_DOMAIN_ID")
	default:
		j.fine(aboutDiscovery, number+", as ROS_DOMAIN_ID is not set")
	}
}

// Reach is how far nodes look for each other, as the environment says.
func Reach(env map[string]string) string {
	if env["ROS_LOCALHOST_ONLY"] == "1" {
		return "LOCALHOST"
	}
	if r := env["ROS_AUTOMATIC_DISCOVERY_RANGE"]; r != "" {
		return r
	}
	return "SUBNET"
}

var reaches = map[string]string{
	"SUBNET": "this network's machines", "LOCALHOST": "this machine only",
	"SYSTEM_DEFAULT": "as the middleware's own settings say", "OFF": "no other process",
}

func (j *judge) reach() {
	given, old := j.Env["ROS_AUTOMATIC_DISCOVERY_RANGE"], j.Env["ROS_LOCALHOST_ONLY"]
	if old == "1" && given != "" && given != "LOCALHOST" {
		j.warn(aboutDiscovery, "ROS_LOCALHOST_ONLY outdoes the discovery range",
			"ROS_LOCALHOST_ONLY is 1, ROS_AUTOMATIC_DISCOVERY_RANGE is "+given,
			"unset ROS_LOCALHOST_ONLY: it is of former releases")
	}
	peers := j.Env["ROS_STATIC_PEERS"]
	whom, known := reaches[Reach(j.Env)]
	switch reach := Reach(j.Env); {
	case !known:
		j.fault(aboutDiscovery, "the discovery range is none", "ROS_AUTOMATIC_DISCOVERY_RANGE is "+given,
			"write SUBNET, LOCALHOST, SYSTEM_DEFAULT or OFF")
	case reach == "OFF":
		j.fault(aboutDiscovery, "no node finds another", "ROS_AUTOMATIC_DISCOVERY_RANGE is OFF",
			"set it to LOCALHOST for one machine, to SUBNET for several")
	case peers != "":
		j.fine(aboutDiscovery, fmt.Sprintf("range %s: %s, and %s", reach, whom, peers))
	default:
		j.fine(aboutDiscovery, fmt.Sprintf("range %s: %s", reach, whom))
	}
}

// littleShared is how much free shared memory is too little for a handful of nodes.
const littleShared = 16 << 20

func (j *judge) links() {
	var carry, dumb []string
	for _, l := range j.Host.Links {
		switch {
		case l.Loopback:
		case l.Multicast:
			carry = append(carry, l.Name)
		default:
			dumb = append(dumb, l.Name)
		}
	}
	if !j.Host.Loopback {
		j.fault(aboutDiscovery, "this machine does not reach itself", "a datagram to 127.0.0.1 did not come back",
			"bring the interface lo up (ip link set lo up), or look at the firewall")
	} else {
		j.fine(aboutDiscovery, "this machine reaches itself")
	}
	wide := Reach(j.Env) == "SUBNET"
	switch {
	case wide && len(carry) > 0:
		j.fine(aboutDiscovery, "multicast goes out over "+strings.Join(carry, ", "))
	case wide && len(dumb) > 0:
		j.warn(aboutDiscovery, "no interface carries multicast, by which machines find each other",
			"nothing came back over "+strings.Join(dumb, ", "),
			"for one machine set ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST; for several allow multicast, or name them in ROS_STATIC_PEERS")
	case wide:
		j.warn(aboutDiscovery, "there is no network to other machines", "no interface but the loopback is up",
			"nothing, if all nodes are here: then ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST says so; else bring the network up")
	}
	if free := j.Host.Shared; free >= 0 && free < littleShared {
		j.warn(aboutDiscovery, "shared memory is nearly full", fmt.Sprintf("%d MiB are free in /dev/shm", free>>20),
			"make it larger (docker run --shm-size 256m), or end what fills it; nodes are there and hear nothing when it is full")
	}
}

// elsewhere judges the processes of this host that look in another place: the usual reason why a node is not there.
func (j *judge) elsewhere() {
	var places []place
	hidden := 0
	for _, p := range j.Elsewhere {
		where := j.hides(p)
		if where == "" {
			continue
		}
		hidden++
		at := slices.IndexFunc(places, func(p place) bool { return p.where == where })
		if at < 0 {
			at, places = len(places), append(places, place{where: where})
		}
		places[at].processes = append(places[at].processes, p)
	}
	if hidden == 0 {
		return
	}
	what := many(hidden, "ROS process") + " on this machine cannot be seen from here"
	var evidence []string
	for _, p := range places {
		evidence = append(evidence, p.tell(j.missing()))
	}
	f := Finding{Level: OK, About: aboutDiscovery, What: what, Evidence: strings.Join(evidence, "; ")}
	if j.lost() {
		f.Level, f.Do = Warning, "if one of them is what you look for, start it, or this, with the same settings"
	}
	j.add(f)
}

// releases judges the processes that can be seen and are of another release of ROS: they meet, and misread each other
// where an interface has changed.
func (j *judge) releases() {
	var others []string
	for _, p := range j.Elsewhere {
		distro := p.Env["ROS_DISTRO"]
		if distro != "" && j.Stack.Distro != "" && distro != j.Stack.Distro && j.hides(p) == "" {
			others = append(others, fmt.Sprintf("%s (pid %d) is of %s", p.Command, p.PID, distro))
		}
	}
	if len(others) > 0 {
		j.warn(aboutROS, "another release of ROS is in this domain", strings.Join(others[:min(len(others), 5)], "; "),
			"start all of it with "+j.Stack.Distro+": releases differ in what is on the wire")
	}
}

// place is where some processes are.
type place struct {
	where     string
	processes []Process
}

// tell names some of the processes, first those that may be what is missing.
func (p place) tell(missing []string) string {
	const some = 3
	likely := func(q Process) bool {
		return slices.ContainsFunc(missing,
			func(name string) bool { return strings.Contains(q.Command, path.Base(name)) })
	}
	slices.SortStableFunc(p.processes, func(a, b Process) int {
		switch {
		case likely(a) == likely(b):
			return 0
		case likely(a):
			return -1
		}
		return 1
	})
	var names []string
	for _, q := range p.processes[:min(some, len(p.processes))] {
		names = append(names, fmt.Sprintf("%s (pid %d)", q.Command, q.PID))
	}
	text := p.where + ": " + strings.Join(names, ", ")
	if more := len(p.processes) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// missing lists what is looked for and not there.
func (j *judge) missing() []string {
	var names []string
	for _, n := range j.Network.Nodes {
		if !j.present(n.Name) {
			names = append(names, n.Name)
		}
	}
	return names
}

// hides says why a process cannot be seen from here; empty if it can.
func (j *judge) hides(p Process) string {
	domain := func(env map[string]string) string {
		if d := env["ROS_DOMAIN_ID"]; d != "" {
			return d
		}
		return "0"
	}
	var why []string
	if there := domain(p.Env); there != strconv.FormatUint(uint64(j.Stack.Domain), 10) {
		why = append(why, "domain "+there)
	}
	if rmw := p.Env["RMW_IMPLEMENTATION"]; rmw != "" && j.Stack.RMW != "" && rmw != j.Stack.RMW {
		why = append(why, "middleware "+rmw)
	}
	if Reach(p.Env) == "OFF" {
		why = append(why, "range OFF")
	}
	if p.Stopped && len(why) == 0 {
		why = append(why, "stopped (SIGCONT lets it go on)")
	}
	return strings.Join(why, ", ")
}

// lost says whether anything that is looked for is not there.
func (j *judge) lost() bool {
	daemon := slices.ContainsFunc(j.Daemons, func(d Daemon) bool { return d.Name == j.Asked })
	return !daemon || len(j.missing()) > 0
}
