package orders

import (
	"testing"
	"time"

	"rstate/internal/lease"
)

// TestA6NoStandstillExtendsALease goes through every life of a receiver that stands still, and looks when it does not.
//
//   - Safe: it holds no longer than Proof and one transport time after the newest message that it took was sent. A
//     receiver that may look at each moment stands for one that is armed at any. One that has heard no message without
//     a lease cannot tell an old proof from a slow message: the age of the newest proof that it heard at once comes on top.
//   - Live: one that never stands still holds from the third message of the lease on, from the first if it has heard
//     two messages without one, for as long as the newest proof is good.
func TestA6NoStandstillExtendsALease(t *testing.T) {
	count, held := 0, 0
	for s := range Standing {
		count++
		if lives(t, s) {
			held++
		}
		if t.Failed() {
			return
		}
	}
	if count < 100_000 || held < count/4 {
		t.Errorf("%d lives, and in %d of them a lease held", count, held)
	}
}

func lives(t *testing.T, s Stand) (held bool) {
	var r lease.Receiver
	newest, youngest, leases, idles := time.Duration(0), Proof, 0, 0
	list := s.List
	for now := Offset; now < Offset+(Still+20)*Tick; now += Tick / 5 {
		if now >= s.From && now < s.To {
			continue
		}
		for ; len(list) > 0 && list[0].At <= now; list = list[1:] {
			m := list[0].Message
			r.Take(list[0].At, m)
			waited := list[0].At > s.sent(m)+Jitter
			newest = max(newest, s.sent(m))
			if m.Valid > 0 {
				leases++
			} else {
				idles++
			}
			if !waited {
				youngest = min(youngest, s.sent(m)-Sent(m))
			}
		}
		holds := r.Holds(now)
		held = held || holds
		last := newest + Proof + Jitter + youngest + time.Duration(Still+20)*Tick/lease.Drift
		if holds && now >= last {
			t.Errorf("%s: at %v it holds, and the newest message was sent at %v", s.Name, now-Offset,
				newest-Offset)
			return held
		}
		if s.From != s.To || leases == 0 || leases < 3 && idles < 2 {
			continue
		}
		if good := s.good(leases); !holds && now < good {
			t.Errorf("%s: at %v it does not hold, and the proof is good until %v", s.Name, now-Offset,
				good-Offset)
			return held
		}
	}
	return held
}

// sent is when a message left.
func (s *Stand) sent(m lease.Message) time.Duration {
	for k, o := range s.Said.Messages {
		if o == m {
			return s.Said.Left[k]
		}
	}
	return 0
}

// good is until when the proof of the newest of so many messages of the lease is good.
func (s *Stand) good(leases int) (until time.Duration) {
	for _, m := range s.Said.Messages {
		if m.Valid > 0 && leases > 0 {
			until = Sent(m) + Proof
			leases--
		}
	}
	return until
}
