//go:build ros

package ros

import (
	"fmt"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// The tests of A6 about nodes and daemons of ae0d1e2e, which knew no message without a lease.

// TestA6AHeaderOfBefore: a node in C++ with the header of ae0d1e2e arms, holds and disarms with this daemon as its docs
// say. The messages without a lease, which it hears before, between and after, change nothing for it.
func TestA6AHeaderOfBefore(t *testing.T) {
	t.Parallel()
	host := bed.NewHost(t)
	name := "/" + bed.Unique(t, "leased")
	c := daemon.Config{Binary: binary, Name: "/" + bed.Unique(t, "rstate"),
		Network: patient + fmt.Sprintf("proof: 3s\nnodes:\n  %s: {arm: {}}\n", name)}
	leases := host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/ArmLease", Name: c.Name + "/arm_lease", BestEffort: true})
	node := inCpp(t, cppNode{name: name, coordinator: c.Name, options: []string{"-I../lease/testdata/ae0d1e2e"}})
	hears := func(count int, what string, held bool) {
		t.Helper()
		heard := len(leases.Messages())
		bed.EventuallyAfter(t, leases.Pause, what, func() (string, bool) {
			found := 0
			for _, m := range leases.Messages()[heard:] {
				var said struct {
					Valid int64 `json:"valid_ns"`
				}
				host.Decode(m.Message, &said)
				if said.Valid > 0 == held {
					found++
				}
			}
			return fmt.Sprint(found), found >= count
		})
	}
	says := func(want string) {
		t.Helper()
		bed.Eventually(t, "it says "+want, func() (string, bool) { return node.Log(), node.Log() == want })
	}
	d := daemon.Start(t, host, c)
	d.Intact("unconfigured")
	hears(2, "no lease is held", false)
	d.Do("armed", "succeeded done armed")
	hears(20, "a lease is held", true)
	says("armed\n")
	d.Do("disarm", "succeeded done active")
	says("armed\ndisarmed: it was told to\n")
	hears(2, "no lease is held again", false)
	d.Do("arm", "succeeded done armed")
	d.Process.Kill()
	says("armed\ndisarmed: it was told to\narmed\ndisarmed: its lease has ended\n")
}

// TestA6ADaemonOfBefore: the lease of a daemon that says nothing while it holds none holds at nodes of today from its
// second message on, ends as ever, and holds again as the next term.
func TestA6ADaemonOfBefore(t *testing.T) {
	for _, f := range followers {
		t.Run(f.language, func(t *testing.T) {
			t.Parallel()
			s := newSpoken(t, f)
			s.renew()
			if ok, message := s.asks(func() {}); ok || !strings.HasPrefix(message, "no arm lease holds") {
				t.Fatalf("the first message arms it: %v, %s", ok, message)
			}
			s.armed("the second message arms it")
			t.Logf("it was armed after %d messages", s.seq)
			bed.Eventually(t, "it disarms", func() (string, bool) {
				return s.node.Log(), strings.Contains(s.node.Log(), f.disarms)
			})
			s.term++
			s.armed("the next term arms it")
		})
	}
}
