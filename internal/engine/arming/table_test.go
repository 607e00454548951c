package arming

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// in returns a node in a standing that was asked an arm (call 5) after a disarm (call 4), and an answer of a kind to it.
func in(st standing, k kind) (Node, Answer) {
	n := Node{belief: [...]Belief{Disarmed, Disarmed, MayBeArmed, MayBeArmed, IsArmed, IsArmed}[st], duty: st%2 == 1}
	n.asked = asked{call: 5, arm: 5, armOpen: true, open: true, at: time.Second, armAt: time.Second, unanswered: []request{{4, 0}}}
	a := Answer{Call: 5, Arm: true, At: 2 * time.Second, Latest: 9}
	switch k {
	case yesArm:
		a.Yes = true
	case yesArmOvertaken, yesArmOvertakenVoid:
		n.asked.call, a.Yes = 6, true
		if k == yesArmOvertakenVoid {
			n.asked.void = 5
		}
	case yesArmVoid:
		n.asked.void, a.Yes = 5, true
	case noArm:
	case noArmVoid:
		n.asked.void = 5
	case yesDisarmBefore:
		a = Answer{Call: 4, Yes: true}
	case disarmVoid:
		a = Answer{Call: 4}
	case yesDisarm, noDisarm, yesDisarmUnclear: // after the arm, which was answered
		n.asked.call, n.asked.armOpen = 6, false
		n.asked.unanswered = append(n.asked.unanswered, request{6, time.Second})
		a = Answer{Call: 6, Yes: k != noDisarm, Several: k == yesDisarmUnclear}
	}
	return n, a
}

// TestEveryAnswerInEveryStanding prints the whole table: what an answer is taken for, and what is believed after it. A letter
// is a belief (disarmed, maybe, armed), + is the duty to disarm.
func TestEveryAnswerInEveryStanding(t *testing.T) {
	want := map[string]string{
		"yes to arm":                     "d distrusted m, d+ distrusted m+, m armed a, m+ repeated m+, a armed a, a+ repeated a+",
		"yes to arm, overtaken":          "d distrusted m, d+ distrusted m+, m distrusted m, m+ repeated m+, a distrusted m, a+ repeated a+",
		"yes to arm, overtaken and void": "d distrusted m, d+ distrusted m+, m distrusted m, m+ heard m+, a distrusted m, a+ heard a+",
		"yes to arm, void":               "d distrusted m, d+ distrusted m+, m heard m, m+ heard m+, a heard a, a+ heard a+",
		"no to arm":                      "d refused arm d, d+ heard d+, m refused arm m, m+ heard m+, a refused arm a, a+ heard a+",
		"no to arm, void":                "d heard d, d+ heard d+, m heard m, m+ heard m+, a heard a, a+ heard a+",
		"yes to disarm":                  "d confirmed d, d+ confirmed d, m confirmed d, m+ confirmed d, a confirmed d, a+ confirmed d",
		"yes to disarm, unclear":         "d heard d, d+ heard d+, m heard m, m+ heard m+, a heard a, a+ heard a+",
		"yes to disarm from before":      "d heard d, d+ heard d+, m heard m, m+ heard m+, a doubted m, a+ doubted m+",
		"no to disarm":                   "d refused d, d+ refused d+, m refused m, m+ refused m+, a refused a, a+ refused a+",
		"disarm, void":                   "d heard d, d+ heard d+, m heard m, m+ heard m+, a heard a, a+ heard a+",
	}
	for k := range kinds {
		var row []string
		for st := range standings {
			n, a := in(st, k)
			before := letter(&n)
			if got := (func() kind { c := n; return c.kindOf(a, c.settle(a.Call)) })(); got != k {
				t.Fatalf("%s in %s is taken for %s", kindNames[k], standingNames[st], kindNames[got])
			}
			n, a = in(st, k)
			row = append(row, fmt.Sprintf("%s %v %s", before, n.Answered(a), letter(&n)))
		}
		if got := strings.Join(row, ", "); got != want[kindNames[k]] {
			t.Errorf("%s:\n got  %s\n want %s", kindNames[k], got, want[kindNames[k]])
		}
	}
}

