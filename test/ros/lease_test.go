//go:build ros

package ros

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/stall"
)

var restarts = flag.Int("restarts", 2, "how often TestA6TheFirstArmAfterARestart starts the daemon again, with each signal")

// follower starts a node that follows the lease in one language, and says what it logs when it is armed, when it
// refuses that because no lease holds, and when it disarms itself.
type follower struct {
	language                string
	start                   func(t *testing.T, name, coordinator string, rosArgs ...string) *bed.Process
	armed, refuses, disarms string
}

var followers = []follower{
	{"Python", func(t *testing.T, name, coordinator string, rosArgs ...string) *bed.Process {
		return leased(t, name, coordinator, rosArgs...)
	}, ": armed", "not armed: no arm lease holds", "disarmed: its lease has ended"},
	{"Go", func(t *testing.T, name, coordinator string, rosArgs ...string) *bed.Process {
		return bed.Start(t, "go", append([]string{binary, "node", name, "--arm", "--lease", coordinator + "/arm_lease",
			"--log", "text", "--ros-args"}, rosArgs...)...)
	}, " armed\n", "no arm lease holds", "disarmed itself: its arm lease has ended"},
	{"C++", func(t *testing.T, name, coordinator string, rosArgs ...string) *bed.Process {
		return inCpp(t, cppNode{name: name, coordinator: coordinator}, rosArgs...)
	}, "armed\n", "not armed: no arm lease holds", "disarmed: its lease has ended"},
	{"C++ that takes one message in each cycle", func(t *testing.T, name, coordinator string,
		rosArgs ...string) *bed.Process {
		return inCpp(t, cppNode{name: name, coordinator: coordinator, cycle: 20 * time.Millisecond}, rosArgs...)
	}, "armed\n", "not armed: no arm lease holds", "disarmed: its lease has ended"},
}

// cppNode is a node that uses arm_lease.hpp over rcl.
type cppNode struct {
	name, coordinator string
	cycle             time.Duration // it takes one message in each; 0: all that wait
	active            bool          // it is active from its start on
	options           []string      // of the compiler
}

// inCpp starts such a node, with arguments of ROS.
func inCpp(t *testing.T, n cppNode, args ...string) *bed.Process {
	t.Helper()
	command := []string{bed.BuildCpp(t, "testdata/leased.cpp", n.options...), n.coordinator,
		strconv.Itoa(int(n.cycle.Milliseconds()))}
	if n.active {
		command = append(command, "active")
	}
	command = append(command, "--ros-args", "-r", "__node:="+strings.TrimPrefix(n.name, "/"))
	return bed.Start(t, "cpp", append(command, args...)...)
}

// TestA6AWaitIsNoTransportTime: a node is suspended between its proof and the request to arm. The daemon sends the
// lease and the request, and is killed. Long after the lease has ended the node runs again, and takes all that as if it
// had just been sent. It must not be armed.
func TestA6AWaitIsNoTransportTime(t *testing.T) {
	for _, f := range followers {
		t.Run(f.language, func(t *testing.T) {
			t.Parallel()
			waits(t, f)
		})
	}
}

func waits(t *testing.T, f follower) {
	const proof = 4 * time.Second
	host := bed.NewHost(t)
	first := "/" + bed.Unique(t, "slow")
	slow := host.Node(bed.NodeSpec{Name: first, Arm: first + "/arm", Threads: 2,
		Script: map[string][]bed.Behaviour{"arm": {{Delay: time.Second}}}})
	name := "/" + bed.Unique(t, "leased")
	c := daemon.Config{Binary: binary, Name: "/" + bed.Unique(t, "rstate"), Network: patient + fmt.Sprintf(`proof: %[1]v
nodes:
  %[2]s: {arm: {}}
  %[3]s: {after: [%[2]s], arm: {}}
`, proof, first, name)}
	node := f.start(t, name, c.Name)
	d := daemon.Start(t, host, c)
	d.Intact("unconfigured")
	d.Do("active", "succeeded done active")
	d.Post("arm")
	bed.Eventually(t, "the first node is asked to arm", func() (string, bool) {
		truth := slow.Truth()
		return fmt.Sprintf("%+v", truth), truth.Count("arm") > 0
	})
	node.Freeze()
	t.Cleanup(node.Thaw)
	d.Await("the second node is asked to arm", func(v daemon.View) bool { return len(v.MayBeArmed) == 2 })
	asked := time.Now()
	d.Process.Kill()
	bed.Eventually(t, "the lease has ended everywhere", func() (string, bool) {
		return "", time.Since(asked) > 2*proof
	})
	node.Thaw()
	bed.Eventually(t, "it refuses", func() (string, bool) {
		return node.Log(), strings.Contains(node.Log(), f.refuses) || strings.Contains(node.Log(), f.armed)
	})
	if strings.Contains(node.Log(), f.armed) {
		t.Errorf("it was armed by a lease that had ended:\n%s", node.Log())
	}
}

