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

// servers are the languages of such a process, of a node that follows the lease of a coordinator.
var servers = map[string]func(t *testing.T, name, service, coordinator string) server{
	"Python": func(t *testing.T, name, service, _ string) server {
		host := bed.NewHost(t)
		node := host.Node(bed.NodeSpec{Name: name, Plain: true, Arm: service, Threads: 2})
		return server{host.Process(), func() bool { return node.Truth().Armed }}
	},
	"Go": func(t *testing.T, name, service, coordinator string) server {
		p := bed.Start(t, "server", binary, "node", name, "--plain", "--arm-service", service, "--lease",
			coordinator+"/arm_lease")
		return server{p, func() bool {
			log := p.Log()
			return strings.Contains(log, "armed") && strings.LastIndex(log, "armed") != strings.LastIndex(log, "disarmed")+3
		}}
	},
	"C++": func(t *testing.T, name, service, coordinator string) server { // a lifecycle node of no network
		p := inCpp(t, cppNode{name: name, coordinator: coordinator, active: true}, "-r", "~/arm:="+service)
		return server{p, func() bool { return strings.HasSuffix("\n"+p.Log(), "\narmed\n") }}
	},
}

// drivers are the languages of the node that is to be armed, which serves its own arm, or not.
var drivers = map[string]func(t *testing.T, name, coordinator string, serves bool){
	"Python": func(t *testing.T, name, _ string, serves bool) {
		spec := bed.NodeSpec{Name: name, Threads: 2}
		if serves {
			spec.Arm = name + "/arm"
		}
		bed.NewHost(t).Node(spec)
	},
	"Go": func(t *testing.T, name, coordinator string, serves bool) {
		args := []string{binary, "node", name}
		if serves {
			args = append(args, "--arm", "--lease", coordinator+"/arm_lease")
		}
		bed.Start(t, "driver", args...)
	},
	"C++": func(t *testing.T, name, coordinator string, serves bool) {
		arm := "~/arm"
		if !serves {
			arm = "~/spare"
		}
		inCpp(t, cppNode{name: name, coordinator: coordinator}, "-r", "~/arm:="+arm)
	},
}

// servedRig is a network whose driver is armed by a service that the servers of a test serve.
type servedRig struct {
	*daemon.Daemon
	t                              *testing.T
	language                       string
	name, driver, service, manager string
}

func newServedRig(t *testing.T, language string, servedBy bool, arm string) *servedRig {
	t.Helper()
	t.Parallel()
	r := &servedRig{t: t, language: language, name: "/" + bed.Unique(t, "rstate"), driver: "/" + bed.Unique(t, "driver"),
		manager: "/" + bed.Unique(t, "manager")}
	r.service = r.driver + "/arm"
	if servedBy {
		arm += ", served_by: " + r.manager
	}
	drivers[language](t, r.driver, r.name, !servedBy)
	r.Daemon = daemon.Start(t, bed.StartHost(t), daemon.Config{Binary: binary, Name: r.name, Network: patient +
		fmt.Sprintf("last_resort: hold\nproof: 10s\nnodes:\n  %s: {arm: {%s}, deadline: {disarm: 1s}}\n", r.driver, arm)})
	r.Intact("unconfigured")
	return r
}

// serve starts a process that serves the service of the driver.
func (r *servedRig) serve(name string) server {
	r.t.Helper()
	return servers[r.language](r.t, name, r.service, r.name)
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
		return v.State.Label == label && v.Settled && slices.Contains(v.MayBeArmed, r.driver) == may
	})
}

// TestA1TwoProcessesServeAnArm: Arm names both, and works when one has been killed, although the graph still shows it.
// A second one that comes while the network is armed disarms it, and the node may be armed until one is left.
func TestA1TwoProcessesServeAnArm(t *testing.T) {
	for language := range servers {
		t.Run(language, func(t *testing.T) {
			r := newServedRig(t, language, false, "dead_man: none")
			r.Do("active", "succeeded done active")
			r.readiness("ready")
			second := r.serve(r.manager)
			both := []string{"2 processes serve " + r.service, r.driver, r.manager}
			r.readiness("not ready", both...)
			r.Rejected("arm", both...)
			second.Kill()
			r.readiness("ready")
			r.Do("arm", "succeeded done armed")
			third := r.serve(r.manager)
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
	r := newServedRig(t, "Python", true, "dead_man: none")
	r.Do("active", "succeeded done active")
	r.readiness("not ready", "nothing serves "+r.service, "start "+r.manager)
	other := r.serve("/" + bed.Unique(t, "other"))
	r.readiness("not ready", r.service+" is served by /other", "not by "+r.manager)
	other.Kill()
	r.serve(r.manager)
	r.readiness("ready") // its process has confirmed a disarm
	r.Do("arm", "succeeded done armed")
}

// TestS4TheServerOfAnArmDies: that disarms at once, and says why. Its next process has to confirm.
func TestS4TheServerOfAnArmDies(t *testing.T) {
	for language := range servers {
		t.Run(language, func(t *testing.T) {
			r := newServedRig(t, language, true, "dead_man: none")
			r.Do("active", "succeeded done active")
			first := r.serve(r.manager)
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
			r.Rejected("arm", "not known to be disarmed", r.driver)
			r.serve(r.manager)
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
			r := newServedRig(t, language, true, "dead_man: none")
			r.Do("active", "succeeded done active")
			s := r.serve(r.manager)
			r.readiness("ready")
			r.Do("arm", "succeeded done armed")
			s.Freeze()
			t.Cleanup(s.Thaw)
			said := r.End(r.Goal("disarm"))
			if said.Ended != "aborted" || !strings.Contains(said.Message, r.driver) {
				t.Errorf("the disarm ended %s", said)
			}
			r.mayBeArmed(true, "active")
			if state, err := bed.StartHost(t).GetState(r.driver, bed.Deadline); err != nil || state != "active" {
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
