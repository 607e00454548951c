package doctor

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/middleware"
)

// healthy returns a network without faults.
func healthy() Facts {
	services := []Service{}
	for _, n := range []string{"/lidar", "/arm"} {
		services = append(services,
			Service{Named{n + "/get_state", []string{getStateType}}, 1, []string{n}},
			Service{Named{n + "/change_state", []string{changeStateType}}, 1, []string{n}})
	}
	services = append(services,
		Service{Named{"/arm/arm", []string{"std_srvs/srv/SetBool"}}, 1, []string{"/arm"}},
		Service{Named{"/arm/self_test", []string{"std_srvs/srv/Trigger"}}, 1, []string{"/arm"}})
	return Facts{
		Env:     map[string]string{"ROS_DISTRO": "kilted", "RMW_IMPLEMENTATION": "rmw_fastrtps_cpp", "ROS_DOMAIN_ID": "7", "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"},
		Stack:   Stack{Distro: "kilted", Prefix: "/opt/ros/kilted", RMW: "rmw_fastrtps_cpp", Domain: 7, Maker: "Fast DDS", Abilities: able},
		Host:    Host{Loopback: true, Links: []Link{{"lo", true, true}, {"eth0", false, true}}, Shared: 1 << 30},
		File:    "demo.yaml",
		Asked:   "/rstate",
		Vendors: []Vendor{{"Fast DDS", 12, []string{"/lidar"}}},
		Network: Network{Simulation: "demo", Nodes: []Node{
			{Name: "/lidar", Lifecycle: true},
			{Name: "/arm", Lifecycle: true, Arm: &Call{"/arm/arm", "std_srvs/srv/SetBool"},
				Checks: []Check{{Topic: "/joints", Type: "std_msgs/msg/Empty"}, {Service: "/arm/self_test", Type: "std_srvs/srv/Trigger"}}},
			{Name: "/camera", Optional: true},
		}},
		Daemons: []Daemon{{Name: "/rstate", Writers: 1, Alive: true, Simulation: "demo", State: "inactive", Intact: true, Settled: true,
			Nodes: []string{"/lidar", "/arm", "/camera"}}},
		Nodes:    []string{"/arm", "/camera", "/lidar", "/rstate", "/rviz"},
		Services: services,
		Topics: []Topic{
			{"/joints", []End{{Node: "/arm", Type: "std_msgs/msg/Empty", Reliable: true}}, []End{{Node: "/rstate", Type: "std_msgs/msg/Empty"}}},
		},
		Others: []Named{{"/joints", []string{"std_msgs/msg/Empty"}}},
		Answers: []Answer{
			{Node: "/lidar", State: "inactive", Within: time.Millisecond, SimTime: "false"}, {Node: "/arm", State: "inactive", Within: time.Millisecond, SimTime: "false"},
			{Node: "/rstate", SimTime: "false"},
		},
	}
}

func TestHealthyNetworkHasNothingWrong(t *testing.T) {
	r := Judge(healthy())
	for _, f := range r.Findings {
		if f.Level != OK || f.Do != "" || f.About == "" || f.What == "" {
			t.Errorf("got %+v", f)
		}
	}
	if r.Faults != 0 || r.Warnings != 0 || r.Fine != len(r.Findings) || r.Fine < 12 || !strings.HasPrefix(r.Summary, "0 faults, 0 warnings, ") {
		t.Errorf("got %s of %d findings", r.Summary, len(r.Findings))
	}
}

// end changes the first end of a kind.
func end(f *Facts, writer bool, change func(*End)) {
	if writer {
		change(&f.Topics[0].Writers[0])
		return
	}
	change(&f.Topics[0].Readers[0])
}

func without(f *Facts, service string) {
	f.Services = slices.DeleteFunc(f.Services, func(s Service) bool { return s.Name == service })
}

func noNode(f *Facts, name string) {
	f.Nodes = slices.DeleteFunc(f.Nodes, func(n string) bool { return n == name })
}

func service(f *Facts, name string) *Service {
	return &f.Services[slices.IndexFunc(f.Services, func(s Service) bool { return s.Name == name })]
}

