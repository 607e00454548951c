package daemon

import (
	"sync"
	"time"

	"rstate/internal/coordinator"
	"rstate/internal/engine"
	"rstate/internal/httpapi"
	"rstate/internal/network"
)

// figures counts what happens in a run, from the effects of the engine. The loop writes, and clients that scrape read.
type figures struct {
	mu    sync.Mutex
	nodes map[string]bool // of the network file; nothing else is counted by name
	stray map[string]bool // that are not as the state says: while one is, its journal may have several lines
	all   httpapi.Figures

	command, to string    // of the transition that runs; empty: none
	began       time.Time // when it began
	beat        time.Time // when the loop turned last by its beat
}

func newFigures(net *network.Network) *figures {
	f := &figures{nodes: map[string]bool{}, stray: map[string]bool{}, all: httpapi.Figures{
		Steps: map[httpapi.NodeStep]httpapi.Durations{}, Transitions: map[httpapi.Transition]httpapi.Durations{},
		Losses: map[string]uint64{}, Deviations: map[string]uint64{}, Arms: map[string]uint64{},
		Goals: map[string]uint64{},
	}}
	for i := range net.Nodes {
		f.nodes[net.Nodes[i].Name] = true
	}
	return f
}

// note counts what an effect tells of.
func (f *figures) note(e engine.Effect, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch e := e.(type) {
	case engine.RejectGoal:
		f.all.Refused++
	case engine.FinishGoal:
		f.all.Goals[string(e.Result.Outcome)]++
	case engine.Record:
		f.entry(&e.Entry, now)
	}
}

func (f *figures) entry(e *engine.Entry, now time.Time) {
	switch {
	case e.Kind == engine.EntryState && e.Event == engine.EventBegan:
		if f.command != "" {
			f.ends(httpapi.Replaced, now)
		}
		f.command, f.to, f.began = e.Command, e.Way.To, now
	case e.Kind == engine.EntryState && e.Event == engine.EventSettled && f.command != "":
		result := httpapi.Failed
		if e.State == f.to {
			result = httpapi.Reached
		}
		f.ends(result, now)
	case e.Kind == engine.EntryStall:
		f.all.Stalls++
	case e.Kind == engine.EntryStop && e.Event == engine.EventLatched:
		f.all.Stops++
	case f.nodes[e.Node]:
		f.node(e)
	}
}

// ends counts the transition that runs.
func (f *figures) ends(result string, now time.Time) {
	key := httpapi.Transition{Command: f.command, Result: result}
	d := f.all.Transitions[key]
	d.Add(now.Sub(f.began))
	f.all.Transitions[key] = d
	f.command = ""
}

func (f *figures) node(e *engine.Entry) {
	switch {
	case e.Kind == engine.EntryStep && e.Event == engine.EventDone && e.Step != "":
		key := httpapi.NodeStep{Node: e.Node, Step: e.Step, Verdict: string(e.Verdict)}
		d := f.all.Steps[key]
		d.Add(e.Took)
		f.all.Steps[key] = d
	case e.Kind != engine.EntryNode:
	case e.Event == engine.EventGone:
		f.all.Losses[e.Node]++
	case e.Event == engine.EventStrayed:
		if !f.stray[e.Node] {
			f.all.Deviations[e.Node]++
		}
		f.stray[e.Node] = true
	case e.Event == engine.EventFits:
		f.stray[e.Node] = false
	case e.Event == engine.EventMayBeArmed && e.Disarm.Armed && e.Cause == "": // else an earlier run has armed it
		f.all.Arms[e.Node]++
	}
}

// beats counts a turn of the loop by its beat, which is planned at regular times.
func (f *figures) beats(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.beat.IsZero() {
		f.all.Lag.Add(max(0, now.Sub(f.beat)-coordinator.Beat))
	}
	f.beat = now
}

// read returns a copy.
func (f *figures) read() httpapi.Figures {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.all.Clone()
}
