package middleware

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// files are what the settings of a test name.
func files(list map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		text, is := list[name]
		if !is {
			return nil, errors.New("there is no such file")
		}
		return []byte(text), nil
	}
}

func TestS10TimesAreThoseOfTheMiddlewareAndItsSettings(t *testing.T) {
	profile := "<participant><rtps><builtin><discovery_config><leaseDuration>\n <sec>5</sec></leaseDuration>"
	for name, c := range map[string]struct {
		rmw    string
		env    map[string]string
		want   time.Duration
		router bool
	}{
		"Fast DDS":                        {"rmw_fastrtps_cpp", nil, 20 * time.Second, false},
		"with a profile":                  {"rmw_fastrtps_cpp", map[string]string{"FASTDDS_DEFAULT_PROFILES_FILE": "p.xml"}, 5 * time.Second, false},
		"with one of Jazzy":               {"rmw_fastrtps_dynamic_cpp", map[string]string{"FASTRTPS_DEFAULT_PROFILES_FILE": "p.xml"}, 5 * time.Second, false},
		"with one that is not there":      {"rmw_fastrtps_cpp", map[string]string{"FASTDDS_DEFAULT_PROFILES_FILE": "q.xml"}, 20 * time.Second, false},
		"with that of a demo":             {"rmw_fastrtps_cpp", map[string]string{demoLease: "4"}, 4 * time.Second, false},
		"Cyclone DDS":                     {"rmw_cyclonedds_cpp", map[string]string{"FASTDDS_DEFAULT_PROFILES_FILE": "p.xml"}, 10 * time.Second, false},
		"with a setting":                  {"rmw_cyclonedds_cpp", map[string]string{"CYCLONEDDS_URI": "<Discovery><LeaseDuration>1500 ms</LeaseDuration></Discovery>"}, 1500 * time.Millisecond, false},
		"with a file and a setting":       {"rmw_cyclonedds_cpp", map[string]string{"CYCLONEDDS_URI": "file://c.xml,<General/>"}, 2 * time.Minute, false},
		"Zenoh":                           {"rmw_zenoh_cpp", nil, time.Minute, true},
		"with its own file":               {"rmw_zenoh_cpp", map[string]string{"ZENOH_SESSION_CONFIG_URI": "z.json5"}, 10 * time.Second, true},
		"with an override":                {"rmw_zenoh_cpp", map[string]string{"ZENOH_SESSION_CONFIG_URI": "z.json5", "ZENOH_CONFIG_OVERRIDE": "mode=\"peer\";transport/link/tx/lease=2000"}, 2 * time.Second, true},
		"by multicast":                    {"rmw_zenoh_cpp", map[string]string{"ZENOH_CONFIG_OVERRIDE": "scouting/multicast/enabled=true"}, time.Minute, false},
		"one that rstate does not know":   {"rmw_unable_cpp", nil, 0, false},
		"none that could be found at all": {"", nil, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			env := func(name string) string { return c.env[name] }
			a := Of(c.rmw, env, files(map[string]string{"p.xml": profile, "c.xml": "<LeaseDuration> 2min </LeaseDuration>",
				"z.json5": "{transport: {link: {tx: {lease: 10000, keep_alive: 2}}}}"}))
			if a.Silent != c.want || a.Router != c.router || a.Name != c.rmw {
				t.Errorf("got %+v, want %v and a router %v", a, c.want, c.router)
			}
			if a.Liveliness || a.GIDs || a.Processes || a.ProcessIDs || a.Requests {
				t.Errorf("what was not tried is believed: %+v", a)
			}
		})
	}
}

