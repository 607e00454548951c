package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/simnet"
)

// TestS2LeftArmedByAnEarlierRun: a node that the journal says may be armed, and that the file does not have, is named
// and asked to disarm every second. Nothing is armed before it confirms.
func TestS2LeftArmedByAnEarlierRun(t *testing.T) {
	gripper := engine.Leftover{Node: "/gripper", Service: "/gripper/arm", Type: "std_srvs/srv/SetBool"}
	leased, asked, long := gripper, gripper, gripper
	leased.Lease, asked.Open = true, true
	long.Lease, long.Proof = true, 30*time.Second
	left := func(l simnet.Leftover) simnet.Options { return simnet.Options{Leftovers: []simnet.Leftover{l}} }
	after := func(d time.Duration, command string) simnet.Beat {
		return when(simnet.At(d), simnet.Send{Command: command, Handle: fmt.Sprint(command, " ", d)})
	}
	play(t, []story{
		{
			name: "it confirms", scripts: at(ac, ac, ac, ac), opt: left(simnet.Leftover{Leftover: gripper, Armed: true}),
			early: []simnet.Beat{after(2*time.Second, "arm")}, goals: "arm 2s: succeeded done",
			calls: "disarm arm_driver, disarm gripper, arm arm_driver",
		},
		{
			name: "it refuses", scripts: at(ac, ac, ac, ac),
			opt:   left(simnet.Leftover{Leftover: gripper, Armed: true, Replies: []simnet.Reply{{No: true, Says: "busy"}}}),
			early: []simnet.Beat{after(2500*ms, "arm")}, goals: "arm 2.5s: rejected",
			why: "not known to be disarmed since an earlier run: /gripper",
		},
		{
			name: "it is silent, and confirms late", scripts: at(ac, ac, ac, ac),
			opt: left(simnet.Leftover{Leftover: gripper, Armed: true,
				Replies: []simnet.Reply{{Silent: true}, {Silent: true}, {Silent: true}, {}}}),
			early: []simnet.Beat{after(2*time.Second, "arm"), after(6*time.Second, "arm")},
			goals: "arm 2s: rejected, arm 6s: succeeded done",
			calls: "disarm arm_driver, disarm gripper, disarm gripper, disarm gripper, disarm gripper, arm arm_driver",
		},
		{
			name: "its process starts later", scripts: at(ac, ac, ac, ac),
			opt:   left(simnet.Leftover{Leftover: gripper, Armed: true, Born: 20 * time.Second}),
			early: []simnet.Beat{after(15*time.Second, "armed"), after(22*time.Second, "armed")},
			goals: "armed 15s: rejected, armed 22s: succeeded done",
		},
		{
			name: "two processes offer its call, and one refuses", scripts: at(ac, ac, ac, ac),
			opt: left(simnet.Leftover{Leftover: gripper, Armed: true,
				Replies: []simnet.Reply{{No: true}, {}, {No: true}, {}, {No: true}, {}}}),
			early: []simnet.Beat{
				when(simnet.At(50*ms), simnet.Respawn{Node: "/gripper", State: ac}), after(2500*ms, "arm"),
				when(simnet.At(2600*ms), simnet.Kill{Node: "/gripper"}), after(8*time.Second, "arm"),
			},
			goals: "arm 2.5s: rejected, arm 8s: succeeded done",
		},
		{
			name: "it follows a lease, and has no process", scripts: at(ac, ac, ac, ac),
			opt:   left(simnet.Leftover{Leftover: leased, Never: true}),
			early: []simnet.Beat{after(5*time.Second, "arm"), after(12*time.Second, "arm")},
			goals: "arm 5s: rejected, arm 12s: succeeded done",
		},
		{
			name: "the lease of the earlier run was longer", scripts: at(ac, ac, ac, ac),
			opt:   left(simnet.Leftover{Leftover: long, Never: true}),
			early: []simnet.Beat{after(12*time.Second, "arm"), after(32*time.Second, "arm")},
			goals: "arm 12s: rejected, arm 32s: succeeded done",
		},
		{
			name: "a request to arm may be open", scripts: at(ac, ac, ac, ac),
			opt:   left(simnet.Leftover{Leftover: asked, Armed: true}),
			early: []simnet.Beat{after(3*time.Second, "arm"), after(9*time.Second, "arm")},
			goals: "arm 3s: rejected, arm 9s: succeeded done",
		},
		{
			name: "a disarm is taken, and waits for it", scripts: at(ac, ac, ac, ac),
			opt: left(simnet.Leftover{Leftover: gripper, Armed: true,
				Replies: []simnet.Reply{{Silent: true}, {Silent: true}, {}}}),
			early: []simnet.Beat{after(time.Second, "disarm")}, goals: "disarm 1s: succeeded done",
		},
		{
			name: "a disarm says that it does not confirm", scripts: at(ac, ac, ac, ac),
			opt:   left(simnet.Leftover{Leftover: gripper, Armed: true, Replies: []simnet.Reply{{Silent: true}}}),
			early: []simnet.Beat{after(time.Second, "disarm")}, goals: "disarm 1s: aborted held",
			why: "not confirmed: /gripper",
		},
		{
			name: "everything but arming goes on", scripts: at(un, un, un, un),
			opt:   left(simnet.Leftover{Leftover: gripper, Armed: true, Replies: []simnet.Reply{{Silent: true}}}),
			early: []simnet.Beat{after(time.Second, "active")}, goals: "active 1s: succeeded done",
		},
		{
			name: "a shutdown is not clean", scripts: at(un, un, un, un),
			opt:   left(simnet.Leftover{Leftover: gripper, Armed: true, Replies: []simnet.Reply{{Silent: true}}}),
			early: []simnet.Beat{after(time.Second, "shutdown")}, goals: "shutdown 1s: aborted finalized",
			why: "/gripper, which may be armed since an earlier run", exit: 6,
		},
		{
			name: "nor is a stop", scripts: at(un, un, un, un),
			opt:   left(simnet.Leftover{Leftover: gripper, Armed: true, Replies: []simnet.Reply{{Silent: true}}}),
			early: []simnet.Beat{when(simnet.At(time.Second), simnet.Stop{})}, exit: 6,
		},
	})
}

