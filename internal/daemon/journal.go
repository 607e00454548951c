package daemon

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"rstate/internal/coordinator"
	"rstate/internal/engine"
	"rstate/internal/host"
	"rstate/internal/journal"
	"rstate/internal/latch"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
	"rstate/internal/patient"
)

// closeJournalIn is how long a disk has to take the last lines when the daemon ends.
const closeJournalIn = 200 * time.Millisecond * patient.Factor

// keeper writes down what the engine records. A journal that cannot be written is the engine's to
// judge, and stops nothing here.
type keeper struct {
	dir      string
	fault    string // why there is no place for a journal; empty: there is
	instance string
	domain   string // of ROS
	file     string // of the network
	boot     string // of the machine
	listens  string // the topics of the stop inputs; empty: there are none
	touched  time.Time

	journal *journal.Journal // nil: not open, or no place
	post    func(engine.Input)
}

// newKeeper finds the journal in dir, or in the usual place if that is empty.
func newKeeper(dir, daemon, instance string) *keeper {
	k := &keeper{dir: dir, instance: instance, boot: host.Boot()}
	if dir == "" {
		var err error
		if k.dir, err = host.JournalDir(daemon); err != nil {
			k.fault = err.Error()
		}
	}
	return k
}

// beginPast begins to read what past returns, beside the making of endpoints: a long journal takes
// a quarter of a second. The function that it returns waits for the end of that.
func (k *keeper) beginPast() func() (journal.Past, string) {
	read := sync.OnceValues(k.past)
	go read()
	return read
}

// past returns what the journal says of the runs before, and what there is to say about reading it.
func (k *keeper) past() (past journal.Past, said string) {
	if k.fault != "" {
		return past, k.fault
	}
	lines, report := journal.ReadEnd(k.dir)
	newest := ""
	if n := len(lines); n > 0 {
		newest = lines[n-1].Instance
	}
	past, said = journal.PastOf(lines, k.domain), report.String()
	past.Whole = past.Whole && report.Missing == 0 && len(report.Skipped) == 0
	past.Torn = report.Torn
	if newest == past.Run.Instance && report.Touched.After(past.Run.Last) {
		past.Run.Touched = report.Touched
	}
	if len(report.Skipped) > 0 { // of which run they were is unknown
		past.Ordered = nil
	}
	clear(lines)
	// The lines may be tens of megabytes, and a daemon that idles would hold them for minutes.
	debug.FreeOSMemory()
	return past, said
}

// inherit puts into the engine's options what the runs before mean for this network. Under another
// network the last state does not count: its name would mean something else.
func inherit(past journal.Past, net *network.Network, opt engine.Options) engine.Options {
	if why := another(past, net); why == "" {
		opt.Last = past.State
	} else if past.State != "" {
		opt.NotLast = fmt.Sprintf("the journal ends in %s, which does not count: %s", past.State, why)
	}
	opt.Unsure = !past.Whole
	for _, o := range past.Ordered {
		opt.Ordered = append(opt.Ordered, engine.Ordered{Instance: o.Instance, N: o.N})
	}
	for _, s := range past.Stops {
		opt.Latches = append(opt.Latches, latch.Latch{Origin: s.Origin, Instance: s.Run, Latched: s.Latched,
			Acknowledged: s.Acknowledged, Why: s.Why, At: s.At, Since: s.Since})
	}
	for _, m := range past.Armed {
		i, same := net.Index(m.Node), armsBy(net, m)
		also := func(o journal.MayArmed) bool { return o.Node == m.Node && armsBy(net, o) }
		if same || i >= 0 && !slices.ContainsFunc(past.Armed, also) {
			opt.Noted = append(opt.Noted, engine.Noted{Node: m.Node, Lease: m.Lease, Proof: m.Proof, Open: m.Open})
		}
		if !same {
			opt.Leftovers = append(opt.Leftovers, engine.Leftover{
				Node: m.Node, Service: m.Service, Type: m.Type, Lease: m.Lease, Proof: m.Proof, Open: m.Open,
			})
		}
	}
	return opt
}

// armsBy reports whether a network arms a node by the call by which it may be armed.
func armsBy(net *network.Network, m journal.MayArmed) bool {
	i := net.Index(m.Node)
	return i >= 0 && net.Nodes[i].Arm != nil && (m.Guessed || net.Nodes[i].Arm.Service == m.Service)
}

