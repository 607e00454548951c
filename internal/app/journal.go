package app

import (
	"os"
	"path"
	"runtime/debug"
	"time"

	"rstate/internal/engine"
	"rstate/internal/journal"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// NodeName is what a daemon is called where nobody says otherwise.
const NodeName = network.UsualName

// closeJournalIn is how long a disk has to take the last lines when the daemon ends.
const closeJournalIn = 200 * time.Millisecond

// JournalDir returns where the daemon of that name keeps its journal, unless it was told otherwise.
func JournalDir(daemon string) (string, error) {
	return journal.Dir(os.Getenv("ROS_HOME"), path.Join("/", daemon))
}

// keeper writes down what the engine records. A journal that cannot be written is the engine's to judge, and stops
// nothing here.
type keeper struct {
	dir      string
	fault    string // why there is no place for a journal; empty: there is
	instance string

	journal *journal.Journal // nil: not open, or no place
	post    func(engine.Input)
}

// newKeeper finds the journal in dir, or in the usual place if that is empty.
func newKeeper(dir, daemon, instance string) *keeper {
	k := &keeper{dir: dir, instance: instance}
	if dir == "" {
		var err error
		if k.dir, err = JournalDir(daemon); err != nil {
			k.fault = err.Error()
		}
	}
	return k
}

// last returns the settled state in which the journal ends, and what there is to say about reading it.
func (k *keeper) last() (state, said string) {
	if k.fault != "" {
		return "", k.fault
	}
	lines, report := journal.ReadEnd(k.dir)
	state, said = journal.LastSettled(lines), report.String()
	lines = nil
	debug.FreeOSMemory() // the lines may be tens of megabytes, and a daemon that idles would hold them for minutes
	return state, said
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
			k.journal.Append(lineOf(e.Entry))
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
		Command: e.Command, Goal: e.Goal, Reason: e.Reason, Client: e.Client, Outcome: e.Outcome, From: e.From, To: e.To, Then: e.Then,
		Node: e.Node, Step: e.Step, Verdict: string(e.Verdict), Optional: e.Optional, Count: e.Count,
		SeenAgo: e.SeenAgo, Took: e.Took, Sentence: e.Sentence, Cause: e.Cause,
	}
	if e.Seen != lifecycle.Unknown {
		l.Seen = e.Seen.String()
	}
	return l
}
