//go:build ros

package ros

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/internal/lease"
	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// alone is a daemon over one node that can be armed. The test itself starts the node.
type alone struct {
	*robot
	driver string
	file   string
}

// newAlone starts the daemon; the test starts the node before or after. The proof holds while processes of the test
// start on a busy machine, and a test sees its end.
func newAlone(t *testing.T, driver, arm string) *alone {
	t.Helper()
	return newAloneWith(t, "proof: 3s\n", driver, arm)
}

// newAloneWith is newAlone with more keys of the network file.
func newAloneWith(t *testing.T, keys, driver, arm string) *alone {
	t.Helper()
	a := &alone{robot: &robot{t: t, host: bed.NewHost(t), name: "/" + bed.Unique(t, "rstate"),
		simulation: bed.Unique(t, "sim")}, driver: driver}
	a.states = a.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/InstanceState", Name: a.name + "/state",
		Latched: true})
	a.file = filepath.Join(t.TempDir(), "network.yaml")
	text := patient + fmt.Sprintf("simulation: %s\n%snodes:\n  %s: {arm: %s}\n", a.simulation, keys, driver, arm)
	if err := os.WriteFile(a.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	a.daemon = bed.Start(t, "rstate", binary, "run", a.file, "--ros-args", "-r",
		"__node:="+strings.TrimPrefix(a.name, "/"))
	t.Cleanup(a.daemon.Thaw)
	return a
}

// guarded is a network whose driver does not follow the lease, and a guard for it.
type guarded struct {
	*alone
	node  *bed.Node
	guard *bed.Process
}

func newGuarded(t *testing.T, script map[string][]bed.Behaviour) *guarded {
	t.Helper()
	name := "/" + bed.Unique(t, "driver")
	g := &guarded{}
	g.node = bed.NewHost(t).Node(bed.NodeSpec{Name: name, Arm: name + "/arm", Threads: 2, Script: script})
	g.alone = newAlone(t, name, "{dead_man: none}")
	g.intact("unconfigured")
	return g
}

// watch starts the guard.
func (g *guarded) watch(args ...string) {
	g.t.Helper()
	g.guard = bed.Start(g.t, "guard", slices.Concat([]string{binary, "guard", "--node", g.name}, args)...)
}

// joins starts the guard while the network is armed, and returns when it has heard the lease. If the daemon did not run
// for a while, which disarms, the network is armed again for another guard.
func (g *guarded) joins(args ...string) {
	g.t.Helper()
	for round := 1; ; round++ {
		stalls := daemon.Stalls(g.daemon)
		g.watch(args...)
		holds := func() bool { return strings.Contains(g.guard.Log(), "a lease holds") }
		bed.Eventually(g.t, "the guard hears the lease", func() (string, bool) {
			return g.guard.Log(), holds() || round < 3 && daemon.Stalls(g.daemon) > stalls
		})
		if holds() {
			return
		}
		g.guard.Kill()
		g.await("active")
		g.do("armed", "armed")
	}
}

func (g *guarded) says(text string) {
	g.t.Helper()
	says(g.t, g.guard, text)
}

func says(t *testing.T, p *bed.Process, text string) {
	t.Helper()
	bed.Eventually(t, p.Name+" says "+text, func() (string, bool) { return p.Log(), strings.Contains(p.Log(), text) })
}

// disarmed waits until the node is disarmed after at least that many calls to disarm.
func (g *guarded) disarmed(calls int) {
	g.t.Helper()
	bed.Eventually(g.t, "the driver is disarmed", func() (string, bool) {
		truth := g.node.Truth()
		return fmt.Sprintf("%+v", truth), !truth.Armed && truth.Count("disarm") >= calls
	})
}

// ends sends the guard a signal and checks its exit code.
func (g *guarded) ends(want int) {
	g.t.Helper()
	g.guard.Signal(syscall.SIGTERM)
	if code := g.guard.Wait(g.t); code != want {
		g.t.Errorf("the guard ended with code %d, want %d; its log:\n%s", code, want, g.guard.Log())
	}
}

func TestA7GuardDisarmsWhenTheDaemonIsGone(t *testing.T)  { disarmsWithout(t, (*bed.Process).Kill) }
func TestA7GuardDisarmsWhenTheDaemonFreezes(t *testing.T) { disarmsWithout(t, (*bed.Process).Freeze) }

// disarmsWithout checks that a guard disarms when its daemon is gone.
func disarmsWithout(t *testing.T, gone func(*bed.Process)) {
	g := newGuarded(t, nil)
	g.watch(g.file)
	g.says("the guard starts")
	g.do("armed", "armed")
	g.says("a lease holds")
	before := g.node.Truth().Count("disarm")
	gone(g.daemon)
	g.disarmed(before + 1)
	g.says("everything is disarmed")
	g.ends(0)
}

