//go:build ros

package ros

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
)

// rig is a typical network with arming: a driver that is armed, has a topic that is checked and
// a self test, and a lidar.
type rig struct {
	*robot
	apart  *bed.Host // the driver's
	driver *bed.Node
}

// newRig starts the nodes, the driver in a process of its own, and the daemon. keys are inserted
// at the top of the network file. The driver publishes joints five times as often as required,
// so that they are fast enough on a busy machine. So is the proof, unless the keys have another one.
func newRig(t *testing.T, keys string, driver bed.NodeSpec) *rig {
	t.Helper()
	r := &rig{robot: &robot{t: t, host: bed.NewHost(t), name: "/" + bed.Unique(t, "rstate"),
		simulation: bed.Unique(t, "sim")}}
	driver.Name = "/" + bed.Unique(t, "driver")
	driver.Arm, driver.Check, driver.Topic = driver.Name+"/arm", driver.Name+"/self_test", driver.Name+"/joints"
	if driver.Rate == 0 {
		driver.Rate = 50
	}
	r.apart = bed.NewHost(t)
	r.driver = r.apart.Node(driver)
	r.lidar = r.host.Node(bed.NodeSpec{Name: "/" + bed.Unique(t, "lidar")})
	r.states = r.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/InstanceState", Name: r.name + "/state",
		Latched: true})
	text := patient + fmt.Sprintf(`simulation: %[1]s
%[2]s
nodes:
  %[3]s: {}
  %[4]s: {after: [%[3]s], arm: {}, checks: [{topic: %[4]s/joints, rate: 10Hz}, {service: %[4]s/self_test}]}
`, r.simulation, keys, r.lidar.Name, driver.Name)
	if !strings.Contains(keys, "proof:") {
		text = "proof: 10s\n" + text
	}
	file := filepath.Join(t.TempDir(), "network.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r.daemon = bed.Start(t, "rstate", binary, "run", file, "--ros-args", "-r",
		"__node:="+strings.TrimPrefix(r.name, "/"))
	r.intact("unconfigured")
	return r
}

// refused sends a goal that must be accepted and then aborted, and returns the result's message.
func (r *rig) refused(command string) string {
	r.t.Helper()
	status, result := r.end(r.goal(command))
	if status != bed.StatusAborted || result.Success {
		r.t.Fatalf("%s ended with status %d: %+v", command, status, result)
	}
	return result.Message
}

// disarmed waits until the driver was asked to disarm and did.
func (r *rig) disarmed() {
	r.t.Helper()
	bed.Eventually(r.t, "the driver is disarmed", func() (string, bool) {
		truth := r.driver.Truth()
		return fmt.Sprintf("%+v", truth), !truth.Armed && slices.Contains(truth.Words(), "disarm")
	})
}

func TestA1ArmingAndItsChecks(t *testing.T) {
	r := newRig(t, "", bed.NodeSpec{Threads: 2, Script: map[string][]bed.Behaviour{"check": {{Result: bed.Failure}}}})
	r.driver.Pace(5)
	r.do("active", "active")
	said := r.refused("arm")
	for _, reason := range []string{"/joints comes at", "/self_test answered no: refused by the test's script"} {
		if !strings.Contains(said, reason) {
			t.Errorf("the message does not name %q: %s", reason, said)
		}
	}
	if words := r.driver.Truth().Words(); slices.Contains(words, "arm") {
		t.Errorf("the driver was asked to arm despite the refusal: %v", words)
	}
	r.await("active")
	r.driver.Pace(50)
	r.driver.Script("check", bed.Behaviour{})
	r.do("armed", "armed")
	if !r.driver.Truth().Armed {
		t.Error("the driver is not armed")
	}
	r.driver.Pace(0)
	r.disarmed()
	r.await("active")
}

func TestA2AFrozenDriverIsNotLeftArmed(t *testing.T) {
	r := newRig(t, "proof: 3s\nlast_resort: hold", bed.NodeSpec{Threads: 2})
	r.do("armed", "armed")
	r.apart.Process().Freeze()
	t.Cleanup(r.apart.Process().Thaw)
	bed.Eventually(t, "the network is no longer armed", func() (string, bool) {
		var last InstanceState
		ok := r.states.Last(&last) && last.State.Label == "disarming"
		return fmt.Sprintf("%+v", last), ok || slices.Contains(r.passed(), "disarming")
	})
	r.apart.Process().Thaw()
	r.disarmed()
}

