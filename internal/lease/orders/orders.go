// Package orders makes every order in which a few messages of a lease can arrive on a small clock: each one lost, late,
// or doubled, of two terms, and with a second source or without. Tests of the lease in all languages go through them.
// It imports lease alone.
package orders

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/lease"
)

const (
	// Tick is the unit of the clock. A message is sent at each tick, and its proof is as old as nothing.
	Tick = lease.Every
	// Valid is how long a proof is good.
	Valid = 250 * time.Millisecond
	// Offset is the distance of the clocks of a receiver and the first source.
	Offset = time.Hour
	// Base is the first moment of the first source's clock.
	Base = time.Second
	// Late is the greatest delay, in ticks.
	Late = 3
)

// Arrival is a message that arrives.
type Arrival struct {
	At      time.Duration // by the receiver's clock
	Delay   time.Duration
	Message lease.Message
}

// fates are what can become of a message: the delays with which it arrives, in ticks.
var fates = func() (all [][]int) {
	all = append(all, nil) // lost
	for d := range Late + 1 {
		all = append(all, []int{d})
		for e := range Late + 1 - d {
			all = append(all, []int{d, d + e}) // doubled
		}
	}
	return all
}()

// sent is what the sources say, in two plans. The second source's clock is a second behind.
var sent = [][]lease.Message{
	{a(1, 1, 0), a(1, 2, 1), a(2, 1, 2), a(2, 2, 3)},
	{a(1, 1, 0), a(1, 2, 1), b(1, 1, 0), b(1, 2, 2)},
}

func a(term, seq uint64, tick int) lease.Message {
	return lease.Message{Instance: "a", Term: term, Seq: seq, Proved: Base + time.Duration(tick)*Tick, Valid: Valid}
}

func b(term, seq uint64, tick int) lease.Message {
	return lease.Message{Instance: "b", Term: term, Seq: seq, Proved: 2*Base + time.Duration(tick)*Tick, Valid: Valid}
}

// Sent is when a message left, by the receiver's clock.
func Sent(m lease.Message) time.Duration {
	if m.Instance == "b" {
		return m.Proved - 2*Base + Offset
	}
	return m.Proved - Base + Offset
}

// End is when nothing arrives any more and each lease has run out.
const End = Offset + (3+2*Late)*Tick + Valid

// All yields each order of arrivals, with a name that tells what became of each message.
func All(yield func(name string, list []Arrival) bool) {
	for plan, messages := range sent {
		picks := make([]int, len(messages))
		for {
			for _, last := range []bool{false, true} {
				if !yield(name(plan, picks, last), arrivals(messages, picks, last)) {
					return
				}
			}
			k := 0
			for ; k < len(picks); k++ {
				if picks[k]++; picks[k] < len(fates) {
					break
				}
				picks[k] = 0
			}
			if k == len(picks) {
				break
			}
		}
	}
}

func name(plan int, picks []int, last bool) string {
	var text strings.Builder
	fmt.Fprintf(&text, "plan %d", plan)
	for _, p := range picks {
		fmt.Fprintf(&text, " %v", fates[p])
	}
	if last {
		text.WriteString(" later ones first")
	}
	return text.String()
}

// arrivals sorts what arrives. Of what arrives at one moment the message that was sent first is the first, or the last.
func arrivals(messages []lease.Message, picks []int, last bool) (list []Arrival) {
	for k, m := range messages {
		for _, d := range fates[picks[k]] {
			delay := time.Duration(d) * Tick
			list = append(list, Arrival{Sent(m) + delay, delay, m})
		}
	}
	if last {
		slices.Reverse(list)
	}
	slices.SortStableFunc(list, func(x, y Arrival) int { return int(x.At - y.At) })
	return list
}
