//go:build ros

package ros

import (
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// five is a network of five nodes that a lifecycle manager brings up one after another.
const five = `nodes:
  ~/one: {}
  ~/two: {after: [~/one]}
  ~/three: {after: [~/two]}
  ~/four: {after: [~/three]}
  ~/five: {after: [~/four]}
`

// Each row is a fault that makes managers of lifecycle nodes hang in the field. With rstate the
// goal ends and names the node, no node is left half way, and the next command works.
func TestRivals(t *testing.T) {
	t.Parallel()
	refuses, errs := bed.Behaviour{Result: bed.Failure}, bed.Behaviour{Result: bed.Fault}
	third := func(word string, b ...bed.Behaviour) map[string]map[string][]bed.Behaviour {
		return map[string]map[string][]bed.Behaviour{"three": {word: then(b...)}}
	}
	row := func(name string, run func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t)
		})
	}
	// victim makes a stand whose third node has a process of its own, which the test kills.
	victim := func(t *testing.T, keys string) (*stand, *bed.Process) {
		s := newStand(t, setup{network: keys + five, away: []string{"three"}, ready: "-"})
		host := bed.NewHost(t, bed.ShortLease(t)...)
		s.appear(host, "three", bed.NodeSpec{})
		s.Intact("unconfigured")
		return s, host.Process()
	}
	kill := func(s *stand, p *bed.Process) {
		p.Kill()
		delete(s.nodes, "three")
	}
	missed := func(s *stand) {
		s.t.Helper()
		s.Await("the state names the lost node", func(v daemon.View) bool {
			return v.Settled && !v.Intact && strings.Contains(v.Deviation(s.full("three")), "lost")
		})
	}

	row("a node never appears", func(t *testing.T) {
		s := newStand(t, setup{network: "defaults: {deadline: {discover: 3s}}\n" + five, away: []string{"three"},
			ready: "-"})
		if state, err := s.host.GetState(s.Name, bed.Deadline); err != nil {
			t.Errorf("the daemon's services are missing while it waits: %s %v", state, err)
		}
		s.Settled("unconfigured")
		s.Rejected("active", s.full("three"), "is not there")
		s.wantWhere("unconfigured unconfigured - unconfigured unconfigured")
		s.back("three")
		s.Intact("unconfigured")
		s.Do("active", "succeeded done active")
	})
	row("on_configure fails on the third of five", func(t *testing.T) {
		s := newStand(t, setup{network: five, scripts: third("configure", refuses)})
		r := s.Do("active", "aborted restored unconfigured")
		s.wantNodes(r, map[string]string{"one": "cleanup undone", "two": "cleanup undone",
			"three": "configure refused"})
		s.wantWhere(s.all("unconfigured"))
		s.Do("active", "succeeded done active")
		s.wantWhere(s.all("active"))
	})
	row("on_activate fails on the third", func(t *testing.T) {
		s := newStand(t, setup{network: five, scripts: third("activate", refuses)})
		r := s.Do("active", "aborted restored inactive")
		s.wantNodes(r, map[string]string{"one": "deactivate undone", "two": "deactivate undone",
			"three": "activate refused"})
		s.wantWhere(s.all("inactive"))
		s.Do("active", "succeeded done active")
		s.wantWhere(s.all("active"))
	})
	row("on_activate returns an error on the third", func(t *testing.T) {
		s := newStand(t, setup{network: five, scripts: third("activate", errs)})
		r := s.Do("active", "aborted restored inactive")
		s.wantNodes(r, map[string]string{"three": "activate errored"})
		s.wantWhere(s.all("inactive"))
		s.Do("unconfigured", "succeeded done unconfigured")
		s.Do("active", "succeeded done active")
		s.wantWhere(s.all("active"))
	})
	row("a node is killed, no bonds", func(t *testing.T) {
		s, process := victim(t, "")
		s.bring("active")
		kill(s, process)
		missed(s)
		s.Do("deactivate", "succeeded done inactive") // a dead node does not block lowering
		s.Do("cleanup", "succeeded done unconfigured")
		s.wantWhere("unconfigured unconfigured - unconfigured unconfigured")
		s.back("three")
		s.Intact("unconfigured")
		s.Do("active", "succeeded done active")
	})
	row("a node is killed, bonds", func(t *testing.T) {
		s, process := victim(t, "defaults: {on_loss: error}\n")
		s.bring("active")
		kill(s, process)
		s.Settled("unconfigured")
		s.wantWhere("unconfigured unconfigured - unconfigured unconfigured")
		missed(s)
		s.back("three")
		s.Intact("unconfigured")
		s.Do("active", "succeeded done active")
	})
	row("a node ends cleanly, comes back later", func(t *testing.T) {
		s := newStand(t, setup{network: "defaults: {on_loss: restore}\n" + five})
		s.bring("active")
		s.vanish("three")
		missed(s)
		s.wantWhere("active active - active active")
		s.back("three")
		s.awaitWhere(s.all("active"))
		s.Intact("active")
		s.Do("active", "succeeded already active")
	})
	row("a node dies inside on_activate", func(t *testing.T) {
		s, process := victim(t, "")
		s.bring("inactive")
		s.script("three", "activate", frozen()...)
		g := s.Goal("activate")
		s.busy("three", "activate")
		kill(s, process)
		r := s.End(g)
		if r.String() != "aborted unconfigured unconfigured" || !strings.Contains(r.Message, s.full("three")) {
			t.Errorf("%+v", r)
		}
		s.wantWhere("unconfigured unconfigured - unconfigured unconfigured")
		s.back("three")
		s.Intact("unconfigured")
		s.Do("active", "succeeded done active")
	})
	row("a node hangs in on_configure", func(t *testing.T) {
		network := strings.Replace(five, "~/three: {", "~/three: {deadline: {configure: 500ms, recover: 500ms}, ", 1)
		s := newStand(t, setup{network: "last_resort: hold\n" + network,
			scripts: map[string]map[string][]bed.Behaviour{"three": {"configure": frozen()}}})
		g := s.Goal("active")
		s.busy("three", "configure")
		r := s.End(g)
		if r.String() != "aborted unconfigured unconfigured" {
			t.Errorf("%+v", r)
		}
		s.wantNodes(r, map[string]string{"three": "configure late, no answer to configure"})
		s.wantWhere("unconfigured unconfigured configuring unconfigured unconfigured")
		s.Process.Signal(syscall.SIGINT)
		if code := s.Process.Wait(t); code != 0 {
			t.Errorf("the daemon ended with %d", code)
		}
	})
	row("the manager is killed and restarted", func(t *testing.T) {
		s := newStand(t, setup{network: five, config: daemon.Config{Env: bed.ShortLease(t)}})
		s.bring("active")
		s.restart(true)
		s.Intact("active")
		s.wantWhere(s.all("active"))
		s.Alone()
		s.Do("unconfigured", "succeeded done unconfigured")
		s.Do("active", "succeeded done active")
	})
	row("one node is already active", func(t *testing.T) {
		s := newStand(t, setup{network: patient + five, away: []string{"one", "two", "three", "four", "five"}, ready: "-"})
		first := s.back("one")
		s.host.Ready(first)
		s.tool("one", "configure")
		s.tool("one", "activate")
		for _, name := range []string{"two", "three", "four", "five"} {
			s.back(name)
		}
		s.Intact("unconfigured") // adopted: the node above the rest was lowered
		s.wantWhere(s.all("unconfigured"))
		s.Do("configure", "succeeded done inactive")
		s.tool("two", "activate") // and once more, without the daemon
		s.Await("the state shows the drift",
			func(v daemon.View) bool { return strings.Contains(v.Deviation(s.full("two")), "active") })
		s.Do("inactive", "succeeded done inactive") // a command to the same state repairs it
		s.Do("active", "succeeded done active")
		s.wantWhere(s.all("active"))
	})
}
