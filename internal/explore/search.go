package explore

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	before   = time.Microsecond       // how long before an event a deviation falls that falls just before it
	little   = 20 * time.Millisecond  // a little before the client acts something falls too
	short    = 3 * time.Millisecond   // in a shorter time between two events nothing falls just before the second
	long     = 400 * time.Millisecond // in a longer one something falls in the middle too
	restsFor = 3 * time.Second        // after the last thing that happened a world at rest is as before
)

// Violation is what a schedule violates.
type Violation struct {
	Words string
	ID    string // of the schedule, for Replay
	Count int    // of schedules that violate it
}

// Result is what came of the exploration of one network.
type Result struct {
	Name       string
	Depth      int
	Schedules  int // that were run, those that have merged included
	Merged     int // of those
	Worlds     int // that are not equal, or had another number of deviations left
	Finished   bool
	Violations []Violation
}

// explorer explores one network. One of its hands runs one schedule after another; all share what was found.
type explorer struct {
	*search
	path []string
}

// search is what the hands of an explorer have found so far.
type search struct {
	depth int
	limit int
	part  Part
	first int // first deviations that were met
	merge bool
	only  []string
	news  func(Result, string)
	also  func(*world) string

	hands chan struct{} // taken by each hand beside the first; nil: there is none
	work  sync.WaitGroup

	mu     sync.Mutex
	result Result
	seen   []map[sum]struct{} // worlds that were met, by the deviations that were left
}

// newsEach is how many schedules are run between two calls of Options.News.
const newsEach = 1 << 14

// Options shape an exploration.
type Options struct {
	Depth   int      // deviations in a schedule at most
	Limit   int      // of schedules; 0: none
	Part    Part     // of the schedules
	NoMerge bool     // equal worlds do not merge
	Only    []string // the deviations; empty: all
	Hands   int      // that run schedules at the same time; 0: one. With more, which of two equal worlds goes on varies
	// News, if it is not nil, is called now and then with what is known so far and the id of the schedule that is
	// run, and at once when something new is violated. Deviations are inserted from the start of the day to its end.
	News func(soFar Result, id string)
}

// Part is one of several parts into which the schedules of a network are divided, by their first deviation: Number,
// from 1 on, of Of. Together the parts are all schedules, as the worlds of one part do not merge with those of another.
// The zero value is all.
type Part struct{ Number, Of int }

// ParsePart reads a part as K/N.
func ParsePart(text string) (Part, error) {
	if text == "" {
		return Part{}, nil
	}
	k, n, ok := strings.Cut(text, "/")
	number, wrong := strconv.Atoi(k)
	of, alsoWrong := strconv.Atoi(n)
	if !ok || wrong != nil || alsoWrong != nil || number < 1 || of < number {
		return Part{}, fmt.Errorf("%q is no part; write K/N, like 1/8 for the first of eight", text)
	}
	return Part{Number: number, Of: of}, nil
}

// has reports whether the k-th first deviation belongs to the part.
func (p Part) has(k int) bool { return p.Of == 0 || k%p.Of == p.Number-1 }

// Explore runs every schedule of a network.
func Explore(setup *Setup, opt Options) Result { return explore(setup, opt, nil) }

// explore is Explore with another judge beside the usual one, if it is not nil.
func explore(setup *Setup, opt Options, also func(*world) string) Result {
	f := &search{depth: opt.Depth, limit: opt.Limit, part: opt.Part, merge: !opt.NoMerge, only: opt.Only,
		news: opt.News, also: also}
	for range opt.Depth + 1 {
		f.seen = append(f.seen, map[sum]struct{}{})
	}
	if opt.Hands > 1 {
		f.hands = make(chan struct{}, opt.Hands)
	}
	f.result = Result{Name: setup.Name, Depth: opt.Depth, Finished: true}
	(&explorer{search: f}).run(newWorld(setup), opt.Depth)
	f.work.Wait()
	for _, seen := range f.seen {
		f.result.Worlds += len(seen)
	}
	return f.result
}

