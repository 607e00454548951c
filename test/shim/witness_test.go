//go:build ros

package shim

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"rstate/test/bed"
)

// library is the middleware, and witness the program in C that reports what it can do. They are
// built once for these tests.
var library, witness string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "rstate-shim-")
	if err == nil {
		library, err = Build(folder)
	}
	if err == nil {
		witness = filepath.Join(folder, "witness")
		err = buildWitness()
	}
	// These tests mostly wait. Flags of the command line are parsed later and take precedence.
	if err == nil {
		err = flag.Set("test.parallel", "4")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := bed.Main(m)
	os.RemoveAll(folder)
	os.Exit(code)
}

func buildWitness() error {
	arguments := []string{"-o", witness, "testdata/witness.c", "-Wl,--disable-new-dtags", "-Wl,--allow-shlib-undefined"}
	for _, prefix := range filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH")) {
		arguments = append(arguments, "-L"+prefix+"/lib", "-Wl,-rpath,"+prefix+"/lib")
	}
	middleware := "rmw_implementation" // where it is installed; else rcl has one middleware
	if !installed("lib" + middleware + ".so") {
		middleware = "rmw_fastrtps_cpp"
	}
	for _, name := range []string{"rcl", "rmw", middleware, "rcutils", "rosidl_runtime_c",
		"std_msgs__rosidl_typesupport_c", "std_msgs__rosidl_generator_c",
		"std_srvs__rosidl_typesupport_c", "std_srvs__rosidl_generator_c"} {
		arguments = append(arguments, "-l"+name)
	}
	return compile(arguments...)
}

func installed(library string) bool {
	for _, prefix := range filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH")) {
		if _, err := os.Stat(filepath.Join(prefix, "lib", library)); err == nil {
			return true
		}
	}
	return false
}

// able is what the witness reports of the installed middleware.
var able = map[string]string{
	"claims_liveliness": "1", "liveliness_event": "0", "matched_event": "0", "fired": "1", "lost": "1", "matched": "1",
	"misses": "0", "missed_requests": "0", "missed_responses": "0",
	"received": "12", "asked": "12", "answered": "12", "gid_changes": "0",
	"writers": "1", "gid_as_in_graph": "1", "common_beginning": "1", "request_gid_as_in_graph": "1",
	"writers_of_requests": "1", "readers_of_requests": "1", "readers_of_replies": "1",
	"request_topic": "1", "reply_topic": "1",
	"prefixed_topic": "1", "plain_topic": "0", "service_of_node": "1",
	"flows_of_publisher": "0", "flows_of_subscription": "0", "acknowledgements": "0", "assert": "0",
	"callback_of_subscription": "0", "callback_of_service": "0", "callback_of_client": "0", "numbered": "1",
}

// unable is what differs under each fault. A value of "some" is any number above 0.
var unable = map[string]map[string]string{
	"": {},
	"no_events": {
		"claims_liveliness": "0", "liveliness_event": "3", "matched_event": "3", "fired": "0", "lost": "0", "matched": "0",
	},
	"silent_events":  {"claims_liveliness": "0", "fired": "0", "lost": "0"},
	"lying_events":   {"fired": "0", "lost": "0"},
	"half_events":    {"lost": "0"},
	"other_gids":     {"gid_as_in_graph": "0", "request_gid_as_in_graph": "0"},
	"scattered_gids": {"common_beginning": "0"},
	"hidden_requests": {
		"request_gid_as_in_graph": "0", "writers_of_requests": "0", "readers_of_requests": "0",
		"readers_of_replies": "0", "request_topic": "0", "reply_topic": "0", "prefixed_topic": "0", "plain_topic": "1",
	},
	"take_401":   {"misses": "some", "missed_requests": "some", "missed_responses": "some"},
	"other_name": {"name": Name},
	"no_extras": {
		"flows_of_publisher": "3", "flows_of_subscription": "3", "acknowledgements": "3",
		"assert":                   "1", // rcl makes an error of it
		"callback_of_subscription": "3", "callback_of_service": "3", "callback_of_client": "3", "numbered": "0",
	},
}

// everything is what differs under the fault all.
func everything() map[string]string {
	all := map[string]string{}
	for _, fault := range []string{"no_events", "other_gids", "hidden_requests", "take_401", "other_name", "no_extras"} {
		for word, value := range unable[fault] {
			all[word] = value
		}
	}
	return all
}

// TestEachFaultIsThere runs the witness under each fault, so that no test of a fault passes because
// the library did nothing.
func TestEachFaultIsThere(t *testing.T) {
	names := []string{""}
	for _, fault := range Faults() {
		names = append(names, fault.Name)
	}
	for _, fault := range names {
		t.Run("fault "+fault, func(t *testing.T) {
			t.Parallel()
			differs, known := unable[fault]
			if fault == "all" {
				differs, known = everything(), true
			}
			if !known {
				t.Fatalf("the table unable has no row for %s", fault)
			}
			said := report(t, Environment(library, fault)...)
			for word, want := range able {
				if other, ok := differs[word]; ok {
					want = other
				}
				check(t, said, word, want)
			}
			if name, ok := differs["name"]; ok {
				check(t, said, "name", name)
			} else if said["name"] == Name {
				t.Errorf("the middleware calls itself %s", Name)
			}
		})
	}
}

func check(t *testing.T, said map[string]string, word, want string) {
	t.Helper()
	got, ok := said[word]
	switch {
	case !ok:
		t.Errorf("the witness does not report %s", word)
	case want == "some":
		if got == "0" {
			t.Errorf("%s is 0", word)
		}
	case got != want:
		t.Errorf("%s is %s, want %s", word, got, want)
	}
	if reason, refused := said[word+"_error"]; want == "3" && (!refused || !strings.Contains(reason, "not supported")) {
		t.Errorf("%s is refused with the error string %q", word, reason)
	}
}

// report runs the witness and returns what it has printed.
func report(t *testing.T, env ...string) map[string]string {
	t.Helper()
	p := bed.StartCommand(t, "witness", bed.Command{Args: []string{witness, bed.Unique(t, "")}, Env: env})
	if code := p.Wait(t); code != 0 {
		t.Fatalf("the witness ended with %d:\n%s", code, p.Log())
	}
	said := map[string]string{}
	for line := range strings.Lines(p.Log()) {
		word, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		said[word] = value
	}
	return said
}

// TestUnknownFaultsEndTheProcess would otherwise run tests without the fault that they name.
func TestUnknownFaultsEndTheProcess(t *testing.T) {
	p := bed.StartCommand(t, "witness", bed.Command{Args: []string{witness, bed.Unique(t, "")},
		Env: Environment(library, "no_evnets")})
	if code := p.Wait(t); code != -1 || !strings.Contains(p.Log(), "there is no fault no_evnets") {
		t.Errorf("the witness ended with %d:\n%s", code, p.Log())
	}
}

// TestTheLibraryNamesTheSameFaults compares Faults with the table of the test, both ways.
func TestTheLibraryNamesTheSameFaults(t *testing.T) {
	var named, tabled []string
	for _, fault := range Faults() {
		if fault.Name != "all" {
			named = append(named, fault.Name)
		}
	}
	for fault := range unable {
		if fault != "" {
			tabled = append(tabled, fault)
		}
	}
	sort.Strings(named)
	sort.Strings(tabled)
	if strings.Join(named, " ") != strings.Join(tabled, " ") {
		t.Errorf("Faults are %v, and the table has %v", named, tabled)
	}
}