// TestS2LeftArmedIsShown: in the state and among the warnings, with what helps.
func TestS2LeftArmedIsShown(t *testing.T) {
	gripper := engine.Leftover{Node: "/gripper", Service: "/gripper/arm", Type: "std_srvs/srv/SetBool"}
	w := simnet.New(story{}.network(t), simnet.Options{
		Seed: 1, Scripts: at(un, un, un, un),
		Leftovers: []simnet.Leftover{{Leftover: gripper, Born: 10 * time.Second,
			Replies: []simnet.Reply{{No: true, Says: "hands off"}, {}}}},
	})
	w.Pass(3 * time.Second)
	if snap := w.Now(); !slices.Equal(snap.ArmedLeftovers, []string{"/gripper"}) ||
		!strings.Contains(strings.Join(snap.Warnings, "\n"), "/gripper may be armed") ||
		!strings.Contains(strings.Join(snap.Warnings, "\n"), "no process offers /gripper/arm") ||
		slices.Contains(snap.Legal, "arm") || !slices.Contains(snap.Legal, "disarm") {
		t.Errorf("without a process: %v, %v; legal: %v", snap.ArmedLeftovers, snap.Warnings, snap.Legal)
	}
	w.Pass(7500 * ms)
	if snap := w.Now(); !strings.Contains(strings.Join(snap.Warnings, "\n"), "answered no: hands off") {
		t.Errorf("when it refuses: %v", snap.Warnings)
	}
	w.Pass(2 * time.Second)
	if snap := w.Now(); len(snap.ArmedLeftovers)+len(snap.Warnings) > 0 {
		t.Errorf("when it has confirmed: %v, %v", snap.ArmedLeftovers, snap.Warnings)
	}
}

// TestS2TheJournalSaysWhoMayBeArmed: with the call that disarms it, before that is asked for; and that it is disarmed.
func TestS2TheJournalSaysWhoMayBeArmed(t *testing.T) {
	notes := func(trace *simnet.Trace) string {
		var list []string
		for _, e := range trace.Entries {
			switch {
			case e.Kind == engine.EntryNode && e.Event == engine.EventMayBeArmed:
				is := map[bool]string{false: "may be armed", true: "is armed"}[e.Disarm.Armed]
				list = append(list, fmt.Sprintf("%s %s by %s (%s, lease: %v)", e.Node, is, e.Disarm.Service,
					e.Disarm.Type, e.Disarm.Lease))
			case e.Kind == engine.EntryNode && e.Event == engine.EventDisarmed:
				list = append(list, e.Node+" disarmed")
			case e.Kind == engine.EntryState && e.Event == engine.EventSettled && e.Meaning.Network == "",
				e.Kind == engine.EntryStart && e.Meaning.Network == "" && !strings.Contains(e.Sentence, "stood still"):
				list = append(list, "no fingerprint: "+e.Sentence)
			case e.Kind == engine.EntryStep && e.Step == "arm" && e.Event == engine.EventSent:
				list = append(list, "arm")
			}
		}
		return strings.Join(list, "; ")
	}
	const call = " by /arm_driver/arm (std_srvs/srv/SetBool, lease: true)"
	const may = "/arm_driver may be armed" + call + "; arm; /arm_driver is armed" + call
	for _, c := range []struct {
		name, want string
		tell       []simnet.Beat
	}{
		{"a life", may + "; /arm_driver disarmed", []simnet.Beat{asks(2, "armed"), asks(4, "disarm")}},
		{"it dies armed", may + "; /arm_driver is armed" + call + "; /arm_driver disarmed",
			[]simnet.Beat{asks(2, "armed"), does(4, simnet.Crash{DownFor: time.Second})}},
		{"it stands still", may + "; /arm_driver disarmed",
			[]simnet.Beat{asks(2, "armed"), does(4, simnet.Stall{For: 3 * time.Second})}},
		{"it stops", may + "; /arm_driver disarmed", []simnet.Beat{asks(2, "armed"), does(4, simnet.Stop{})}},
		{"nothing was ever armed", "", []simnet.Beat{asks(2, "active"), does(4, simnet.Crash{DownFor: time.Second})}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := notes(story{early: c.tell,
				exit: map[bool]int{true: 1}[c.name == "it stops"]}.run(t)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