// Each row is one fault, which must be the only finding.
func TestEachWrong(t *testing.T) {
	for name, c := range map[string]struct {
		wrong    func(*Facts)
		level    Level
		about    string
		what     string // is in What
		evidence string // is in Evidence
		do       string // is in Do
	}{
		"another distro is sourced": {func(f *Facts) { f.Env["ROS_DISTRO"] = "jazzy" }, Fault, "ROS", "another ROS", "ROS_DISTRO is jazzy", "build rstate again"},
		"another middleware":        {func(f *Facts) { f.Env["RMW_IMPLEMENTATION"] = "rmw_zenoh_cpp" }, Fault, "ROS", "another middleware", "rmw_zenoh_cpp", "RMW_IMPLEMENTATION=rmw_fastrtps_cpp"},
		"nodes of another maker": {func(f *Facts) { f.Vendors = append(f.Vendors, Vendor{"Cyclone DDS", 3, []string{"/slam"}}) },
			Warning, "ROS", "another middleware", "Cyclone DDS: 3 endpoints, of /slam", "same RMW_IMPLEMENTATION"},
		"another release in the domain": {func(f *Facts) {
			f.Elsewhere = []Process{{9, "slam", map[string]string{"ROS_DISTRO": "jazzy", "ROS_DOMAIN_ID": "7"}, false}}
		}, Warning, "ROS", "another release", "slam (pid 9) is of jazzy", "kilted"},
		"an interface is missing":         {func(f *Facts) { f.Stack.Lacking = []string{"rstate_msgs/msg/State"} }, Fault, "ROS", "not installed", "rstate_msgs/msg/State", "source"},
		"a domain that is none":           {func(f *Facts) { f.Env["ROS_DOMAIN_ID"] = "x" }, Fault, "discovery", "no such domain", `"x"`, "0 to 101"},
		"a high domain":                   {func(f *Facts) { f.Env["ROS_DOMAIN_ID"], f.Stack.Domain = "150", 150 }, Warning, "discovery", "domain 150", "", "0 to 101"},
		"a range that is none":            {func(f *Facts) { f.Env["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LAN" }, Fault, "discovery", "range", "LAN", "SUBNET"},
		"range OFF":                       {func(f *Facts) { f.Env["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "OFF" }, Fault, "discovery", "no node finds another", "OFF", "LOCALHOST"},
		"an old variable outdoes":         {func(f *Facts) { f.Env["ROS_LOCALHOST_ONLY"], f.Env["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "1", "SUBNET" }, Warning, "discovery", "ROS_LOCALHOST_ONLY", "SUBNET", "unset"},
		"a required peer is out of range": {func(f *Facts) { f.Network.Peers = []string{"/base"} }, Fault, "/base", "required as a peer and not there", "LOCALHOST", "SUBNET"},
		"a required peer is not there": {func(f *Facts) { f.Network.Peers = []string{"/base"}; f.Env["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "SUBNET" },
			Fault, "/base", "required as a peer and not there", "no instance of that name", "start it"},
		"a required peer says nothing": {func(f *Facts) { f.Network.Peers = []string{"/rviz"} }, Fault, "/rviz", "required as a peer and not there", "tells no peers", "no rstate"},
		"a required peer of another simulation": {func(f *Facts) {
			f.Network.Peers = []string{"/base"}
			f.Circles = []Circle{instancesOf("another_one", "/base")}
		},
			Fault, "/base", "required as a peer and not there", "simulation another_one, not of demo", "same simulation id"},
		"a required peer that the daemon misses": {func(f *Facts) {
			f.Network.Peers = []string{"/base"}
			f.Circles = []Circle{instancesOf("demo", "/rstate")}
			f.Circles[0].Instances[0].Requires = []string{"/base"}
		}, Fault, "/base", "required as a peer and not there", "LOCALHOST", "start it"},
		"a simulation of a typo": {func(f *Facts) { f.Circles = []Circle{instancesOf("dema", "/base")} }, Warning, "peers", "dema, nearly called like demo", "/base is of it", "letter by letter"},
		"a stranger drives a node": {func(f *Facts) {
			f.Circles = []Circle{instancesOf("another_one", "/base")}
			f.Circles[0].Instances[0].Nodes = []string{"/lidar"}
		}, Fault, "/lidar", "driven by /base too", "another_one", "one coordinator"},
		"a stranger drives several nodes": {func(f *Facts) {
			f.Circles = []Circle{instancesOf("another_one", "/base")}
			f.Circles[0].Instances[0].Nodes = []string{"/lidar", "/arm", "/other"}
		}, Fault, "/base", "drives 2 nodes of this network too: /lidar, /arm", "another_one", "one coordinator"},
		"instances that differ": {func(f *Facts) {
			f.Circles = []Circle{instancesOf("demo", "/rstate", "/base")}
			f.Circles[0].Instances[1].Hash = "other"
		}, Fault, "/base", "another machine", "hash", "same machine"},
		"a profile that is not":    {func(f *Facts) { f.Missing = []string{"FASTDDS_DEFAULT_PROFILES_FILE"} }, Fault, "discovery", "settings file", "FASTDDS", "unset"},
		"a discovery server":       {func(f *Facts) { f.Env["ROS_DISCOVERY_SERVER"] = "10.0.0.1" }, Warning, "discovery", "discovery server", "10.0.0.1", "unset"},
		"no loopback":              {func(f *Facts) { f.Host.Loopback = false }, Fault, "discovery", "does not reach itself", "127.0.0.1", "lo"},
		"no multicast":             {func(f *Facts) { delete(f.Env, "ROS_AUTOMATIC_DISCOVERY_RANGE"); f.Host.Links[1].Multicast = false }, Warning, "discovery", "multicast", "eth0", "ROS_STATIC_PEERS"},
		"no network":               {func(f *Facts) { delete(f.Env, "ROS_AUTOMATIC_DISCOVERY_RANGE"); f.Host.Links = f.Host.Links[:1] }, Warning, "discovery", "no network", "loopback", "LOCALHOST"},
		"no shared memory":         {func(f *Facts) { f.Host.Shared = 3 << 20 }, Warning, "discovery", "shared memory", "3 MiB", "--shm-size"},
		"no daemon":                {func(f *Facts) { f.Daemons = nil }, Warning, "daemon", "no daemon /rstate", "domain 7", "rstate run"},
		"a daemon of another name": {func(f *Facts) { f.Daemons[0].Name = "/base/rstate" }, Warning, "daemon", "no daemon /rstate", "/base/rstate", "--node"},
		"a silent daemon":          {func(f *Facts) { f.Daemons[0].Alive = false }, Fault, "daemon", "/rstate is silent", "renew", "start it again"},
		"a daemon without words":   {func(f *Facts) { f.Daemons[0].State = "" }, Fault, "daemon", "says nothing", "/rstate/state", "version"},
		"two daemons of one name":  {func(f *Facts) { f.Daemons[0].Writers = 2 }, Fault, "daemon", "2 daemons", "/rstate/state", "20 s"},
		"not intact":               {func(f *Facts) { f.Daemons[0].Intact, f.Daemons[0].Cause = false, "/lidar has gone" }, Warning, "daemon", "not intact", "/lidar has gone", "rstate why"},
		"the daemon warns":         {func(f *Facts) { f.Daemons[0].Warnings = []string{"the journal is full"} }, Warning, "daemon", "the journal is full", "/rstate", "why"},
		"the daemon advises": {func(f *Facts) { f.Daemons[0].Warnings = []string{"nothing comes on /clock; start the simulation"} },
			Warning, "daemon", "nothing comes on /clock", "/rstate says so", "start the simulation"},
		"another network":     {func(f *Facts) { f.Daemons[0].Nodes = []string{"/lidar"} }, Warning, "daemon", "another network", "with /lidar, not demo", "again"},
		"a node is not there": {func(f *Facts) { noNode(f, "/lidar") }, Fault, "/lidar", "not there", "other nodes seen", "start it"},
		"a typo": {func(f *Facts) { f.Nodes[slices.Index(f.Nodes, "/lidar")] = "/lidra" },
			Fault, "/lidar", "not there", "there is /lidra", "__node:=lidar"},
		"a wrong namespace": {func(f *Facts) { f.Nodes[slices.Index(f.Nodes, "/lidar")] = "/robot/lidar" },
			Fault, "/lidar", "not there", "there is /robot/lidar", "write /robot/lidar"},
		"an optional node is not there": {func(f *Facts) { noNode(f, "/camera") }, Warning, "/camera", "not there", "", "start it"},
		"two of one name":               {func(f *Facts) { f.Nodes = append(f.Nodes, "/lidar") }, Fault, "/lidar", "2 nodes have this name", "nothing is raised", "20 s"},
		"two strangers of one name":     {func(f *Facts) { f.Nodes = append(f.Nodes, "/rviz", "/rviz") }, Warning, "names", "/rviz", "more than once", "20 s"},
		"no lifecycle node":             {func(f *Facts) { without(f, "/lidar/get_state"); without(f, "/lidar/change_state") }, Fault, "/lidar", "is no lifecycle node", "neither", "lifecycle: false"},
		"half a lifecycle node":         {func(f *Facts) { without(f, "/lidar/change_state") }, Fault, "/lidar", "half", "no /lidar/change_state", "remapping"},
		"services of another kind":      {func(f *Facts) { service(f, "/lidar/get_state").Types[0] = "a/srv/B" }, Fault, "/lidar", "another kind", "a/srv/B", "ROS's own"},
		"services of another node": {func(f *Facts) {
			service(f, "/lidar/get_state").Nodes = nil
			service(f, "/lidar/change_state").Nodes = nil
		}, Fault, "/lidar", "is no lifecycle node", "", ""},
		"a plain one has a lifecycle": {func(f *Facts) { f.Network.Nodes[0].Lifecycle = false },
			Warning, "/lidar", "listed as none", "change_state", "lifecycle: false"},
		"a frozen node":          {func(f *Facts) { f.Answers[0].State = "" }, Fault, "/lidar", "does not answer", "within 2 s", "frozen"},
		"an unresponsive node":   {func(f *Facts) { f.Answers[0].State, f.Network.Nodes[0].Silent = "", true }, Fault, "/lidar", "does not answer", "unresponsive", "frozen"},
		"a busy node":            {func(f *Facts) { f.Answers[0].State, f.Network.Nodes[0].Running = "", "configure" }, Warning, "/lidar", "busy with configure", "", "wait"},
		"a finalized node":       {func(f *Facts) { f.Answers[0].State = "finalized" }, Fault, "/lidar", "finalized", "", "start its process again"},
		"a node in transition":   {func(f *Facts) { f.Answers[0].State = "cleaningup" }, Warning, "/lidar", "cleaning up", "has not asked", "the other client"},
		"a node that strayed":    {func(f *Facts) { f.Network.Nodes[0].Expected = "active" }, Warning, "/lidar", "is inactive, and the network wants it active", "", "why"},
		"no arming service":      {func(f *Facts) { without(f, "/arm/arm") }, Fault, "/arm", "armed by a service that is not there", "/arm/arm", "start"},
		"arming of another name": {func(f *Facts) { service(f, "/arm/arm").Name = "/arm/amr" }, Fault, "/arm", "not there", "/arm/arm", "there is /arm/amr"},
		"arming of another type": {func(f *Facts) { service(f, "/arm/arm").Types[0] = "std_srvs/srv/Trigger" }, Fault, "/arm", "another type", "std_srvs/srv/Trigger, not std_srvs/srv/SetBool", "right"},
		"arming by two":          {func(f *Facts) { service(f, "/arm/arm").Servers = 2 }, Fault, "/arm", "several offer", "2 offer", "only one"},
		"armed by two processes": {func(f *Facts) { f.Network.Nodes[1].ArmedBy = []string{"/arm", "/hw"} }, Fault, "/arm", "several processes", "2 processes serve /arm/arm: /arm, /hw", "end all but that of /arm"},
		"armed by another node":  {func(f *Facts) { f.Network.Nodes[1].ArmedBy = []string{"/hw"} }, Fault, "/arm", "another node", "/arm/arm is served by /hw, not by /arm", "served_by: /hw"},
		"armed by a node that does not serve": {func(f *Facts) {
			f.Network.Nodes[1].ArmServer, f.Network.Nodes[1].ArmedBy = "/power", []string{"/hw"}
		}, Fault, "/arm", "another node", "not by /power", "start /power"},
		"no check service":        {func(f *Facts) { without(f, "/arm/self_test") }, Fault, "/arm", "checked by a service that is not there", "/arm/self_test", ""},
		"no check topic":          {func(f *Facts) { f.Topics[0].Writers, f.Answers[1].State = nil, "active" }, Fault, "/arm", "without a publisher", "/joints", "start its publisher"},
		"a check topic of a typo": {func(f *Facts) { f.Topics = nil; f.Others[0].Name = "/joins" }, Fault, "/arm", "without a publisher", "/joints", "there is /joins"},
		"a check of another type": {func(f *Facts) {
			end(f, true, func(e *End) { e.Type = "x/msg/Y" })
			end(f, false, func(e *End) { e.Type = "x/msg/Y" })
		}, Fault, "/arm", "another type", "x/msg/Y by /arm", ""},
		"types do not fit": {func(f *Facts) { end(f, false, func(e *End) { e.Type = "x/msg/Y" }) }, Fault, "topics", "/rstate does not hear /arm on /joints", "x/msg/Y is subscribed", "one type"},
		"reliability": {func(f *Facts) {
			end(f, true, func(e *End) { e.Reliable = false })
			end(f, false, func(e *End) { e.Reliable = true })
		}, Fault, "topics", "does not hear", "best effort is offered", "quality of service"},
		"durability": {func(f *Facts) { end(f, false, func(e *End) { e.Latched = true }) }, Fault, "topics", "does not hear", "volatile is offered", "quality"},
		"deadline":   {func(f *Facts) { end(f, false, func(e *End) { e.Deadline = time.Second }) }, Fault, "topics", "does not hear", "deadline: none is offered, 1s is asked for", "quality"},
		"a longer deadline": {func(f *Facts) {
			end(f, true, func(e *End) { e.Deadline = 2 * time.Second })
			end(f, false, func(e *End) { e.Deadline = time.Second })
		},
			Fault, "topics", "does not hear", "deadline: 2s is offered, 1s is asked for", "quality"},
		"liveliness":                {func(f *Facts) { end(f, false, func(e *End) { e.ByHand = true }) }, Fault, "topics", "does not hear", "automatic is offered", "quality"},
		"lease":                     {func(f *Facts) { end(f, false, func(e *End) { e.LivelinessFor = time.Second }) }, Fault, "topics", "does not hear", "lease: none is offered", "quality"},
		"a stranger does not hear":  {func(f *Facts) { end(f, false, func(e *End) { e.Node, e.Latched = "/rviz", true }) }, Warning, "topics", "/rviz does not hear", "volatile", "quality"},
		"no clock":                  {func(f *Facts) { simulate(f, "true", "true", "true") }, Fault, "clock", "stands still", "/clock has no publisher", "use_sim_time"},
		"a clock that stands":       {func(f *Facts) { simulate(f, "true", "true", "true"); f.Clock.Writers = 1 }, Warning, "clock", "stands still", "nothing came", "paused"},
		"two clocks":                {func(f *Facts) { simulate(f, "true", "true", "true"); f.Clock = Clock{2, 5, time.Second} }, Fault, "clock", "two masters", "2 publish", "end all but one"},
		"some use it":               {func(f *Facts) { simulate(f, "true", "false", "false"); f.Clock = Clock{1, 5, time.Second} }, Warning, "clock", "some", "true on /lidar; false on /arm, /rstate", "alike"},
		"no node uses it":           {func(f *Facts) { f.Clock = Clock{1, 5, time.Second} }, Warning, "clock", "no node of the network uses it", "false on", "use_sim_time"},
		"optional things only warn": {func(f *Facts) { f.Network.Nodes[0].Optional = true; f.Answers[0].State = "" }, Warning, "/lidar", "does not answer", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := healthy()
			c.wrong(&f)
			r := Judge(f)
			bad := slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Level == OK })
			if len(bad) != 1 || r.Faults+r.Warnings != 1 {
				t.Fatalf("%s: %+v", r.Summary, bad)
			}
			got := bad[0]
			if got.Level != c.level || got.About != c.about || got.Do == "" ||
				!strings.Contains(got.What, c.what) || !strings.Contains(got.Evidence, c.evidence) || !strings.Contains(got.Do, c.do) {
				t.Errorf("got %+v, want %s about %s: %q, %q, %q", got, c.level, c.about, c.what, c.evidence, c.do)
			}
		})
	}
}

// instancesOf returns a simulation with living instances that agree.
func instancesOf(simulation string, names ...string) Circle {
	c := Circle{Simulation: simulation}
	for _, name := range names {
		c.Instances = append(c.Instances, Instance{Name: name, Instance: name, Alive: true, State: "inactive", Settled: true, Intact: true, Machine: "rstate", Hash: "aaaa"})
	}
	return c
}

// TestPeersInAccordAreFine: so is another, unrelated simulation.
func TestPeersInAccordAreFine(t *testing.T) {
	f := healthy()
	f.Network.Peers = []string{"/base"}
	f.Circles = []Circle{instancesOf("another_one", "/x"), instancesOf("demo", "/base", "/rstate")}
	r := Judge(f)
	var about []string
	for _, f := range r.Findings {
		if f.About == "peers" {
			about = append(about, f.What)
		}
	}
	if r.Faults+r.Warnings > 0 || len(about) != 2 || !strings.Contains(about[1], "2 instances of simulation demo") || !strings.Contains(about[0], "another_one, with /x") {
		t.Errorf("%s: %q", r.Summary, about)
	}
}

// simulate sets use_sim_time on the two nodes and the daemon.
func simulate(f *Facts, on ...string) {
	for i := range on {
		f.Answers[i].SimTime = on[i]
	}
}

// TestWhatIsElsewhereMattersWhereSomethingIsMissing: processes of other users are no fault of this
// network.
func TestWhatIsElsewhereMattersWhereSomethingIsMissing(t *testing.T) {
	elsewhere := []Process{
		{12, "lidar_driver", map[string]string{"ROS_DOMAIN_ID": "9"}, false},
		{13, "unset", map[string]string{}, false},
		{14, "zenoh", map[string]string{"ROS_DOMAIN_ID": "7", "RMW_IMPLEMENTATION": "rmw_zenoh_cpp"}, false},
		{15, "here", map[string]string{"ROS_DOMAIN_ID": "7"}, false}, {19, "asleep", map[string]string{"ROS_DOMAIN_ID": "7"}, true},
		{16, "a", map[string]string{"ROS_DOMAIN_ID": "9"}, false}, {17, "b", map[string]string{"ROS_DOMAIN_ID": "9"}, false}, {18, "the lidar", map[string]string{"ROS_DOMAIN_ID": "9"}, false},
	}
	find := func(f Facts) Finding {
		all := Judge(f).Findings
		return all[slices.IndexFunc(all, func(f Finding) bool { return strings.Contains(f.What, "cannot be seen") })]
	}
	f := healthy()
	f.Elsewhere = elsewhere
	if got := find(f); got.Level != OK || !strings.Contains(got.What, "7 ROS processes") {
		t.Errorf("nothing is missing: got %+v", got)
	}
	noNode(&f, "/lidar")
	got := find(f)
	for _, part := range []string{"domain 9: lidar_driver (pid 12), the lidar (pid 18), a (pid 16) and 1 more", "domain 0: unset (pid 13)", "middleware rmw_zenoh_cpp", "stopped (SIGCONT lets it go on): asleep"} {
		if !strings.Contains(got.Evidence, part) {
			t.Errorf("want %q in %+v", part, got)
		}
	}
	if got.Level != Warning || strings.Contains(got.Evidence, "here") {
		t.Errorf("/lidar is missing: got %+v", got)
	}
}

// TestWithoutROSOnlyWhatCanBeKnownIsJudged: and the report says how to get ROS.
func TestWithoutROSOnlyWhatCanBeKnownIsJudged(t *testing.T) {
	r := Judge(Facts{Stack: Stack{Fault: "librmw is not there"}, Host: Host{Loopback: true, Shared: -1}})
	if r.Faults != 1 || !strings.Contains(r.Findings[0].Evidence, "librmw") {
		t.Errorf("got %+v", r)
	}
	for _, f := range r.Findings {
		if f.About != aboutROS && f.About != aboutDiscovery {
			t.Errorf("it cannot know about %s: %+v", f.About, f)
		}
	}
}

func TestNobodyIsThere(t *testing.T) {
	f := healthy()
	f.Nodes, f.Services, f.Topics, f.Answers, f.Daemons = nil, nil, nil, nil, nil
	r := Judge(f)
	if r.Faults != 2 || !strings.Contains(r.Findings[len(r.Findings)-2].Evidence, "not one other node is seen in domain 7") {
		t.Errorf("got %+v", r)
	}
}

func TestNear(t *testing.T) {
	for name, c := range map[string]struct {
		name  string
		names []string
		want  string
	}{
		"none":                        {"/a/lidar", nil, ""},
		"itself is no other":          {"/lidar", []string{"/lidar"}, ""},
		"another namespace":           {"/lidar", []string{"/camera", "/robot/lidar"}, "/robot/lidar"},
		"a typo":                      {"/robot/lidar", []string{"/robot/lidra", "/base/lidra"}, "/robot/lidra"},
		"a long namespace is no hint": {"/a_very_long_namespace/lidar", []string{"/a_very_long_namespace/talker"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := near(c.name, c.names); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestSilentDaemonIsNotBelieved: the last state of an unresponsive daemon does not excuse a missing
// node.
func TestSilentDaemonIsNotBelieved(t *testing.T) {
	f := healthy()
	f.Daemons[0].Alive, f.Answers[0].State, f.Network.Nodes[0].Running = false, "", "configure"
	f.Network.Nodes[1].Expected = "active"
	r := Judge(f)
	if r.Faults != 2 || r.Warnings != 0 || f.Network.Nodes[0].Running == "" {
		t.Errorf("got %+v", r)
	}
}

// able is what Fast DDS gives.
var able = middleware.Abilities{Name: "rmw_fastrtps_cpp", Liveliness: true, GIDs: true, Processes: true, ProcessIDs: true,
	Requests: true, Silent: 20 * time.Second}