// TestA6TheFirstArmAfterARestart: the lease of the run before has ended by then, and pauses nothing.
func TestA6TheFirstArmAfterARestart(t *testing.T) {
	t.Parallel()
	host := bed.NewHost(t)
	c := daemon.Config{Binary: binary, Name: "/" + bed.Unique(t, "rstate"), Env: bed.ShortLease(t)}
	c.Network = patient + "proof: 3s\nnodes:\n"
	var nodes []*bed.Process
	for _, f := range followers {
		name := "/" + bed.Unique(t, "leased")
		c.Network += fmt.Sprintf("  %s: {arm: {}}\n", name)
		nodes = append(nodes, f.start(t, name, c.Name))
	}
	d := daemon.Start(t, host, c)
	d.Intact("unconfigured")
	arms(t, d)
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		for range *restarts {
			d.Process.Signal(signal)
			<-d.Process.Done()
			d = d.Again()
			d.Alone()
			d.Intact("active")
			arms(t, d)
		}
	}
	for k, f := range followers {
		if strings.Contains(nodes[k].Log(), f.refuses) {
			t.Errorf("%s has refused to arm:\n%s", f.language, nodes[k].Log())
		}
	}
}

// arms arms a network by the tool, and says how long that took. A client of the bed would not know which daemon of the
// name it speaks with.
func arms(t *testing.T, d *daemon.Daemon) {
	t.Helper()
	stall.Again(t, "it is armed", func() string {
		began := time.Now()
		send := bed.Start(t, "send", binary, "send", "armed", "--node", d.Name)
		if send.Wait(t) != 0 {
			return send.Log()
		}
		t.Logf("armed %v after the command began: %s", time.Since(began).Round(time.Millisecond), send.Log())
		return ""
	}, func(command string) { t.Fatalf("it was armed, and %q is asked for", command) })
}

// TestA6AClockThatStandsStill: a node that uses ROS time looks at its lease by a steady timer, so it disarms when its
// coordinator is killed, also while /clock stands still. The node in C++ has no clock of ROS at all.
func TestA6AClockThatStandsStill(t *testing.T) { disarmsBesideAClock(t, 0) }

// TestA6AClockThatIsSlow: the same, with a /clock that goes at a tenth.
func TestA6AClockThatIsSlow(t *testing.T) { disarmsBesideAClock(t, 0.1) }

func disarmsBesideAClock(t *testing.T, speed float64) {
	t.Parallel()
	host := bed.NewHost(t)
	// It leaves the clock of other tests alone.
	clock := "/" + bed.Unique(t, "clock")
	now := host.Advertise(bed.Topic{Kind: "rosgraph_msgs/msg/Clock", Name: clock})
	c := daemon.Config{Binary: binary, Name: "/" + bed.Unique(t, "rstate"), Network: patient + "proof: 3s\nnodes:\n"}
	nodes := make([]*bed.Process, len(followers))
	for k, f := range followers {
		name := "/" + bed.Unique(t, "leased")
		c.Network += fmt.Sprintf("  %s: {arm: {}}\n", name)
		nodes[k] = f.start(t, name, c.Name, "-p", "use_sim_time:=true", "-r", "/clock:="+clock)
	}
	began := time.Now()
	ticks := func() {
		at := time.Hour + time.Duration(speed*float64(time.Since(began)))
		now.Publish(map[string]any{"clock": map[string]any{"sec": int(at / time.Second),
			"nanosec": int(at % time.Second)}})
	}
	bed.Eventually(t, "a node hears the clock", func() (string, bool) { return "", now.Subscribers() > 0 })
	ticks()
	d := daemon.Start(t, host, c)
	d.Intact("unconfigured")
	d.Do("armed", "succeeded done armed")
	ticks()
	d.Process.Kill()
	for k, f := range followers {
		bed.Eventually(t, f.language+" disarms", func() (string, bool) {
			ticks()
			return nodes[k].Log(), strings.Contains(nodes[k].Log(), f.disarms)
		})
	}
}