// run lets a world go on to its end, with every way to insert the deviations that are left.
func (x *explorer) run(w *world, left int) {
	x.begun()
	met := round{}
	for !w.over() {
		w.advance()
		if x.judged(w) {
			return
		}
		if x.merge && w.worthAMerge(left) && x.known(w, left) {
			return
		}
		if left > 0 && !w.over() {
			x.deviate(w, left, met)
		}
	}
	w.judge.finish(w)
	x.judged(w)
}

// begun counts a schedule.
func (x *explorer) begun() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.result.Schedules++; x.result.Schedules%newsEach == 0 {
		x.tellNews()
	}
}

// calm is a time in which nothing happens that is longer than a node takes to answer, and shorter than a probe's.
const calm = 150 * time.Millisecond

// worthAMerge reports whether an equal world is looked for. A world without deviations left still meets the equal one
// when nothing happens for a while, and, where topics are counted all the time, when its engine has done something on
// time.
func (w *world) worthAMerge(left int) bool {
	if left > 0 {
		return !w.dull
	}
	return len(w.queue) == 0 || w.until()-w.now > calm || !w.dull && w.newest == evWake && len(w.sides) == 1
}

// judged notes what a world violates, and reports whether it is not worth going on with. Where the violation
// is only that a stop was refused, what follows from that is of interest.
func (x *explorer) judged(w *world) bool {
	stop := false
	if x.also != nil {
		if words := x.also(w); words != "" {
			w.violates("%s", words)
		}
	}
	for _, words := range w.verdict {
		x.violated(words)
		stop = stop || !strings.HasPrefix(words, "stop refused")
	}
	w.verdict = nil
	return stop
}

// known reports whether an equal world had as many deviations left, and notes this one.
func (x *explorer) known(w *world, left int) bool {
	d := w.digest(left > 0)
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, seen := range x.seen[left:] {
		if _, ok := seen[d]; ok {
			x.result.Merged++
			return true
		}
	}
	x.seen[left][d] = struct{}{}
	return false
}

// round is the worlds that one run has met so far, without a difference between times further away than near. A daemon
// that proves that nothing has changed meets one again with each proof, until something comes near.
type round map[sum]struct{}

// near is longer than everything that happens at regular intervals takes to happen again.
const near = 60 * time.Millisecond

// again reports whether the world was met before in its round, and notes it.
func (r round) again(w *world) bool {
	d := w.digestNear(true, near)
	_, met := r[d]
	r[d] = struct{}{}
	return met
}

// repeated are the events that come again and again, whatever happens.
var repeated = []kind{evCount, evStatus, evLease, evButton, evGuard}

// deviate inserts each possible deviation: now, just before the next event, and in the middle of a long time.
// After an event that changes nothing, or after which the world is as in the round before, only messages deviate,
// unless nothing else has happened for long; what falls just before the next event meets the same world. A world at
// rest is as it was a moment ago.
func (x *explorer) deviate(w *world, left int, met round) {
	if w.now > w.last+restsFor && w.beat == len(w.setup.day) {
		return
	}
	gap := w.until() - w.now
	again := met.again(w)
	if (w.dull || again) && w.now-w.chose < long {
		x.branch(w, w.now, messagesOnly, left)
		if again {
			return
		}
	} else {
		x.branch(w, w.now, everything, left)
		w.chose = w.now
		if gap > long {
			x.branch(w, (w.now + gap/2).Truncate(time.Millisecond), noMessages, left)
		}
	}
	if k := w.queue[len(w.queue)-1].kind; k == evBeat && gap > 2*little {
		x.branch(w, w.until()-little, noMessages, left)
	}
	if k := w.queue[len(w.queue)-1].kind; gap > short && !slices.Contains(repeated, k) {
		x.branch(w, w.until()-before, noMessages, left)
		w.chose = w.now
	}
}

// which deviations are chosen among.
type which uint8

const (
	everything which = iota
	messagesOnly
	noMessages
)

func (x *explorer) branch(w *world, at time.Duration, which which, left int) {
	for _, c := range w.choices(which, nil) {
		if x.full() {
			return
		}
		if len(x.only) > 0 && !slices.Contains(x.only, menu[c.deviation].name) && !slices.Contains(x.only, c.key) {
			continue
		}
		if left < x.depth && w.barred(c) {
			continue
		}
		if left == x.depth {
			x.first++
			if !x.part.has(x.first) {
				continue
			}
		}
		branch := w.clone()
		branch.passTo(at)
		if x.hands == nil || left < x.depth {
			x.take(branch, c, left)
			continue
		}
		x.hands <- struct{}{}
		hand := &explorer{search: x.search}
		x.work.Go(func() {
			hand.take(branch, c, left)
			<-x.hands
		})
	}
}