func letter(n *Node) string {
	s := map[Belief]string{Disarmed: "d", MayBeArmed: "m", IsArmed: "a"}[n.Belief()]
	if n.Duty() {
		s += "+"
	}
	return s
}

// TestStories drives a node by requests and answers alone.
func TestStories(t *testing.T) {
	const ms = time.Millisecond
	arm := func(call uint64, at time.Duration) func(*Node) string {
		return func(n *Node) string { n.ArmSent(call, at); return "" }
	}
	disarm := func(call uint64, at time.Duration) func(*Node) string {
		return func(n *Node) string { n.Demand(at); n.DisarmSent(call, at); return "" }
	}
	yes := func(call uint64, arm bool) func(*Node) string {
		return func(n *Node) string { return n.Answered(Answer{Call: call, Arm: arm, Yes: true}).String() }
	}
	no := func(call uint64, arm bool) func(*Node) string {
		return func(n *Node) string { return n.Answered(Answer{Call: call, Arm: arm, Words: "busy"}).String() }
	}
	for _, c := range []struct {
		name string
		does []func(*Node) string
		said string
		ends string
	}{
		{"armed and disarmed", []func(*Node) string{arm(1, 0), yes(1, true), disarm(2, ms), yes(2, false)}, "armed confirmed", "d"},
		{"a node that was known to be disarmed and refuses to arm is", []func(*Node) string{arm(1, 0), no(1, true)}, "refused arm", "d"},
		{"a node that refuses to disarm and then to arm may be armed", []func(*Node) string{
			arm(1, 0), yes(1, true), disarm(2, ms), no(2, false), func(n *Node) string { n.TurnBack(); return "" }, arm(3, 2*ms), no(3, true),
		}, "armed refused refused arm", "m"},
		{"a disarm that may have overtaken the arm confirms nothing", []func(*Node) string{arm(1, 0), disarm(2, ms), yes(2, false)}, "heard", "m+"},
		{"one that went out a second after the arm does", []func(*Node) string{arm(1, 0), disarm(2, ms), disarm(3, Every), yes(3, false)}, "confirmed", "d"},
		{"the arm is answered after its disarm: asked once more", []func(*Node) string{arm(1, 0), disarm(2, ms), yes(1, true)}, "repeated", "m+"},
		{"a disarm of before is done after the arm", []func(*Node) string{disarm(1, 0), arm(2, ms), yes(2, true), yes(1, false)}, "armed doubted", "m"},
		{"it is answered twice: the second says nothing", []func(*Node) string{disarm(1, 0), yes(1, false), arm(2, ms), yes(2, true), yes(1, false)}, "confirmed armed heard", "a"},
		{"an answer to a call that was never made", []func(*Node) string{arm(1, 0), yes(7, false)}, "stale", "m"},
		{"after a stall an arm from before it is no confirmation", []func(*Node) string{
			arm(1, 0), func(n *Node) string { n.Appear(1); return "" }, disarm(2, ms), yes(2, false),
		}, "heard", "m+"},
		{"an arm that was not sent was never asked", []func(*Node) string{
			disarm(1, 0), yes(1, false), arm(2, ms), func(n *Node) string { return fmt.Sprint(n.Unsent(2), n.Unsent(2)) },
		}, "confirmed true false", "d"},
		{"what left the graph without a lease may be armed", []func(*Node) string{arm(1, 0), func(n *Node) string { n.Abandon(); return fmt.Sprint(n.Left(), n.Open()) }}, "true false", "m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := New()
			var said []string
			for _, do := range c.does {
				if s := do(&n); s != "" {
					said = append(said, s)
				}
			}
			if got := strings.Join(said, " "); got != c.said || letter(&n) != c.ends {
				t.Errorf("said %q and ends %s, want %q and %s", got, letter(&n), c.said, c.ends)
			}
		})
	}
}

