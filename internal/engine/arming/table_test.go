package arming

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// in returns a node in a standing that was asked an arm (call 5) after a disarm (call 4), and an answer of a kind to
// it.
func in(st standing, k kind) (Node, Answer) {
	n := New(5 * time.Second)
	n.belief = [...]Belief{Disarmed, Disarmed, MayBeArmed, MayBeArmed, IsArmed, IsArmed}[st]
	n.duty, n.clean = st%2 == 1, st < maybe
	n.asked = ledger{
		call: 5, arm: 5, open: true, at: time.Second, armAt: time.Second,
		arms: []request{{5, time.Second}}, unanswered: []request{{4, 0}},
	}
	l := &n.asked
	a := Answer{Call: 5, Arm: true, At: 2 * time.Second, Latest: 9, Granted: true}
	disarmed := func(at time.Duration) { // a disarm went out after the arm
		l.call, l.unanswered = 6, append(l.unanswered, request{6, at})
	}
	switch k {
	case yesArm:
		a.Yes = true
	case yesArmOlder:
		a.Yes, a.Call = true, 3
		l.arms = append([]request{{3, 0}}, l.arms...)
	case yesArmUngranted:
		a.Yes, a.Granted = true, false
	case noArm:
	case noArmLast:
		disarmed(time.Second)
	case noArmOlder:
		l.void = 5
	case yesDisarmBefore:
		a = Answer{Call: 4, Yes: true}
	case disarmVoid:
		a = Answer{Call: 4}
	case yesDisarm, noDisarm, yesDisarmUnclear: // after the arm, which was answered
		disarmed(2 * time.Second)
		l.arms, l.clear = nil, 5
		a = Answer{Call: 6, Yes: k != noDisarm, Several: k == yesDisarmUnclear}
	case yesDisarmFirst:
		disarmed(2 * time.Second)
		a = Answer{Call: 6, Yes: true, At: 3 * time.Second}
	case yesDisarmLater:
		disarmed(8 * time.Second)
		l.first = 3 * time.Second
		a = Answer{Call: 6, Yes: true, At: 9 * time.Second}
	}
	return n, a
}