// another says why a state of the run before is not one of this network; empty: it is.
func another(past journal.Past, net *network.Network) string {
	switch start := past.Start; {
	case past.Network == net.Fingerprint():
		return ""
	case past.Network == "":
		return "the version of rstate that wrote it did not record the network file"
	case start.Simulation != "" && start.Simulation != net.Simulation:
		return fmt.Sprintf("it is of simulation %s, and the network file says %s", start.Simulation, net.Simulation)
	case start.Machine != "" && start.Machine != net.Machine.Hash():
		return "it is of another machine than the network file has now"
	}
	return "the network file has other nodes now, or its states want something else of them"
}

// open begins to write. What comes of it is posted.
func (k *keeper) open(post func(engine.Input)) {
	k.post = post
	if k.fault != "" {
		post(engine.JournalChanged{Err: k.fault})
		return
	}
	k.journal = journal.Open(k.dir, journal.Options{
		Instance: k.instance,
		Changed:  func(err error) { post(engine.JournalChanged{Err: words(err)}) },
	})
}

// carry carries out the effects that are about the journal, and says whether this was one.
func (k *keeper) carry(e engine.Effect) bool {
	switch e := e.(type) {
	case engine.Record:
		if k.journal != nil {
			k.journal.Append(k.placed(lineOf(e.Entry)))
			if e.Entry.Orders > 0 || e.Entry.Kind == engine.EntryStop { // peers hear of it from here, also after a loss of power
				k.journal.Sync(func(error) {}) // Changed tells of a disk that fails
			}
		}
	case engine.SyncJournal:
		if k.journal == nil {
			k.post(engine.JournalSynced{Ticket: e.Ticket, Err: k.fault})
			break
		}
		k.journal.Sync(func(err error) { k.post(engine.JournalSynced{Ticket: e.Ticket, Err: words(err)}) })
	default:
		return false
	}
	return true
}

// believed are the events that a start believes. Their lines say where their run is themselves: the first line of a
// long run may be in a file that is not read any more.
var believed = []journal.Event{journal.EventSettled, journal.EventMayBeArmed, journal.EventDisarmed}

// placed adds to a line where its run is, for readers who must not take one robot for another.
func (k *keeper) placed(l journal.Line) journal.Line {
	start := l.Kind == journal.KindStart
	if start || slices.Contains(believed, l.Event) {
		l.Domain = k.domain
	}
	if k.listens != "" {
		l.Boot = k.boot
		if start || l.Kind == journal.KindEnd || slices.Contains(believed, l.Event) {
			l.Listens = k.listens
		}
		if l.Event == journal.EventEnded {
			l.Up = coordinator.BootTime()
		}
	}
	if start {
		l.File = k.file
	}
	return l
}

// beat lets the journal show now and then that the loop turns, if that matters.
func (k *keeper) beat(now time.Time) {
	if k.journal != nil && k.listens != "" && now.Sub(k.touched) >= touchEvery {
		k.touched = now
		k.journal.Touch()
	}
}

func (k *keeper) close() error {
	if k.journal == nil {
		return nil
	}
	return k.journal.Close(closeJournalIn)
}

func words(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// lineOf is an entry of the engine as the journal keeps it.
func lineOf(e engine.Entry) journal.Line {
	l := journal.Line{
		At: e.At, Kind: journal.Kind(e.Kind), Event: journal.Event(e.Event), State: e.State,
		Command: e.Command, Goal: e.Goal, Reason: e.Reason, Client: e.Client, Outcome: e.Outcome, Orders: e.Orders,
		From: e.Way.From, To: e.Way.To, Then: e.Way.Then,
		Node: e.Node, Step: e.Step, Verdict: string(e.Verdict), Optional: e.Seen.Optional, Count: e.Seen.Count,
		SeenAgo: e.Seen.Ago, Took: e.Took, Sentence: e.Sentence, Cause: e.Cause,
		Service: e.Disarm.Service, Type: e.Disarm.Type, Lease: e.Disarm.Lease,
		Proof: e.Disarm.Proof, Armed: e.Disarm.Armed, Simulation: e.Meaning.Simulation, Machine: e.Meaning.Machine,
		Network: e.Meaning.Network,
		StopRun: e.Latch.Instance, Latched: e.Latch.Latched, Acknowledged: e.Latch.Acknowledged, StopWhy: e.Latch.Why,
		StopAt: e.Latch.At, StopSince: e.Latch.Since,
	}
	if e.Seen.State != lifecycle.Unknown {
		l.Seen = e.Seen.State.String()
	}
	return l
}