func TestMiddlewareIsToldByItsLibrary(t *testing.T) {
	maps := func(libraries ...string) string {
		text := ""
		for _, l := range libraries {
			text += "7f00 r-xp 00000000 08:01 9 /opt/ros/lib/" + l + "\n"
		}
		return text
	}
	for name, c := range map[string]struct{ maps, wanted, want string }{
		"Fast DDS":                  {maps("librmw_dds_common.so", "librmw_fastrtps_shared_cpp.so", "librmw_fastrtps_cpp.so"), "", "rmw_fastrtps_cpp"},
		"Cyclone DDS":               {maps("librmw_implementation.so", "librmw_cyclonedds_cpp.so.2"), "", "rmw_cyclonedds_cpp"},
		"Zenoh":                     {maps("librmw_zenoh_cpp.so"), "rmw_zenoh_cpp", "rmw_zenoh_cpp"},
		"Connext":                   {maps("librmw_connextdds.so"), "", "rmw_connextdds"},
		"of two the one asked for":  {maps("librmw_fastrtps_cpp.so", "librmw_cyclonedds_cpp.so"), "rmw_cyclonedds_cpp", "rmw_cyclonedds_cpp"},
		"another is asked for":      {maps("librmw_fastrtps_cpp.so"), "rmw_cyclonedds_cpp", "rmw_fastrtps_cpp"},
		"one that is not known":     {maps("librmw_fastrtps_cpp.so", "librmw_unable_cpp.so"), "rmw_unable_cpp", "rmw_unable_cpp"},
		"the shared parts are none": {maps("librmw_dds_common.so", "librmw_fastrtps_shared_cpp.so", "librmw.so"), "", ""},
	} {
		if got := Loaded(c.maps, c.wanted); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestRoutersAreThoseOfTheSettings(t *testing.T) {
	session := `{
  mode: "peer",
  // connect: { endpoints: ["tcp/commented:1"] },
  connect: { timeout_ms: { router: -1 },
    endpoints: [ "tcp/robot:7447", // the robot
      "tcp/[::1]:7448" ] },
  listen: { endpoints: ["tcp/localhost:0"] } }`
	for name, c := range map[string]struct {
		env  map[string]string
		want []string
	}{
		"none":        {nil, []string{"localhost:7447"}},
		"a file":      {map[string]string{"ZENOH_SESSION_CONFIG_URI": "z.json5"}, []string{"robot:7447", "[::1]:7448"}},
		"an override": {map[string]string{"ZENOH_SESSION_CONFIG_URI": "z.json5", "ZENOH_CONFIG_OVERRIDE": `connect/endpoints=["tcp/10.0.0.1:7447"];mode="client"`}, []string{"10.0.0.1:7447"}},
		"no address":  {map[string]string{"ZENOH_CONFIG_OVERRIDE": `mode="client"`}, []string{"localhost:7447"}},
	} {
		got := Routers(func(name string) string { return c.env[name] }, files(map[string]string{"z.json5": session}))
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestWhatIsMissingIsSaidWithWhatFollows(t *testing.T) {
	whole := Abilities{Liveliness: true, GIDs: true, Processes: true, ProcessIDs: true, Requests: true}
	if got := whole.Lacks(); len(got) > 0 {
		t.Errorf("nothing is missing, and it says %v", got)
	}
	none := Abilities{Silent: 10 * time.Second}
	var text []string
	for _, l := range none.Lacks() {
		text = append(text, l.What, l.Follows)
	}
	for _, want := range []string{"400ms", "1s", "instance id", "10 s", "the daemon's node", "asks each"} {
		if !strings.Contains(strings.Join(text, "\n"), want) {
			t.Errorf("%q is not said: %q", want, text)
		}
	}
	if got := (Abilities{}).Gone(); strings.Contains(got, "0 s") {
		t.Errorf("a time that is not known: %q", got)
	}
}

// TestS10Pulse: each letter is an event: m a message, r the same again, t ten looks, l one look, + and - liveliness events.
func TestS10Pulse(t *testing.T) {
	for script, alive := range map[string]bool{
		"": false, "m": true, "mt": true, "mmt": true, "mr": true, "mrt": true, "mrmrt": true, "mrrt": false,
		"mrtr": true, "mrtrt": true, "mrtrrt": true, "mrtrrrt": false, "mlllllllllrrt": false, "mllllllllllrrt": true,
		"mrrlllllllll": true, "mrrllllllllll": false, "mrrtm": true, "mrrtmt": false, "mrrlllllmlllllll": true,
		"+": true, "+t": true, "m+t": true, "m+-": false, "m+-t": false, "+-m": true, "m-": false, "m-m": true, "m-mt": true,
		"m+rt": true, "m+rrt": false, "mrrt+": true, "mrrt+lllllllll": true, "mrrt+t": false, "mrr-": false, "mrr-r": true,
		"mrt+rt": true, "mlllll+lllllrrt": true,
	} {
		var p Pulse
		for _, c := range script {
			switch c {
			case 'm', 'r':
				p.Heard(c == 'r')
			case 't':
				for range 10 {
					p.Tick()
				}
			case 'l':
				p.Tick()
			default:
				p.Event(strings.Count(string(c), "+"))
			}
		}
		if p.Alive != alive {
			t.Errorf("%q: alive is %v", script, p.Alive)
		}
	}
	var p Pulse
	for range habit {
		p.Heard(true)
	}
	lost := 0
	for range 30 {
		if p.Tick() {
			lost++
		}
	}
	if lost != 1 {
		t.Errorf("the loss was reported %d times", lost)
	}
}