// full reports whether as many schedules were run as may be.
func (x *explorer) full() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.limit == 0 || x.result.Schedules < x.limit {
		return false
	}
	x.result.Finished = false
	return true
}

// take runs the schedules in which a world deviates now.
func (x *explorer) take(w *world, c choice, left int) {
	x.path = append(x.path, fmt.Sprintf("%d+%d.%s", w.now.Microseconds(), w.same, c.key))
	w.deviate(c)
	if left > 1 { // another one may come at the same moment
		x.branch(w, w.now, everything, left-1)
	}
	x.run(w, left-1)
	x.path = x.path[:len(x.path)-1]
}

// passTo lets time pass in which nothing happens.
func (w *world) passTo(at time.Duration) {
	if at > w.now {
		w.now, w.same = at, 0
	}
}

func (w *world) deviate(c choice) {
	w.last = w.now
	w.tell("DEVIATION: %s", c.key)
	w.alone = w.alone || menu[c.deviation].alone()
	menu[c.deviation].do(w, c.thing)
	w.judge.look(w)
}

func (x *explorer) violated(words string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	k := slices.IndexFunc(x.result.Violations, func(v Violation) bool { return v.Words == words })
	if k >= 0 {
		x.result.Violations[k].Count++
		return
	}
	x.result.Violations = append(x.result.Violations, Violation{Words: words, ID: x.id(), Count: 1})
	x.tellNews()
}

// id is the id of the schedule that is run.
func (x *explorer) id() string { return x.result.Name + ":" + strings.Join(x.path, ",") }

func (x *explorer) tellNews() {
	if x.news != nil {
		x.news(x.result, x.id())
	}
}

// Story is a schedule that was run again.
type Story struct {
	Lines      []string
	Violations []string
	Missed     []string // deviations of the id that were not possible
}

// Replay runs the schedule of an id: the network, and each deviation with its moment in microseconds and the
// number of events that have happened at that moment.
func Replay(id string, tell bool) (Story, error) {
	name, list, _ := strings.Cut(id, ":")
	setup, err := Find(name)
	if err != nil {
		return Story{}, err
	}
	w := newWorld(setup)
	if tell {
		w.story = &story{}
	}
	missed, err := w.replay(list)
	s := Story{Violations: w.verdict, Missed: missed}
	if w.story != nil {
		s.Lines = w.story.lines
	}
	return s, err
}

var errID = errors.New("an id is NETWORK:MICROSECONDS+EVENTS.DEVIATION, several with commas")

func (w *world) replay(list string) (missed []string, err error) {
	missed, err = w.deviations(list)
	for err == nil && !w.over() {
		w.advance()
	}
	w.judge.finish(w)
	return missed, err
}

// deviations goes on to the newest deviation of a list.
func (w *world) deviations(list string) (missed []string, err error) {
	for _, one := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		moment, key, ok := strings.Cut(one, ".")
		us, same, _ := strings.Cut(moment, "+")
		at, wrong := strconv.ParseInt(us, 10, 64)
		events, alsoWrong := strconv.Atoi(same)
		if !ok || wrong != nil || alsoWrong != nil {
			return nil, errID
		}
		if !w.replayOne(time.Duration(at)*time.Microsecond, events, key) {
			missed = append(missed, one)
		}
	}
	return missed, nil
}

// replayOne goes on to the moment of a deviation and lets it happen. Where the engine has changed since the
// schedule was found, it may become possible a little later.
func (w *world) replayOne(at time.Duration, events int, key string) bool {
	for !w.over() && (w.until() < at || w.until() == at && (w.now < at || w.same < events)) {
		w.advance()
	}
	for !w.over() && w.now < at+time.Second {
		w.passTo(at)
		for _, c := range w.choices(everything, nil) {
			if c.key == key {
				w.deviate(c)
				return true
			}
		}
		w.advance()
	}
	return false
}