// TestA7GuardAsksAgain: the guard asks a node that refuses, and then does not answer, until the
// node confirms.
func TestA7GuardAsksAgain(t *testing.T) {
	g := newGuarded(t, nil)
	g.watch(g.driver + "/arm")
	g.says("guards")
	g.do("armed", "armed")
	g.says("a lease holds")
	g.node.Script("disarm", bed.Behaviour{Result: bed.Failure}, bed.Behaviour{Result: bed.Failure}, bed.Behaviour{})
	before := g.node.Truth().Count("disarm")
	g.daemon.Kill()
	g.says("refuses")
	g.disarmed(before + 3)
	g.says("everything is disarmed")
	g.ends(0)
}

func TestA7GuardLeavesAnOrderlyDisarmAlone(t *testing.T) {
	g := newGuarded(t, nil)
	g.watch(g.driver+"/arm", "--log-level", "debug")
	g.says("guards")
	g.do("armed", "armed")
	g.says("a lease holds")
	g.says("shows that it holds the lease")
	before := g.node.Truth().Count("disarm")
	g.do("disarm", "active")
	g.says("the lease was given back")
	g.do("deactivate", "inactive")
	g.ends(0)
	if calls := g.node.Truth().Count("disarm"); calls != before+1 {
		t.Errorf("the node was asked to disarm %d times, once by the daemon; the guard's log:\n%s", calls-before,
			g.guard.Log())
	}
}

func TestA7GuardStartedWhileArmed(t *testing.T) {
	g := newGuarded(t, nil)
	g.do("armed", "armed")
	g.joins(g.driver + "/arm")
	before := g.node.Truth().Count("disarm")
	g.daemon.Kill()
	g.disarmed(before + 1)
	g.ends(0)
}

// TestA7GuardThatEndsWhileArmed: a guard that ends while armed disarms, since no process would then
// notice the end of the lease, unless an option tells it to leave the nodes armed.
func TestA7GuardThatEndsWhileArmed(t *testing.T) {
	g := newGuarded(t, nil)
	g.do("armed", "armed")
	g.joins(g.driver+"/arm", "--on-exit", "leave")
	g.ends(0)
	g.says("ends while armed, as it was told")
	if truth := g.node.Truth(); !truth.Armed {
		t.Errorf("the node was disarmed despite the option: %+v", truth)
	}
	g.joins(g.driver + "/arm")
	g.ends(0)
	if truth := g.node.Truth(); truth.Armed {
		t.Errorf("the node was left armed: %+v", truth)
	}
	if s := g.await("active"); !strings.Contains(s.Cause, g.driver+" is disarmed by guard ") { // A13
		t.Errorf("the daemon disarmed because %q", s.Cause)
	}
	g.shows("the guard has ended", func(s InstanceState) bool { // Arm is refused as long as it is known to disarm
		return !slices.ContainsFunc(s.Guards, func(one Guard) bool { return one.Cause == "ends" })
	})
	g.do("armed", "armed")
	g.joins(g.driver + "/arm")
	g.node.Script("disarm", bed.Behaviour{Result: bed.Failure})
	g.ends(5)
	g.says("not confirmed to be disarmed: " + g.driver + "/arm")
	g.node.Script("disarm", bed.Behaviour{})
}

// leased starts the example node that itself follows the lease.
func leased(t *testing.T, name, coordinator string, args ...string) *bed.Process {
	t.Helper()
	return bed.StartCommand(t, "leased node", bed.Command{
		Args: append([]string{"python3", "-B", filepath.Join(inPackage, "examples", "leased_node.py"),
			"--ros-args", "-r", "__node:=" + strings.TrimPrefix(name, "/"), "-p", "coordinator:=" + coordinator}, args...),
		Env: modules(t),
	})
}

func TestA6LeasedNodeDisarmsByItself(t *testing.T) {
	for name, gone := range map[string]func(*bed.Process){
		"killed": (*bed.Process).Kill,
		"frozen": (*bed.Process).Freeze,
	} {
		t.Run(name, func(t *testing.T) {
			a := newAlone(t, "/"+bed.Unique(t, "driver"), "{dead_man: lease}")
			node := leased(t, a.driver, a.name)
			a.intact("unconfigured")
			a.do("armed", "armed")
			says(t, node, "armed")
			if strings.Contains(node.Log(), "its lease has ended") {
				t.Fatalf("the node's lease ended before the test did anything:\n%s", node.Log())
			}
			gone(a.daemon)
			says(t, node, "disarmed: its lease has ended")
		})
	}
}

// spoken is a lease that the test itself publishes, for a leased node without a daemon.
type spoken struct {
	t         *testing.T
	host      *bed.Host
	name      string
	node      *bed.Process
	leases    *bed.Publisher
	term, seq uint64
	proved    int64
	at        time.Time // when it spoke last
}

// valid is how long a proof is valid: much longer than a busy machine delays a process.
const valid = 3 * time.Second

