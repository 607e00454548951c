//go:build ros

package ros

import (
	"errors"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// Tools for lifecycle nodes only, such as launch, send a transition's id without a label. An id
// that is not legal in the current state is refused and changes nothing.
func TestDrivenByIDAlone(t *testing.T) {
	t.Parallel()
	const configure, cleanup, activate, deactivate, shutdownUnconfigured, shutdownInactive = 1, 2, 3, 4, 5, 6
	s := newStand(t, setup{})
	for _, c := range []struct {
		state   string
		refused []int
		taken   int
	}{
		{"unconfigured", []int{cleanup, activate, deactivate, 0, 10, 99}, configure},
		{"inactive", []int{configure, deactivate, 60}, activate},
		{"active", []int{configure, cleanup, activate, 41}, deactivate},
		{"inactive", nil, cleanup},
		{"unconfigured", nil, configure},
		{"inactive", nil, shutdownInactive},
	} {
		s.Intact(c.state)
		before := 0
		for _, n := range s.nodes {
			before += len(n.Truth().Calls)
		}
		ask := func(id int) bool {
			var answer struct{ Success bool }
			request := map[string]any{"transition": map[string]any{"id": id}}
			if err := s.host.Call("lifecycle_msgs/srv/ChangeState", s.Name+"/change_state", request, bed.Deadline,
				&answer); err != nil {
				t.Fatal(err)
			}
			return answer.Success
		}
		for _, id := range c.refused {
			if ask(id) {
				t.Errorf("id %d was accepted in %s", id, c.state)
			}
		}
		after := 0
		for _, n := range s.nodes {
			after += len(n.Truth().Calls)
		}
		if before != after {
			t.Errorf("in %s a refused transition reached the nodes", c.state)
		}
		if !ask(c.taken) {
			t.Errorf("id %d was refused in %s", c.taken, c.state)
		}
	}
	s.wantWhere(s.all("finalized"))
	if code := s.Process.Wait(t); code != 0 {
		t.Errorf("the daemon ended with %d", code)
	}
}

// change_state by a tool while a goal runs: a transition that would have to wait is refused at
// once, shutdown is accepted.
func TestAToolBesideAGoal(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{scripts: map[string]map[string][]bed.Behaviour{"middle": {"configure": frozen()}}})
	g := s.Goal("configure")
	s.busy("middle", "configure")
	for _, label := range []string{"configure", "activate", "nonsense"} {
		if ok, err := s.host.ChangeState(s.Name, label, bed.Deadline); err != nil || ok {
			t.Errorf("%s: got %v, %v", label, ok, err)
		}
	}
	answered := make(chan error, 1)
	go func() {
		ok, err := s.host.ChangeState(s.Name, "shutdown", bed.Deadline)
		if err == nil && !ok {
			err = errors.New("it was refused")
		}
		answered <- err
	}()
	if r := s.End(g); !strings.HasPrefix(r.String(), "aborted preempted") || !strings.Contains(r.Message, "shutdown") {
		t.Errorf("the goal ended %s: %s", r, r.Message)
	}
	s.nodes["middle"].Thaw()
	if err := <-answered; err != nil {
		t.Errorf("shutdown: %v", err)
	}
	s.wantWhere(s.all("finalized"))
}

// A parent rstate that manages this network as one of its nodes.
func TestAParentRstate(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{})
	parent := daemon.Start(t, s.host, daemon.Config{
		Binary: binary, Name: s.space + "/parent",
		Network: patient + "proof: 10s\nnodes:\n  " + s.Name + ": {arm: {}, deadline: {arm: 20s, disarm: 20s}}\n",
	})
	parent.Intact("unconfigured")
	parent.Do("active", "succeeded done active")
	s.wantWhere(s.all("active"))
	part := func(name string, run func(s *stand, parent *daemon.Daemon)) {
		t.Run(name, func(t *testing.T) { run(s.in(t), parent.In(t)) })
	}
	deviates := func(parent *daemon.Daemon, s *stand, words ...string) {
		s.t.Helper()
		parent.Await("the parent shows that its node deviates", func(v daemon.View) bool {
			return v.State.Label == "active" && v.Settled && !v.Intact && daemon.HasAll(v.Deviation(s.Name), words...)
		})
	}
	part("drift of the child is shown by the parent, and repaired from there", func(s *stand, parent *daemon.Daemon) {
		s.tool("middle", "deactivate")
		deviates(parent, s, "inactive")
		parent.Do("activate", "succeeded done active")
		s.wantWhere(s.all("active"))
		parent.Intact("active")
		s.Intact("active")
	})
	part("arming goes through ~/arm", func(s *stand, parent *daemon.Daemon) {
		parent.Do("arm", "succeeded done armed")
		s.Intact("armed")
		s.wantWhere("active active active+armed")
		parent.Do("disarm", "succeeded done active")
		s.Intact("active")
		s.wantWhere(s.all("active"))
	})
	part("a refusal of the child to arm is one of the parent", func(s *stand, parent *daemon.Daemon) {
		s.script("rear", "arm", then(bed.Behaviour{Result: bed.Failure})...)
		r := parent.Do("arm", "aborted restored active")
		// The child answers no and announces error processing; either may reach the parent first.
		if n := r.Node(s.Name); n.Step != "arm" || (n.Verdict != "refused" && n.Verdict != "errored") {
			s.t.Errorf("the parent's result for its node is %+v", n)
		}
		s.wantWhere(s.all("active"))
		parent.Intact("active")
	})
	part("drift of the child while armed disarms both", func(s *stand, parent *daemon.Daemon) {
		parent.Do("arm", "succeeded done armed")
		s.tool("front", "deactivate")
		s.awaitWhere("inactive active active")
		deviates(parent, s, "inactive")
		parent.Do("active", "succeeded done active")
		s.wantWhere(s.all("active"))
		parent.Intact("active")
	})
	part("a failure of the child is one of the parent", func(s *stand, parent *daemon.Daemon) {
		parent.Do("inactive", "succeeded done inactive")
		s.script("middle", "activate", then(bed.Behaviour{Result: bed.Failure})...)
		r := parent.Do("activate", "aborted restored inactive")
		if n := r.Node(s.Name); n.Step != "activate" || (n.Verdict != "refused" && n.Verdict != "errored") {
			s.t.Errorf("the parent's result for its node is %+v", n)
		}
		s.wantWhere(s.all("inactive"))
		parent.Intact("inactive")
		parent.Do("activate", "succeeded done active")
		parent.Intact("active")
	})
	part("shutdown", func(s *stand, parent *daemon.Daemon) {
		parent.Do("arm", "succeeded done armed")
		parent.Do("shutdown", "succeeded done finalized")
		s.wantWhere(s.all("finalized"))
		for _, d := range []*daemon.Daemon{parent, s.Daemon} {
			if code := d.Process.Wait(s.t); code != 0 {
				s.t.Errorf("%s ended with %d", d.Name, code)
			}
		}
	})
}