// TestAgeReachesWhatAnUnsentArmReturnsTo: the time of a late loop counts for all that was noted, and for nothing that was not.
func TestAgeReachesWhatAnUnsentArmReturnsTo(t *testing.T) {
	n := New()
	n.DisarmSent(1, 5*time.Second)
	n.ArmSent(2, 6*time.Second)
	n.Age(time.Second)
	at, ok := n.LastOpenDisarm()
	if n.Sent() != 5*time.Second || n.ArmSentAt() != 5*time.Second || n.Vouched() != 0 || !ok || at != 4*time.Second {
		t.Errorf("sent %v, armed %v, vouched %v, open disarm %v %v", n.Sent(), n.ArmSentAt(), n.Vouched(), at, ok)
	}
	n.Unsent(2)
	if at, _ := n.LastOpenDisarm(); n.Sent() != 4*time.Second || at != 4*time.Second {
		t.Errorf("before the arm: sent %v, open disarm %v", n.Sent(), at)
	}
}

func TestTurnBack(t *testing.T) {
	for _, c := range []struct {
		belief Belief
		duty   bool
		want   Belief
	}{{IsArmed, true, MayBeArmed}, {IsArmed, false, IsArmed}, {MayBeArmed, true, MayBeArmed}, {Disarmed, true, Disarmed}} {
		n := Node{belief: c.belief, duty: c.duty, refused: "no"}
		n.TurnBack()
		if n.Belief() != c.want || n.Duty() || n.Refused() != "" {
			t.Errorf("%v with duty %v: %v, duty %v, refused %q; want %v", c.belief, c.duty, n.Belief(), n.Duty(), n.Refused(), c.want)
		}
	}
}

// The node keeps the newest disarms without an answer, and no more of them than kept.
func TestUnansweredDisarms(t *testing.T) {
	var n Node
	if at, ok := n.LastOpenDisarm(); ok || at != 0 {
		t.Errorf("before the first disarm one is open, of %v", at)
	}
	for call := range uint64(kept + 2) {
		n.DisarmSent(call+1, time.Duration(call+1)*time.Second)
		if at, ok := n.LastOpenDisarm(); !ok || at != time.Duration(call+1)*time.Second {
			t.Errorf("after disarm %d the newest open one is of %v (%v)", call+1, at, ok)
		}
		if got, want := len(n.asked.unanswered), min(int(call)+1, kept); got != want {
			t.Errorf("after disarm %d the node keeps %d, want %d", call+1, got, want)
		}
	}
	if first := n.asked.unanswered[0].call; first != 3 {
		t.Errorf("the oldest one that is kept is %d, want 3", first)
	}
}

// An answer to a request that was never sent is stale. The answer to the newest request ends its being open.
func TestAnswersAndRequests(t *testing.T) {
	var n Node
	n.DisarmSent(4, time.Second)
	if o := n.Answered(Answer{Call: 5, Yes: true}); o != Stale || !n.Open() {
		t.Errorf("the answer to a request that was not sent: %v, open: %v", o, n.Open())
	}
	n.DisarmSent(6, 2*time.Second)
	if n.Answered(Answer{Call: 4, Yes: true}); !n.Open() {
		t.Error("the answer to an older request ends the newest one")
	}
	if o := n.Answered(Answer{Call: 6, Yes: true}); o != Confirmed || n.Open() {
		t.Errorf("the answer to the newest request: %v, open: %v", o, n.Open())
	}
}

func TestRefusal(t *testing.T) {
	for words, want := range map[string]string{"": "answered no", "too hot": "answered no: too hot"} {
		if got := Refusal(words); got != want {
			t.Errorf("%q reads as %q, want %q", words, got, want)
		}
	}
}
