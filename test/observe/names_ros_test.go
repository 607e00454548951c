//go:build ros

package observe

import (
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/stall"
)

// binary is the tool under test.
var binary string

func TestMain(m *testing.M) { daemon.Main(m, &binary, 0) }

// start starts a process of rstate.
func start(t *testing.T, home, name string, args ...string) *bed.Process {
	t.Helper()
	return bed.StartCommand(t, name, bed.Command{Args: append([]string{binary}, args...), Env: []string{"ROS_HOME=" + home}})
}

// says runs a verb of rstate, which has to succeed. It sends a command again that failed because the daemon got no time
// from this machine.
func says(t *testing.T, args ...string) {
	t.Helper()
	run := func(args ...string) (string, error) {
		out, err := exec.CommandContext(t.Context(), binary, args...).CombinedOutput()
		return string(out), err
	}
	var said string
	var err error
	stall.Again(t, fmt.Sprint("rstate ", args), func() string {
		if said, err = run(args...); err != nil && args[0] == "send" {
			return said
		}
		return ""
	}, func(lower string) { _, _ = run(append([]string{"send", lower}, args[2:]...)...) })
	if err != nil {
		t.Fatalf("rstate %v: %v\n%s", args, err, said)
	}
}

// names are the names of one node in the graph, as a policy has them, with their types.
type names map[string]map[string]string // publish, subscribe, reply, request, execute, call

// TestNamesOfPackagingAreThoseOfTheGraph: the policies of SROS2 allow what the daemon, the guard and a client of
// config/demo.yaml have in the ROS graph, and nothing that they do not have. The layout of Foxglove shows topics that are
// there.
func TestNamesOfPackagingAreThoseOfTheGraph(t *testing.T) {
	home := t.TempDir()
	start(t, home, "nodes", "node", "/lidar", "/slam", "/camera", "/arm_driver", "--arm")
	start(t, home, "daemon", "run", filepath.Join(root, "config/demo.yaml"))
	start(t, home, "guard", "guard", "--node", "/rstate", "/arm_driver/arm")
	start(t, home, "client", "watch", "--node", "/rstate")

	says(t, "watch", "--wait", "--until", "unconfigured", "--for", "30s", "--node", "/rstate")
	says(t, "send", "active", "--node", "/rstate") // some names come with the first command
	ctx, err := rclgo.NewContext(rclgo.ClockTypeROSTime, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ctx.Close() })
	looks, err := ctx.NewNode("looks", "")
	if err != nil {
		t.Fatal(err)
	}
	policy, have := readPolicy(t), map[string]names{}
	for enclave, pattern := range map[string]string{"/rstate/daemon": "rstate", "/rstate/guard": "rstate_guard_[0-9]*",
		"/rstate/client": "rstate_client_[0-9]*"} {
		bed.Eventually(t, enclave+" has the names of its policy", func() (string, bool) {
			got, err := namesOf(looks, pattern)
			if err != nil {
				return err.Error(), false
			}
			have[enclave] = got
			diff := differences(policy[enclave], got, enclave == "/rstate/client")
			return strings.Join(diff, "\n"), len(diff) == 0
		})
	}
	for topic, kind := range layoutTopics(t) {
		if got := have["/rstate/daemon"]["publish"][topic]; got != kind {
			t.Errorf("the layout of Foxglove shows %s as %s, and the daemon publishes it as %q", topic, kind, got)
		}
	}
}

// namesOf reads the names of the node with a name of this pattern.
func namesOf(looks *rclgo.Node, pattern string) (names, error) {
	all, _, err := looks.GetNodeNames()
	if err != nil {
		return nil, err
	}
	k := slices.IndexFunc(all, func(n string) bool { is, _ := path.Match(pattern, n); return is })
	if k < 0 {
		return nil, fmt.Errorf("no node is called %s: %v", pattern, all)
	}
	have := names{}
	for key, read := range map[string]func() (map[string][]string, error){
		"publish":   func() (map[string][]string, error) { return looks.GetPublisherNamesAndTypesByNode(true, all[k], "/") },
		"subscribe": func() (map[string][]string, error) { return looks.GetSubscriberNamesAndTypesByNode(true, all[k], "/") },
		"reply":     func() (map[string][]string, error) { return looks.GetServiceNamesAndTypesByNode(all[k], "/") },
		"request":   func() (map[string][]string, error) { return looks.GetClientNamesAndTypesByNode(all[k], "/") },
		"execute":   func() (map[string][]string, error) { return looks.GetActionServerNamesAndTypesByNode(all[k], "/") },
		"call":      func() (map[string][]string, error) { return looks.GetActionClientNamesAndTypesByNode(all[k], "/") },
	} {
		found, err := read()
		if err != nil {
			return nil, err
		}
		have[key] = map[string]string{}
		for name, types := range found {
			if !strings.Contains(name, "/_action/") {
				have[key][name] = strings.Join(types, " ")
			}
		}
	}
	return have, nil
}

// differences lists what only one of the two has. The client of the test is one of several verbs: it does not have to
// have all.
func differences(allowed map[string][]string, graph names, some bool) (list []string) {
	for key, have := range graph {
		used := map[string]bool{"/rosout": true} // subscribed to during a transition, and for a while after it
		for _, name := range allowed[key] {
			if strings.Contains(name, "/_self_test_") { // used at a start only
				used[name] = true
			}
		}
		for name := range have {
			k := slices.IndexFunc(allowed[key], func(p string) bool { is, _ := path.Match(p, name); return is })
			if k < 0 {
				list = append(list, fmt.Sprintf("the policy does not allow %s %s", key, name))
				continue
			}
			used[allowed[key][k]] = true
		}
		for _, name := range allowed[key] {
			if !used[name] && !some {
				list = append(list, fmt.Sprintf("the policy allows %s %s, which the node does not have", key, name))
			}
		}
	}
	slices.Sort(list)
	return list
}
