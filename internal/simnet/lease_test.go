package simnet

import (
	"testing"
	"time"

	"rstate/internal/lease"
)

// TestA6AnOldProofIsNoTransportTime: a process knows the distance of the clocks by messages without a lease, which name
// the moment of sending. So the age of the first proof that it hears of does not lengthen a lease whose later messages
// waited.
func TestA6AnOldProofIsNoTransportTime(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name   string
		age    time.Duration // of the first proof, when its message left
		waited bool          // and that message was in a queue
	}{
		{"a proof of this moment", 0, false},
		{"an old one", 465 * ms, false},
		{"an old one that waited", 465 * ms, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := worldOf(t, "served_by: /server, dead_man: lease", Options{Seed: 1, Apart: time.Hour})
			w.now = time.Second
			n := w.nodes[0]
			n.serve()
			p := n.servers[0]
			ahead := 20 * time.Minute // the sender's clock
			says := func(seq uint64, sent, age, came time.Duration, waited bool) {
				w.now = came
				p.hold(said{Message: lease.Message{Instance: "a", Term: 1, Seq: seq, Proved: sent - age + ahead,
					Valid: 3 * time.Second}, proved: sent - age, sent: sent, waited: waited})
			}
			says(1, time.Second, c.age, time.Second+ms, c.waited)
			last := time.Second + 100*ms
			says(2, last, 64*ms, last+2*time.Second, true)
			latest := last + 3*time.Second + w.opt.Latency.Max + lease.Window/lease.Drift
			if ends := p.lease.Ends() - p.clock; ends > latest {
				t.Errorf("the lease ends at %v, want %v at the latest", ends, latest)
			}
		})
	}
}
