//go:build ros

package ros

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// server is a process that serves an arming service, in a node of its own.
type server struct {
	*bed.Process
	armed func() bool // in its own words
}

// servers are the languages of such a process. A lease names the topic of the arm lease that a Go node follows.
var servers = map[string]func(t *testing.T, name, service, lease string) server{
	"python": func(t *testing.T, name, service, _ string) server {
		host := bed.NewHost(t)
		node := host.Node(bed.NodeSpec{Name: name, Plain: true, Arm: service, Threads: 2})
		return server{host.Process(), func() bool { return node.Truth().Armed }}
	},
	"go": func(t *testing.T, name, service, lease string) server {
		p := bed.Start(t, "server", binary, "node", name, "--plain", "--arm-service", service, "--lease", lease)
		return server{p, func() bool {
			log := p.Log()
			return strings.Contains(log, "armed") && strings.LastIndex(log, "armed") != strings.LastIndex(log, "disarmed")+3
		}}
	},
}

// servedRig is a network whose driver is armed by a service that the servers of a test serve.
type servedRig struct {
	*daemon.Daemon
	t                      *testing.T
	driver                 *bed.Node
	host                   *bed.Host
	name, service, manager string
}

func newServedRig(t *testing.T, servedBy bool, arm string) *servedRig {
	t.Helper()
	t.Parallel()
	r := &servedRig{t: t, host: bed.NewHost(t), name: "/" + bed.Unique(t, "rstate"), manager: "/" + bed.Unique(t, "manager")}
	spec := bed.NodeSpec{Name: "/" + bed.Unique(t, "driver"), Threads: 2}
	r.service = spec.Name + "/arm"
	if !servedBy {
		spec.Arm = r.service
	} else {
		arm += ", served_by: " + r.manager
	}
	r.driver = r.host.Node(spec)
	r.Daemon = daemon.Start(t, bed.StartHost(t), daemon.Config{Binary: binary, Name: r.name, Network: patient +
		fmt.Sprintf("last_resort: hold\nproof: 10s\nnodes:\n  %s: {arm: {%s}, deadline: {disarm: 1s}}\n", spec.Name, arm)})
	return r
}

// serve starts a process that serves the service of the driver.
func (r *servedRig) serve(language, name string) server {
	r.t.Helper()
	return servers[language](r.t, name, r.service, r.name+"/arm_lease")
}

// seen waits until the daemon sees what readiness says then.
func (r *servedRig) readiness(word string, reasons ...string) {
	r.t.Helper()
	r.Await("readiness is "+word, func(v daemon.View) bool { return v.Readiness == word && daemon.HasAll(v.Against(), reasons...) })
}

// mayBeArmed waits until the driver is shown as one that may be armed, or not.
func (r *servedRig) mayBeArmed(may bool, label string) daemon.View {
	r.t.Helper()
	return r.Await(fmt.Sprintf("may be armed: %v, in %s", may, label), func(v daemon.View) bool {
		return v.State.Label == label && v.Settled && slices.Contains(v.MayBeArmed, r.driver.Name) == may
	})
}

// TestA1TwoProcessesServeAnArm: Arm names both, and works when one has been killed, although the graph still shows it.
// A second one that comes while the network is armed disarms it, and the node may be armed until one is left.
func TestA1TwoProcessesServeAnArm(t *testing.T) {
	for language := range servers {
		t.Run(language, func(t *testing.T) {
			r := newServedRig(t, false, "dead_man: none")
			r.Do("active", "succeeded done active")
			r.readiness("ready")
			second := r.serve(language, r.manager)
			both := []string{"2 processes serve " + r.service, r.driver.Name, r.manager}
			r.readiness("not ready", both...)
			r.Rejected("arm", both...)
			second.Kill()
			r.readiness("ready")
			r.Do("arm", "succeeded done armed")
			third := r.serve(language, r.manager)
			v := r.mayBeArmed(true, "active")
			if !daemon.HasAll(v.Cause, both...) {
				t.Errorf("the cause does not name both: %s", v.Cause)
			}
			third.Kill()
			r.mayBeArmed(false, "active")
			r.Do("arm", "succeeded done armed")
		})
	}
}

// TestA1NothingServesAnArm: that is the reason, by name, and so is another server than the file names.
func TestA1NothingServesAnArm(t *testing.T) {
	r := newServedRig(t, true, "dead_man: none")
	r.Do("active", "succeeded done active")
	r.readiness("not ready", "nothing serves "+r.service, "start "+r.manager)
	other := r.serve("python", "/"+bed.Unique(t, "other"))
	r.readiness("not ready", r.service+" is served by /other", "not by "+r.manager)
	other.Kill()
	r.serve("python", r.manager)
	r.readiness("ready") // its process has confirmed a disarm
	r.Do("arm", "succeeded done armed")
}

// TestS4TheServerOfAnArmDies: that disarms at once, and says why. Its next process has to confirm.
func TestS4TheServerOfAnArmDies(t *testing.T) {
	for language := range servers {
		t.Run(language, func(t *testing.T) {
			r := newServedRig(t, true, "dead_man: none")
			r.Do("active", "succeeded done active")
			first := r.serve(language, r.manager)
			r.readiness("ready")
			r.Do("arm", "succeeded done armed")
			if !first.armed() {
				t.Error("the server is not armed")
			}
			first.Kill()
			v := r.mayBeArmed(true, "active")
			if !daemon.HasAll(v.Cause, r.manager, "its process has ended") {
				t.Errorf("the cause does not say what has ended: %s", v.Cause)
			}
			r.Rejected("arm", "not known to be disarmed", r.driver.Name)
			r.serve(language, r.manager)
			r.mayBeArmed(false, "active")
			r.Do("arm", "succeeded done armed")
		})
	}
}

// TestA3TheServerOfAnArmHangs: a disarm that it does not confirm fails. The node is not taken down for it: that would prove
// nothing.
func TestA3TheServerOfAnArmHangs(t *testing.T) {
	for language := range servers {
		t.Run(language, func(t *testing.T) {
			r := newServedRig(t, true, "dead_man: none")
			r.Do("active", "succeeded done active")
			s := r.serve(language, r.manager)
			r.readiness("ready")
			r.Do("arm", "succeeded done armed")
			s.Freeze()
			t.Cleanup(s.Thaw)
			said := r.End(r.Goal("disarm"))
			if said.Ended != "aborted" || !strings.Contains(said.Message, r.driver.Name) {
				t.Errorf("the disarm ended %s", said)
			}
			r.mayBeArmed(true, "active")
			if state, err := r.host.GetState(r.driver.Name, bed.Deadline); err != nil || state != "active" {
				t.Errorf("the driver is %s (%v)", state, err)
			}
			s.Thaw()
			r.mayBeArmed(false, "active")
			if s.armed() {
				t.Error("the server is armed")
			}
		})
	}
}