// TestEveryAnswerInEveryStanding prints the whole table: what an answer is taken for, and what is believed after it. A
// letter is a belief (disarmed, maybe, armed), + is the duty to disarm.
func TestEveryAnswerInEveryStanding(t *testing.T) {
	want := map[string]string{
		"yes to arm":                "d distrusted m, d+ distrusted m+, m armed a, m+ repeated m+, a armed a, a+ repeated a+",
		"yes to an older arm":       "d distrusted m, d+ distrusted m+, m heard m, m+ repeated m+, a heard a, a+ repeated a+",
		"yes to arm, ungranted":     "d distrusted m, d+ distrusted m+, m distrusted m, m+ repeated m+, a distrusted m, a+ repeated a+",
		"no to arm":                 "d refused arm d, d+ heard d+, m refused arm m, m+ heard m+, a refused arm a, a+ heard a+",
		"no to the last arm":        "d heard d, d+ heard d+, m heard m, m+ repeated m+, a heard a, a+ repeated a+",
		"no to an older arm":        "d heard d, d+ heard d+, m heard m, m+ heard m+, a heard a, a+ heard a+",
		"yes to disarm":             "d confirmed d, d+ confirmed d, m confirmed d, m+ confirmed d, a confirmed d, a+ confirmed d",
		"yes to disarm, first":      "d heard d, d+ heard d+, m settles m, m+ settles m+, a settles m, a+ settles m+",
		"yes to disarm, settled":    "d confirmed d, d+ confirmed d, m confirmed d, m+ confirmed d, a confirmed d, a+ confirmed d",
		"yes to disarm, unclear":    "d heard d, d+ heard d+, m heard m, m+ heard m+, a heard a, a+ heard a+",
		"yes to disarm from before": "d heard d, d+ heard d+, m heard m, m+ heard m+, a doubted m, a+ doubted m+",
		"no to disarm":              "d refused d, d+ refused d+, m refused m, m+ refused m+, a refused a, a+ refused a+",
		"disarm, void":              "d heard d, d+ heard d+, m heard m, m+ heard m+, a heard a, a+ heard a+",
	}
	for k := range kinds {
		var row []string
		for st := range standings {
			n, a := in(st, k)
			before := letter(&n)
			if got := kindIn(n, a); got != k {
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

func kindIn(n Node, a Answer) kind {
	n = n.Clone()
	sent, first := n.asked.disarmAnswered(a.Call)
	if a.Arm {
		return n.armKindOf(a, n.asked.armAnswered(a.Call, a.Latest))
	}
	return n.disarmKindOf(a, sent, first)
}

func letter(n *Node) string {
	s := map[Belief]string{Disarmed: "d", MayBeArmed: "m", IsArmed: "a"}[n.Belief()]
	if n.Duty() {
		s += "+"
	}
	return s
}

// TestA3Stories drives a node by requests and answers alone. All calls up to the newest count as sent.
func TestA3Stories(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	latest := uint64(0)
	arm := func(call uint64, at time.Duration) func(*Node) string {
		return func(n *Node) string { latest = call; n.ArmSent(call, at); return "" }
	}
	disarm := func(call uint64, at time.Duration) func(*Node) string {
		return func(n *Node) string { latest = call; n.Demand(at); n.DisarmSent(call, at); return "" }
	}
	answer := func(call uint64, arm, yes, granted bool, at time.Duration) func(*Node) string {
		return func(n *Node) string {
			a := Answer{Call: call, Arm: arm, Yes: yes, Granted: granted, At: at, Latest: latest}
			if !yes {
				a.Words = "busy"
			}
			return n.Answered(a).String()
		}
	}
	armed := func(call uint64) func(*Node) string { return answer(call, true, true, true, 0) }
	late := func(call uint64) func(*Node) string { return answer(call, true, true, false, 0) }
	noArm := func(call uint64) func(*Node) string { return answer(call, true, false, true, 0) }
	yes := func(call uint64, at time.Duration) func(*Node) string { return answer(call, false, true, false, at) }
	noDisarm := func(call uint64) func(*Node) string { return answer(call, false, false, false, 0) }
	does := func(list ...func(*Node) string) []func(*Node) string { return list }
	for _, c := range []struct {
		name string
		does []func(*Node) string
		said string
		ends string
	}{
		{"armed and disarmed", does(arm(1, 0), armed(1), disarm(2, ms), yes(2, 2*ms)), "armed confirmed", "d"},
		{"known to be disarmed, it refuses its only arm", does(arm(1, 0), noArm(1)), "refused arm", "d"},
		{
			"it refuses to disarm and then to arm", does(
				arm(1, 0), armed(1), disarm(2, ms), noDisarm(2), func(n *Node) string { n.TurnBack(); return "" },
				arm(3, 2*ms), noArm(3),
			), "armed refused refused arm", "m",
		},
		{"a disarm beside an open arm does not prove it", does(arm(1, 0), disarm(2, ms), yes(2, 2*ms)), "settles",
			"m+"},
		{
			"nor does a second one before it has settled", does(
				arm(1, 0), disarm(2, ms), yes(2, 2*ms), disarm(3, 4*s), yes(3, 4*s),
			), "settles heard", "m+",
		},
		{
			"a second one after that does", does(
				arm(1, 0), disarm(2, ms), yes(2, 2*ms), disarm(3, 6*s), yes(3, 6*s),
			), "settles confirmed", "d",
		},
		{
			"V12: the answer to the first arm was lost, and the arm takes effect after the disarm", does(
				arm(1, 0), disarm(2, 2*s), yes(2, 2*s), disarm(3, 8*s), yes(3, 8*s), late(1),
			), "settles confirmed distrusted", "m",
		},
		{"the arm is answered after its disarm: asked once more", does(arm(1, 0), disarm(2, ms), late(1)), "repeated",
			"m+"},
		{"and that later one proves it", does(arm(1, 0), disarm(2, ms), late(1), disarm(3, 2*ms), yes(2, ms),
			yes(3, 3*ms)), "repeated heard confirmed", "d"},
		{"so it is after a no", does(arm(1, 0), disarm(2, ms), noArm(1)), "repeated", "m+"},
		{"a yes that settles is taken back by a late yes", does(arm(1, 0), disarm(2, ms), yes(2, ms), late(1)),
			"settles repeated", "m+"},
		{
			"V2: the first arm completes while the second is open, which is refused", does(
				arm(1, 0), disarm(2, 2*s), yes(2, 2*s), disarm(3, 8*s), yes(3, 8*s), arm(4, 9*s),
				answer(1, true, true, true, 0), noArm(4),
			), "settles confirmed heard refused arm", "m",
		},
		{"of two arms without an answer each counts",
			does(arm(1, 0), arm(2, ms), armed(2), disarm(3, 2*ms), yes(3, 3*ms)), "armed settles", "m+"},
		{"a disarm of before is done after the arm", does(disarm(1, 0), arm(2, ms), armed(2), yes(1, ms)),
			"armed doubted", "m"},
		{"it is answered twice: the second says nothing",
			does(disarm(1, 0), yes(1, 0), arm(2, ms), armed(2), yes(1, ms)), "confirmed armed heard", "a"},
		{"an answer to a call that was never made", does(arm(1, 0), yes(7, 0)), "stale", "m"},
		{
			"after a stall an open arm from before it counts", does(
				arm(1, 0), func(n *Node) string { n.Appear(1); return "" }, disarm(2, ms), yes(2, ms),
			), "settles", "m+",
		},
		{
			"a disarm from before a stall confirms nothing", does(
				disarm(1, 0), func(n *Node) string { n.Appear(1); return "" }, yes(1, ms),
			), "heard", "m",
		},
		{
			"nor is one from before it the first of two", does(
				arm(1, 0), disarm(2, ms), yes(2, 2*ms), func(n *Node) string { n.Appear(2); return "" }, disarm(3, 6*s),
				yes(3, 6*s),
			), "settles settles", "m+",
		},
		{
			"nor is one from before the newest arm", does(
				arm(1, 0), disarm(2, ms), yes(2, 2*ms), arm(3, s), disarm(4, 6*s), yes(4, 6*s),
			), "settles settles", "m+",
		},
		{
			"a yes to disarm takes back the refusal", does(
				arm(1, 0), disarm(2, ms), noDisarm(2), func(n *Node) string { n.DisarmSent(3, 2*ms); return "" },
				yes(3, 2*ms),
				func(n *Node) string { return n.Refused() },
			), "refused settles", "m+",
		},
		{
			"so does a request to arm", does(
				disarm(1, 0), noDisarm(1), arm(2, ms), func(n *Node) string { return n.Refused() },
			), "refused", "m",
		},
		{
			"a node settles only while an arm has no answer", does(
				arm(1, 0), disarm(2, ms), yes(2, 2*ms), func(n *Node) string { n.Drop(); return "" }, late(1),
				func(n *Node) string { n.Demand(s); return fmt.Sprint(n.Settling()) },
			), "settles distrusted false", "m+",
		},
		{
			"the disarm that decides has its full time", does(
				arm(1, 0), disarm(2, ms), answer(1, true, true, false, 3*s),
				func(n *Node) string { return n.Since().String() },
			), "repeated 3s", "m+",
		},
		{
			"a process that confirms ends the lease of the one before", does(
				func(n *Node) string { n.Outlive(10 * s); n.Appear(0); return "" }, disarm(1, s), yes(1, s),
				func(n *Node) string { return n.GoneBy().String() },
			), "confirmed 0s", "d",
		},
		{
			"a process of before may be this one: an arm without an answer may take effect yet", does(
				arm(1, 0), func(n *Node) string { n.Succeed(1, true); n.Appear(1); return "" }, disarm(2, ms),
				yes(2, ms), disarm(3, 6*s), yes(3, 6*s),
			), "settles confirmed", "d",
		},
		{
			"and its yes counts, however late", does(
				arm(1, 0), func(n *Node) string { n.Succeed(1, true); n.Appear(1); return "" }, disarm(2, ms),
				yes(2, ms), disarm(3, 6*s), yes(3, 6*s), late(1),
			), "settles confirmed distrusted", "m",
		},
		{
			"another answer to a process of before says nothing", does(
				arm(1, 0), armed(1), disarm(2, ms),
				func(n *Node) string { n.Succeed(2, true); n.Appear(2); return "" }, disarm(3, ms), yes(2, ms),
				noArm(1), yes(3, ms),
			), "armed stale stale confirmed", "d",
		},
		{
			"an arm of an earlier run may not have been handled yet", does(
				func(n *Node) string { n.Inherit(true); n.Succeed(0, false); n.Appear(0); return "" }, disarm(1, ms),
				yes(1, ms),
			), "settles", "m+",
		},
		{
			"nor by a process that is back after it was cut off", does(
				func(n *Node) string { n.Inherit(true); n.Succeed(0, true); n.Appear(0); return "" }, disarm(1, ms),
				yes(1, ms),
			), "settles", "m+",
		},
		{
			"an arm that was not sent was never asked", does(
				disarm(1, 0), yes(1, 0), arm(2, ms),
				func(n *Node) string { return fmt.Sprint(n.TakeBack(2), n.TakeBack(2)) },
			), "confirmed true false", "d",
		},
		{
			"an earlier run may have left it armed, and every request is answered", does(
				func(n *Node) string { n.Inherit(false); return string(n.Belief()) }, disarm(1, ms), yes(1, ms),
			), "may be armed confirmed", "d",
		},
		{
			"no journal says whether an earlier run has armed it", does(
				func(n *Node) string { n.Doubt(); n.Succeed(0, false); n.Appear(0); return fmt.Sprint(n.Meet(true)) },
				disarm(1, ms), yes(1, ms), disarm(2, 6*s), yes(2, 6*s),
				func(n *Node) string { return fmt.Sprint(n.Wary()) },
			), "true settles confirmed false", "d",
		},
		{
			"the doubt is about what can be armed", does(
				func(n *Node) string { n.Doubt(); n.Appear(0); return fmt.Sprint(n.Meet(false), n.Wary()) },
				disarm(1, ms), yes(1, ms),
			), "true true confirmed", "d",
		},
		{
			"the doubt is not about a later process", does(
				func(n *Node) string { n.Doubt(); n.Succeed(0, true); n.Appear(0); return fmt.Sprint(n.Meet(true)) },
				disarm(1, ms), yes(1, ms),
			), "true confirmed", "d",
		},
		{
			"the doubt stays beside a request of this run", does(
				func(n *Node) string { n.Doubt(); n.Appear(0); return "" }, arm(1, 0),
				func(n *Node) string { n.Meet(true); return "" }, noArm(1), disarm(2, ms), yes(2, ms),
			), "refused arm settles", "m+",
		},
		{
			"one that was abandoned is so when another process appears", does(
				func(n *Node) string { n.Abandon(); n.Appear(0); return fmt.Sprint(n.Abandoned()) }, disarm(1, ms),
				yes(1, ms), func(n *Node) string { return fmt.Sprint(n.Abandoned()) },
			), "true confirmed false", "d",
		},
		{
			"only the newest request is taken back", does(
				arm(1, 0), arm(2, ms), func(n *Node) string { return fmt.Sprint(n.TakeBack(1)) }, disarm(3, 2*ms),
				func(n *Node) string { return fmt.Sprint(n.TakeBack(2), n.ToDisarm()) }, arm(4, 3*ms),
				func(n *Node) string { return fmt.Sprint(n.ToDisarm()) },
			), "false false true false", "m",
		},
		{
			"an old answer does not say that a later process lives", does(
				arm(1, 0), func(n *Node) string { n.Succeed(1, true); n.Appear(1); return "" }, disarm(2, ms), noArm(1),
			), "stale", "m+",
		},
		{
			"a yes to arm after the duty to disarm was dropped", does(
				arm(1, 0), disarm(2, ms), func(n *Node) string { n.TurnBack(); return "" }, armed(1),
			), "distrusted", "m",
		},
		{
			"a second answer to one disarm is not the first to another one", does(
				arm(1, 0), arm(2, ms), disarm(3, 2*ms), yes(3, 3*ms), late(1), yes(3, 4*ms),
			), "settles repeated heard", "m+",
		},
		{
			"after a late yes the node settles anew", does(
				arm(1, 0), arm(2, ms), disarm(3, 2*ms), yes(3, 3*ms), late(1), disarm(4, 6*s), yes(4, 6*s),
			), "settles repeated settles", "m+",
		},
		{
			"a second one that was sent too early proves nothing, however late its answer is", does(
				arm(1, 0), disarm(2, ms), yes(2, 2*ms), disarm(3, 4*s), yes(3, 6*s),
			), "settles heard", "m+",
		},
		{
			"a refusal while another arm has no answer", does(
				arm(1, 0), func(n *Node) string { n.Vanish(); return "" }, arm(2, ms), noArm(2),
			), "refused arm", "m",
		},
		{
			"nothing settles without a duty to disarm", does(
				arm(1, 0), disarm(2, ms), yes(2, 2*ms),
				func(n *Node) string { n.Drop(); return fmt.Sprint(n.Settling()) },
			), "settles false", "m",
		},
		{
			"a refusal does not begin the duty anew", does(
				disarm(1, s), noDisarm(1), func(n *Node) string { return fmt.Sprint(n.Demand(9*s), n.Since()) },
			), "refused false 1s", "d+",
		},
		{
			"what left the graph without a lease may be armed", does(
				arm(1, 0), func(n *Node) string { n.Abandon(); return fmt.Sprint(n.Abandoned(), n.Open()) },
			), "true false", "m",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := New(5 * time.Second)
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

// TestA3ANodeThatSettlesIsAskedAgainWhenItHas: its disarm is repeated when it can prove something, and not before.
func TestA3ANodeThatSettlesIsAskedAgainWhenItHas(t *testing.T) {
	n := New(5 * time.Second)
	n.ArmSent(1, 0)
	n.Demand(time.Second)
	n.DisarmSent(2, time.Second)
	if at, ok := n.Next(); !ok || at != 2*time.Second || n.Settling() {
		t.Errorf("before an answer: %v %v, settling %v", at, ok, n.Settling())
	}
	n.Answered(Answer{Call: 2, Yes: true, At: 1500 * time.Millisecond, Latest: 2})
	if at, ok := n.Next(); !ok || at != 6500*time.Millisecond || !n.Settling() {
		t.Errorf("after it: %v %v, settling %v", at, ok, n.Settling())
	}
}

// TestAgeReachesWhatAnUnsentArmReturnsTo: the time of a late loop counts for all that was noted, and for nothing that
// was not.
func TestAgeReachesWhatAnUnsentArmReturnsTo(t *testing.T) {
	n := New(5 * time.Second)
	n.DisarmSent(1, 5*time.Second)
	n.ArmSent(2, 6*time.Second)
	n.Age(time.Second)
	at, ok := n.LastOpenDisarm()
	if n.Sent() != 5*time.Second || n.ArmSentAt() != 5*time.Second || n.Vouched() != 0 || !ok || at != 4*time.Second {
		t.Errorf("sent %v, armed %v, vouched %v, open disarm %v %v", n.Sent(), n.ArmSentAt(), n.Vouched(), at, ok)
	}
	n.TakeBack(2)
	if at, _ := n.LastOpenDisarm(); n.Sent() != 4*time.Second || at != 4*time.Second {
		t.Errorf("before the arm: sent %v, open disarm %v", n.Sent(), at)
	}
	n.ArmSent(3, 7*time.Second)
	n.Answered(Answer{Call: 3, Arm: true, Yes: true, Granted: true, At: 8 * time.Second, Latest: 3})
	n.ArmSent(4, 8*time.Second)
	n.Demand(9 * time.Second)
	n.DisarmSent(5, 9*time.Second)
	n.Answered(Answer{Call: 5, Yes: true, At: 10 * time.Second, Latest: 5})
	n.Age(time.Second)
	if n.Vouched() != 7*time.Second || n.SettledAt() != 14*time.Second {
		t.Errorf("said that it is armed at %v, settles at %v", n.Vouched(), n.SettledAt())
	}
}

// A copy keeps the requests that have no answer when the node gets one.
func TestACopyKeepsItsRequests(t *testing.T) {
	n := New(5 * time.Second)
	n.ArmSent(1, 0)
	n.ArmSent(2, 0)
	c := n.Clone()
	n.Answered(Answer{Call: 1, Arm: true, Yes: true, Granted: true})
	for call := range uint64(2) {
		c.Answered(Answer{Call: call + 1, Arm: true, Yes: true, Granted: true})
	}
	if c.Pending() {
		t.Error("both requests of the copy were answered, and one is still open")
	}
}

// A copy also keeps the requests to which it returns when its newest arm was not sent.
func TestACopyKeepsWhatItReturnsTo(t *testing.T) {
	n := New(5 * time.Second)
	n.DisarmSent(1, 5*time.Second)
	n.ArmSent(2, 6*time.Second)
	c := n.Clone()
	n.Age(time.Second)
	c.TakeBack(2)
	if at, ok := c.LastOpenDisarm(); !ok || at != 5*time.Second {
		t.Errorf("the copy's disarm is of %v (%v)", at, ok)
	}
}

// Of too many arms without an answer the node keeps the oldest and the newest: any of them may take effect yet.
func TestUnansweredArms(t *testing.T) {
	n := New(5 * time.Second)
	for call := range uint64(kept + 2) {
		n.ArmSent(call+1, 0)
	}
	if len(n.asked.arms) != kept || n.asked.arms[0].call != 1 || n.asked.arms[kept-1].call != kept+2 {
		t.Errorf("the node keeps %v", n.asked.arms)
	}
}

func TestTurnBack(t *testing.T) {
	for _, c := range []struct {
		belief  Belief
		duty    bool
		refused string
		want    Belief
	}{{IsArmed, true, "no", MayBeArmed}, {IsArmed, true, "", MayBeArmed}, {IsArmed, false, "", IsArmed},
		{MayBeArmed, true, "no", MayBeArmed}, {Disarmed, true, "", Disarmed}} {
		n := Node{belief: c.belief, duty: c.duty, refused: c.refused}
		n.TurnBack()
		if n.Belief() != c.want || n.Duty() || n.Refused() != "" {
			t.Errorf("%v with duty %v: %v, duty %v, refused %q; want %v", c.belief, c.duty, n.Belief(), n.Duty(),
				n.Refused(), c.want)
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

// TestA3ADutyBeginsOnce: a further reason to disarm gives the node no more time.
func TestA3ADutyBeginsOnce(t *testing.T) {
	n := New(5 * time.Second)
	if first, again := n.Demand(time.Second), n.Demand(2*time.Second); !first || again || n.Since() != time.Second {
		t.Errorf("the duty is new: %v, then %v; it began at %v", first, again, n.Since())
	}
}

// TestA6TheLastLeaseDecides when a process that is gone is disarmed.
func TestA6TheLastLeaseDecides(t *testing.T) {
	n := New(5 * time.Second)
	n.Outlive(10 * time.Second)
	for _, c := range []struct{ ends, want time.Duration }{{5 * time.Second, 10 * time.Second},
		{12 * time.Second, 12 * time.Second}} {
		if n.OutliveMore(c.ends); n.GoneBy() != c.want {
			t.Errorf("it may have heard a lease until %v, and is gone by %v, want %v", c.ends, n.GoneBy(), c.want)
		}
	}
}

func TestRefusal(t *testing.T) {
	for words, want := range map[string]string{"": "answered no", "too hot": "answered no: too hot"} {
		if got := Refusal(words); got != want {
			t.Errorf("%q reads as %q, want %q", words, got, want)
		}
	}
}
