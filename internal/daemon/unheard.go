package daemon

import (
	"slices"
	"strings"
	"time"

	"rstate/internal/journal"
	"rstate/internal/latch"
	"rstate/internal/network"
)

// touchEvery is how often the journal of a run that listens to stop inputs shows that the run lives. If it is killed, a
// person learns since when nothing has listened for certain. It is no more often, because each time writes to the disk.
const touchEvery = 10 * time.Second

// instant is a time by the clocks that two runs of one boot share.
type instant struct {
	boot string        // the boot of the machine; empty: unknown
	up   time.Duration // since then
	wall time.Time
}

// topicsOf lists the topics of the stop inputs, as the journal has them.
func topicsOf(net *network.Network) string {
	var topics []string
	for k := range net.Stop {
		topics = append(topics, net.Stop[k].Topic)
	}
	return strings.Join(topics, " ")
}

// unheard returns the time before this start in which no run has listened to the stop inputs of the network. It is no gap
// if the machine has booted since the newest run: what was pressed before that is past. The engine judges whether a gap
// is too long.
func unheard(past journal.Past, net *network.Network, now instant) latch.Gap {
	run, g := past.Run, latch.Gap{To: now.wall, For: -1}
	switch {
	case run.Instance == "":
		g.Why = "it has no journal of a run before"
	case past.Torn:
		g.Why = "the end of its journal cannot be read"
	case run.Boot == "" || now.boot == "":
		g.Why = "the journal does not say that the run before listened"
	case run.Boot != now.boot:
		return latch.Gap{}
	case unlistened(run.Listens, net) != "":
		g.Why = "the run before did not listen to " + unlistened(run.Listens, net)
	case !run.Ended:
		g.From = run.Last
		if run.Touched.After(run.Last) {
			g.From = run.Touched
		}
	default:
		g.From = run.Last
		// The clock of the boot stands in no suspend, and the wall clock may have been set.
		g.For = max(now.wall.Sub(run.Last), now.up-run.Up)
	}
	return g
}

// unlistened names a stop input that is not among the topics; empty: there is none.
func unlistened(topics string, net *network.Network) string {
	listened := strings.Fields(topics)
	for k := range net.Stop {
		if topic := net.Stop[k].Topic; !slices.Contains(listened, topic) {
			return topic
		}
	}
	return ""
}
