package looper

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"rstate/internal/recording"
	"rstate/internal/stepper"
	"rstate/internal/tally"
)

// Tape records the messages of the participants that count. recording.Recorder is one.
type Tape interface {
	// Open takes all topics that these participants publish, before a run. Its error, and those of the next two
	// methods, keep the run from beginning.
	Open(ctx context.Context, published []tally.Topic) error
	// Matched returns why not each message would arrive.
	Matched() error
	// Begin comes before the first step of a run: first, of all since the beginning or a reset; zero, of all with these
	// counts.
	Begin(ctx context.Context, first, zero bool) error
	// Keeps reports whether a topic is recorded.
	Keeps(topic string) bool
	// Step takes a step that has ended.
	Step(s recording.Step)
	// Room reports whether the next step may begin. If not, it calls then when it may.
	Room(then func()) bool
	// Files are those of the recording.
	Files() []string
}

// taping is what was published in the step that runs.
type taping struct {
	step recording.Step
	said []said
}

// said is what a participant said in an answer.
type said struct {
	phase       int // in the order of a step
	participant int
	count       tally.Count
}

// calls notes the step of a call.
func (t *taping) calls(c stepper.Call) {
	t.step.Number, t.step.Now, t.step.DT = c.Cycle, c.Now, c.DT
}

// takes notes what a participant has published by its answer in a phase.
func (t *taping) takes(tape Tape, phase stepper.Phase, a Answer, node string) {
	order := int(phase)
	if phase == stepper.Resetting { // before the first phase of a step
		order = -1
	}
	for _, s := range a.Sent {
		if tape.Keeps(s.Topic) {
			t.said = append(t.said, said{order, a.Participant, tally.Count{Topic: s.Topic, Node: node, N: s.N}})
		}
	}
}

// ended returns the step, with what was published in the order in which it is recorded.
func (t *taping) ended() recording.Step {
	slices.SortStableFunc(t.said, func(a, b said) int {
		return cmp.Or(cmp.Compare(a.phase, b.phase), cmp.Compare(a.participant, b.participant),
			strings.Compare(a.count.Topic, b.count.Topic))
	})
	step := t.step
	step.Said = make([]tally.Count, len(t.said))
	for i, s := range t.said {
		step.Said[i] = s.count
	}
	t.forget()
	return step
}

// forget forgets what was published: the step has ended, or runs again.
func (t *taping) forget() { t.said = t.said[:0] }

// Broken says that the recording has ended too early. The loop stops.
func (l *Looper) Broken(why string) { l.queue.Put(broken{why}) }

// broken is why the loop cannot go on.
type broken struct{ why string }

// room says that the recording can take a step for which there was no room.
type room struct{}

// roomy reports whether the recording can take another step. If not, room says when.
func (l *Looper) roomy() bool {
	l.full = l.conf.Tape != nil && !l.conf.Tape.Room(func() { l.queue.Put(room{}) })
	return !l.full
}
