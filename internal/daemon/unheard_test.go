package daemon

import (
	"testing"
	"time"

	"rstate/internal/journal"
	"rstate/internal/latch"
	"rstate/internal/network"
)

// TestA12SinceWhenNothingListened: what the journal says of the time before a start.
func TestA12SinceWhenNothingListened(t *testing.T) {
	net, err := network.Parse("net.yaml", []byte("simulation: demo\nstop: [{topic: /estop}]\nnodes: {/a: {arm: {}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	now := instant{boot: "b", up: time.Hour, wall: noon}
	second := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) }
	ended := journal.LastRun{Instance: "1", Boot: "b", Listens: "/panel /estop", Ended: true, Last: second(-9),
		Up: time.Hour - 9*time.Second}
	for _, row := range []struct {
		name   string
		change func(*journal.Past)
		want   latch.Gap
	}{
		{"it ended in good order", func(*journal.Past) {}, latch.Gap{From: second(-9), To: noon, For: 9 * time.Second}},
		{"the clock was set back since", func(p *journal.Past) { p.Run.Last = second(3600) },
			latch.Gap{From: second(3600), To: noon, For: 9 * time.Second}},
		{"the machine was suspended, on a clock that does not know", func(p *journal.Past) { p.Run.Up = time.Hour },
			latch.Gap{From: second(-9), To: noon, For: 9 * time.Second}},
		{"it was killed", func(p *journal.Past) { p.Run.Ended, p.Run.Up = false, 0 },
			latch.Gap{From: second(-9), To: noon, For: -1}},
		{"it was killed long after its newest line", func(p *journal.Past) {
			p.Run.Ended, p.Run.Up, p.Run.Touched = false, 0, second(-3)
		}, latch.Gap{From: second(-3), To: noon, For: -1}},
		{"a new boot", func(p *journal.Past) { p.Run.Boot = "a" }, latch.Gap{}},
		{"a new boot after it was killed", func(p *journal.Past) { p.Run.Boot, p.Run.Ended = "a", false }, latch.Gap{}},
		{"a new boot, and the end of the journal is torn", func(p *journal.Past) { p.Run.Boot, p.Torn = "a", true },
			latch.Gap{To: noon, For: -1, Why: "the end of its journal cannot be read"}},
		{"no journal", func(p *journal.Past) { *p = journal.Past{} },
			latch.Gap{To: noon, For: -1, Why: "it has no journal of a run before"}},
		{"a former version, or no stop input", func(p *journal.Past) { p.Run.Boot, p.Run.Listens = "", "" },
			latch.Gap{To: noon, For: -1, Why: "the journal does not say that the run before listened"}},
		{"another stop input", func(p *journal.Past) { p.Run.Listens = "/panel" },
			latch.Gap{To: noon, For: -1, Why: "the run before did not listen to /estop"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			past := journal.Past{Run: ended, Whole: true}
			row.change(&past)
			if got := unheard(past, net, now); got != row.want {
				t.Errorf("got  %+v\nwant %+v", got, row.want)
			}
		})
	}
	past := journal.Past{Run: ended}
	if got := unheard(past, net, instant{up: time.Hour, wall: noon}); got.For != -1 {
		t.Errorf("the boot is not known: %+v", got)
	}
}
