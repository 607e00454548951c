package bond

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// The bounds of pause.
const (
	longestPause  = 500 * time.Millisecond
	shortestPause = 20 * time.Millisecond // a caller that looks every 10 ms is late by less
)

// pause returns how late a Tick comes at least if this process did not run meanwhile. Heartbeats that came in that time are
// still to be heard.
func (t Timing) pause() time.Duration {
	return max(min(longestPause, t.Timeout/4), shortestPause)
}

// Event is what has become of a bond.
type Event struct {
	ID    string
	State State
	Cause Cause // of a dead one
}

// Table is our side of the bonds of many nodes.
type Table struct {
	timing   Timing
	own      string // begins every instance id of ours, and none of another side
	bonds    map[string]*Bond
	told     map[string]State
	farewell map[*Bond]bool // bonds that were ended and wait for their sister
	begun    int            // for the id and the phase of the next one
	last     time.Duration  // when the table was last used
}

// NewTable makes an empty table. The instance ids of its bonds begin with id, which no other table has.
func NewTable(timing Timing, id string) *Table {
	return &Table{timing: timing, own: id + "-", bonds: map[string]*Bond{}, told: map[string]State{},
		farewell: map[*Bond]bool{}}
}

// phases is over how many parts of a heartbeat's period the first heartbeats are spread.
const phases = 16

// Want begins bonds that are missing, and ends those that are not wanted any more. It returns what to publish. A wanted
// bond that is dead stays dead until it was unwanted.
func (t *Table) Want(ids map[string]bool, now time.Duration) (out []Status) {
	for _, id := range slices.Sorted(maps.Keys(t.bonds)) {
		if b := t.bonds[id]; !ids[id] {
			out = append(out, b.End(now)...)
			delete(t.bonds, id)
			delete(t.told, id)
			if b.State() != Dead {
				t.farewell[b] = true
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if ids[id] && t.bonds[id] == nil {
			delay := t.timing.Heartbeat * time.Duration(t.begun%phases) / phases
			t.bonds[id] = New(id, fmt.Sprint(t.own, t.begun), t.timing, now, delay)
			t.told[id] = Waiting
			t.begun++
		}
	}
	return out
}

// Hear takes a message of any side on the topic, and returns what to publish. The topic returns our own messages. They
// mean nothing: a farewell of the former bond with a node must not end the present one.
func (t *Table) Hear(m Status, now time.Duration) (out []Status) {
	if strings.HasPrefix(m.Instance, t.own) {
		return nil
	}
	if b := t.bonds[m.ID]; b != nil {
		out = append(out, b.Hear(m, now)...)
	}
	for b := range t.farewell {
		out = append(out, b.Hear(m, now)...)
	}
	return out
}

// Tick lets time pass, and returns what to publish and what has become of the bonds since the Tick before.
func (t *Table) Tick(now time.Duration) (out []Status, events []Event) {
	if gap := now - t.due(); t.last != 0 && gap >= t.timing.pause() {
		for _, b := range t.all() {
			b.delayed(gap)
		}
	}
	t.last = now
	for _, b := range t.all() {
		out = append(out, b.Tick(now)...)
	}
	maps.DeleteFunc(t.farewell, func(b *Bond, _ bool) bool { return b.State() == Dead })
	for _, id := range slices.Sorted(maps.Keys(t.bonds)) {
		if b := t.bonds[id]; b.State() != t.told[id] {
			t.told[id] = b.State()
			events = append(events, Event{ID: id, State: b.State(), Cause: b.Cause()})
		}
	}
	return out, events
}

// Excuse holds back the end of silent bonds, while nodes have a reason to be silent. Each of them then has half a timeout
// from now to be heard.
func (t *Table) Excuse(now time.Duration) {
	for _, b := range t.bonds {
		b.excused(now + t.timing.Timeout/2)
	}
}

// due returns when the present Tick should have come.
func (t *Table) due() time.Duration {
	if at, ok := t.Next(); ok {
		return max(at, t.last)
	}
	return t.last
}

// Next returns when the next Tick is due; false: none is.
func (t *Table) Next() (at time.Duration, ok bool) {
	for _, b := range t.all() {
		if next, lives := b.Next(); lives && (!ok || next < at) {
			at, ok = next, true
		}
	}
	return at, ok
}

// all returns all bonds in a fixed order: those of nodes by name, then those that end.
func (t *Table) all() []*Bond {
	list := make([]*Bond, 0, len(t.bonds)+len(t.farewell))
	for _, id := range slices.Sorted(maps.Keys(t.bonds)) {
		list = append(list, t.bonds[id])
	}
	return slices.AppendSeq(list, maps.Keys(t.farewell))
}
