package recording

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"rstate/internal/tally"
)

// StepsTopic is the topic of the steps themselves in each recording. Its messages are of StepsType.
const (
	StepsTopic = "/rstate/steps"
	StepsType  = "rstate_msgs/msg/LoopStep"
)

const (
	// The recorder is so far behind at most. The second bound is what the middleware keeps for a reader.
	mostSteps, mostMessages, mostBytes = 64, 1000, 64 << 20

	arriveIn   = 10 * time.Second       // a message that takes longer does not arrive any more
	arriveLast = 500 * time.Millisecond // the same while the daemon ends
	// How often the recorder looks for a message that it misses: first, and in the end.
	lookFirst, lookLast = 200 * time.Microsecond, 5 * time.Millisecond
)

// Step is a step that has ended.
type Step struct {
	Number  uint64
	Now, DT time.Duration // the simulated time at which it begins, and which it covers
	// Said is how many messages of a topic a node has published since the counts were zero, in the order in which they
	// are written.
	Said []tally.Count
}

// Source is where messages come from. Matched is called beside the other methods.
type Source interface {
	// Open begins to receive these topics, and ends to receive others.
	Open(topics []tally.Topic) error
	// Matched returns why not each message of these topics would arrive.
	Matched(topics []tally.Topic) error
	// Zero learns which publishers these topics have. Messages of others do not count from now on.
	Zero(topics []tally.Topic) error
	// Take returns a message that has arrived and the node that published it; an empty name is none that counts.
	Take(topic string) (data []byte, publisher string, ok bool, err error)
	Close() error
}

// Config is what a recorder is made of.
type Config struct {
	File       string   // of the first beginning
	Topics     []string // that are recorded; none: all
	Source     Source
	Definition func(typ string) (string, error) // see the function of this name
	Encode     func(Step) ([]byte, error)       // a message of StepsType
	Began      func(file string)                // a file was made
	Fault      func(why string)                 // the recording has ended too early
}

// Recorder records a loop. Use New to make one, and Close to end it.
type Recorder struct {
	conf Config
	work chan any // told and request
	stop chan struct{}
	done chan struct{}
	end  sync.Once

	mu       sync.Mutex
	files    []string
	told     map[channel]uint64 // by Step
	steps    int                // that wait
	messages uint64             // of these steps
	bytes    int                // of the newest step that is written
	room     func()             // Room was false

	topics []tally.Topic // that are recorded

	// Of the goroutine only.
	definitions map[string]string // by type
	file        *file
	broken      error // why the recording has ended
	taken       map[channel]uint64
	waiting     map[channel][][]byte // that have arrived
}

// told is a step, and how many new messages it has.
type told struct {
	Step
	n uint64
}

// request is done between two steps.
type request struct {
	do     func() error
	answer chan error
}

// New returns a recorder that has no file yet.
func New(conf Config) *Recorder {
	r := &Recorder{conf: conf, work: make(chan any, 2*mostSteps), stop: make(chan struct{}), done: make(chan struct{}),
		told: map[channel]uint64{}}
	r.zero()
	go r.run()
	return r
}

// Keeps reports whether a topic is recorded.
func (r *Recorder) Keeps(topic string) bool {
	return len(r.conf.Topics) == 0 || slices.Contains(r.conf.Topics, topic)
}

// Files returns the files so far; the last one is that which is written.
func (r *Recorder) Files() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.files
}

// Open begins to receive the topics that are recorded, of those that participants publish. It comes before Begin, while
// no step runs, and waits for the steps that are not recorded yet.
func (r *Recorder) Open(ctx context.Context, published []tally.Topic) error {
	const how = "only what participants with SteppedNode publish can be recorded"
	var names, unknown []string
	for _, t := range published {
		names = append(names, t.Name)
	}
	for _, t := range r.conf.Topics {
		if !slices.Contains(names, t) {
			unknown = append(unknown, t)
		}
	}
	switch {
	case len(published) == 0:
		return errors.New("nothing can be recorded, because no participant counts its messages: " + how +
			"; write such a participant, or remove record from the network file")
	case len(unknown) > 0:
		return fmt.Errorf("cannot record %s: no participant with SteppedNode publishes it; there are %s",
			strings.Join(unknown, ", "), strings.Join(names, ", "))
	}
	kept := slices.DeleteFunc(slices.Clone(published), func(t tally.Topic) bool { return !r.Keeps(t.Name) })
	definitions := map[string]string{}
	for _, typ := range append([]string{StepsType}, types(kept)...) {
		text, err := r.conf.Definition(typ)
		if err != nil {
			return fmt.Errorf("cannot record: %w", err)
		}
		definitions[typ] = text
	}
	return r.ask(ctx, func() error {
		if err := r.conf.Source.Open(kept); err != nil {
			return fmt.Errorf("cannot record: %w", err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.topics, r.definitions = kept, definitions
		return nil
	})
}

// kept returns the topics that are recorded.
func (r *Recorder) kept() []tally.Topic {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.topics
}

func types(topics []tally.Topic) (list []string) {
	for _, t := range topics {
		list = append(list, t.Type)
	}
	return list
}

// Matched returns why not each message would arrive.
func (r *Recorder) Matched() error { return r.conf.Source.Matched(r.kept()) }

// Begin makes ready for steps. With first, the next step is the first one since the beginning or a reset, and gets a
// file of its own. With zero, all counts are zero from now on. It returns why the steps cannot be recorded.
func (r *Recorder) Begin(ctx context.Context, first, zero bool) error {
	return r.ask(ctx, func() error { return r.begin(first, zero) })
}

// ask does something on the recorder's goroutine.
func (r *Recorder) ask(ctx context.Context, do func() error) error {
	in := request{do, make(chan error, 1)}
	select {
	case r.work <- in:
	case <-ctx.Done():
		return ctx.Err()
	case <-r.done:
		return errEnds
	}
	select {
	case err := <-in.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-r.done:
		return errEnds
	}
}

var errEnds = errors.New("rstate ends")

// Step records a step that has ended. It does not wait if Room was true before the step.
func (r *Recorder) Step(s Step) {
	r.mu.Lock()
	in := told{Step: s}
	for _, c := range s.Said {
		at := channel{c.Topic, c.Node}
		in.n += max(c.N, r.told[at]) - r.told[at]
		r.told[at] = max(c.N, r.told[at])
	}
	r.steps++
	r.messages += in.n
	r.mu.Unlock()
	select {
	case r.work <- in:
	case <-r.done:
	}
}

// Room reports whether the recorder can take another step. If not, it calls then, on any goroutine, when it can.
func (r *Recorder) Room(then func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.roomy() {
		return true
	}
	r.room = then
	return false
}

func (r *Recorder) roomy() bool {
	return r.steps == 0 || r.steps < mostSteps && r.messages < mostMessages && r.steps*r.bytes < mostBytes
}

// Close writes what is left, and ends the file with its index. It may be called again.
func (r *Recorder) Close() error {
	r.end.Do(func() { close(r.stop) })
	<-r.done
	return nil
}