func newSpoken(t *testing.T, f follower) *spoken {
	t.Helper()
	s := &spoken{t: t, host: bed.StartHost(t), name: "/" + bed.Unique(t, "driver"), term: 1}
	coordinator := "/" + bed.Unique(t, "rstate")
	s.leases = s.host.Advertise(bed.Topic{Kind: "rstate_msgs/msg/ArmLease", Name: coordinator + "/arm_lease",
		BestEffort: true, Depth: 1})
	s.node = f.start(t, s.name, coordinator)
	for _, step := range []string{"configure", "activate"} {
		if ok, err := s.host.ChangeState(s.name, step, bed.Deadline); !ok || err != nil {
			t.Fatalf("%s: %v, %v", step, ok, err)
		}
	}
	bed.Eventually(t, "the lease is matched", func() (string, bool) { return "", s.leases.Subscribers() == 1 })
	return s
}

// paced speaks no more often than a daemon does: receivers count on that.
func (s *spoken) paced(speak func(*spoken)) {
	if time.Since(s.at) >= lease.Every {
		s.at = time.Now()
		speak(s)
	}
}

// renew publishes a message with new proof, and speak repeats the last message.
func (s *spoken) renew() {
	s.seq++
	s.proved = time.Now().UnixNano() // any clock will do, if it is always the same
	s.speak()
}

func (s *spoken) speak() {
	s.leases.Publish(map[string]any{"instance_id": "the test", "term": s.term, "seq": s.seq, "proved_ns": s.proved,
		"valid_ns": int64(valid)})
}

// arms asks the node to arm while the lease is renewed, and returns its answer.
func (s *spoken) arms() (success bool, message string) {
	s.t.Helper()
	return s.asks(func() { s.paced((*spoken).renew) })
}

// asks asks the node to arm, does something until it answers, and returns its answer.
func (s *spoken) asks(meanwhile func()) (success bool, message string) {
	s.t.Helper()
	var answer struct {
		Success bool
		Message string
	}
	answered := make(chan error, 1)
	go func() {
		answered <- s.host.Call("std_srvs/srv/SetBool", s.name+"/arm", map[string]any{"data": true}, bed.Deadline,
			&answer)
	}()
	bed.Eventually(s.t, "the node answers", func() (string, bool) {
		meanwhile()
		select {
		case err := <-answered:
			if err != nil {
				s.t.Fatal(err)
			}
			return "", true
		default:
			return "", false
		}
	})
	return answer.Success, answer.Message
}

// armed arms the node. It is asked again if no message of the lease has come within a second of the request.
func (s *spoken) armed(what string) {
	s.t.Helper()
	bed.Eventually(s.t, what, func() (string, bool) {
		ok, message := s.arms()
		return message, ok
	})
}

// TestA6LeasedNodeIsNotHeldByLateWords: messages that come late do not keep a node armed.
func TestA6LeasedNodeIsNotHeldByLateWords(t *testing.T) {
	isNotHeld(t, map[string]func(*spoken){"late": func(s *spoken) { s.seq++; s.proved++; s.speak() }})
}

// TestA6LeasedNodeIsNotHeldByOldWords: repeated messages and those of old proofs and terms do not keep a node armed.
func TestA6LeasedNodeIsNotHeldByOldWords(t *testing.T) {
	isNotHeld(t, map[string]func(*spoken){
		"doubled":         (*spoken).speak,
		"on an old proof": func(s *spoken) { s.seq++; s.speak() },
		"of a term before": func(s *spoken) {
			s.term--
			s.renew()
			s.term++
		},
	})
}

// isNotHeld checks that no word keeps a node armed, and that a term that has expired never arms it again.
func isNotHeld(t *testing.T, words map[string]func(*spoken)) {
	for name, word := range words {
		t.Run(name, func(t *testing.T) {
			s := newSpoken(t, followers[0])
			s.armed("the node is armed")
			bed.Eventually(t, "the node disarms", func() (string, bool) {
				s.paced(word)
				return s.node.Log(), strings.Contains(s.node.Log(), "disarmed: its lease has ended")
			})
			if ok, message := s.arms(); ok || message != "no arm lease holds" {
				t.Errorf("an expired term arms the node: %v, %s", ok, message)
			}
			s.term++
			s.armed("a new term arms the node")
		})
	}
}

// TestA6LeasedNodeIsNotArmedWithoutALease: neither the call alone nor the lease alone arms the
// node.
func TestA6LeasedNodeIsNotArmedWithoutALease(t *testing.T) {
	s := newSpoken(t, followers[0])
	if ok, message := s.asks(func() {}); ok {
		t.Errorf("the node arms without a lease: %s", message)
	}
	s.renew()
	if _, err := s.host.ChangeState(s.name, "deactivate", bed.Deadline); err != nil {
		t.Fatal(err)
	}
	if ok, message := s.arms(); ok || message != "not active" {
		t.Errorf("the node arms while inactive: %v, %s", ok, message)
	}
	if strings.Contains(s.node.Log(), ": armed") {
		t.Errorf("the node was armed:\n%s", s.node.Log())
	}
}