// TestA6TheLeaseIsHeldWhileArmed: the daemon publishes the lease while the network is armed, stops
// at the disarm, and uses a higher term each time.
func TestA6TheLeaseIsHeldWhileArmed(t *testing.T) {
	r := newRig(t, "", bed.NodeSpec{Threads: 2})
	leases := r.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/ArmLease", Name: r.name + "/arm_lease",
		BestEffort: true})
	bed.Eventually(t, "the lease is matched", func() (string, bool) { return "", leases.Publishers() == 1 })
	type said struct {
		Term, Seq uint64
		Proved    int64 `json:"proved_ns"`
		Valid     int64 `json:"valid_ns"`
	}
	var last, before said
	r.do("active", "active")
	bed.Eventually(t, "it says twice that no lease is held", func() (string, bool) {
		heard := leases.Messages()
		for _, m := range heard {
			if r.decode(m, &last); last.Term != 0 || last.Valid != 0 {
				t.Fatalf("a lease was published before anything was armed: %+v", last)
			}
		}
		return fmt.Sprint(heard), len(heard) > 1
	})
	for term := uint64(1); term <= 2; term++ {
		r.do("arm", "armed")
		bed.Eventually(t, "the lease is renewed on new proof", func() (string, bool) {
			leases.Last(&last)
			return fmt.Sprintf("%+v", last), last.Term == term && last.Seq > 5 && last.Proved > before.Proved
		})
		before = last
		r.do("disarm", "active")
		bed.Eventually(t, "the lease is not renewed for two seconds, in which it says that none is held", func() (string, bool) {
			heard := leases.Messages()
			idle := 0
			for idle < len(heard) {
				if r.decode(heard[len(heard)-1-idle], &last); last.Valid > 0 {
					break
				}
				idle++
			}
			return fmt.Sprintf("%d times, %+v", idle, last), idle > 2
		})
	}
}

// TestA8AStoppedDaemonComesBackDisarmed: a daemon that is stopped and continued drops what it was
// doing, and leaves nothing armed.
func TestA8AStoppedDaemonComesBackDisarmed(t *testing.T) {
	r := newRig(t, "", bed.NodeSpec{Threads: 2})
	r.do("armed", "armed")
	r.await("armed") // its messages come apart from the result
	before := len(r.states.Messages())
	r.daemon.Freeze()
	t.Cleanup(r.daemon.Thaw)
	bed.Eventually(t, "the daemon answers no request, for longer than a stall may last", func() (string, bool) {
		_, err := r.host.GetState(r.name, 700*time.Millisecond)
		return fmt.Sprint(err), err != nil
	})
	r.daemon.Thaw()
	r.disarmed()
	r.await("active")
	var went []string
	for _, m := range r.states.Messages()[before:] {
		var s InstanceState
		r.decode(m, &s)
		if n := len(went); n == 0 || went[n-1] != s.State.Label {
			went = append(went, s.State.Label)
		}
	}
	if went[0] == "armed" { // published right before the stop
		went = went[1:]
	}
	if !slices.Equal(went, []string{"unknown", "active"}) {
		t.Errorf("it went %v, want to unknown and active", went)
	}
}

// TestA1ArmingTakesAuthority: with a secret, only a goal that carries it is accepted; ~/arm cannot
// carry one.
func TestA1ArmingTakesAuthority(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("open sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, "arming: {secret_file: "+secret+"}", bed.NodeSpec{Threads: 2})
	r.do("active", "active")
	if r.goal("arm").Accepted {
		t.Error("arm was accepted without authority")
	}
	r.setArm(true, false)
	goal := map[string]any{"command": "arm", "authority": "open sesame"}
	if status, result := r.end(r.goalWith(goal)); status != bed.StatusSucceeded {
		t.Errorf("arm with authority ended with %d: %+v", status, result)
	}
	if said := r.daemon.Log(); strings.Contains(said, "sesame") {
		t.Error("the secret is in the log")
	}
}
