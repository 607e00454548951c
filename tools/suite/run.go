package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
)

// ended is closed when a stage has ended, and then says whether it passed.
type ended struct {
	done   chan struct{}
	passed bool
}

// runner runs the stages of a choice.
type runner struct {
	out    *lockedWriter
	sum    *tally
	stages map[string]*ended
	total  int

	lock  sync.Mutex
	begun int
	costs []cost
}

// run runs the stages and returns the exit status.
func (c choice) run(ctx context.Context, s situation, out io.Writer) int {
	r := &runner{out: &lockedWriter{out: out}, stages: map[string]*ended{}, total: len(c.stages)}
	r.sum = newTally(r.out, os.Getenv("CI") == "true")
	lanes := map[lane][]stage{}
	for _, st := range c.stages {
		if st.counts {
			st.meter = s.meter
		}
		r.stages[st.name] = &ended{done: make(chan struct{})}
		lanes[st.lane] = append(lanes[st.lane], st)
	}
	fmt.Fprintf(r.out, "== %s: %d stages\n", c.title, r.total)
	meter, err := newMeter()
	if err != nil {
		r.sum.fail(err.Error())
		return r.sum.finish(c.leftOut)
	}
	defer meter.end()

	var most sync.WaitGroup
	most.Go(func() { r.inOrder(ctx, lanes[prepares], 1) })
	most.Go(func() { r.inOrder(ctx, lanes[computes], 1) })
	most.Go(func() { r.inOrder(ctx, lanes[inRooms], rooms()) })
	most.Wait()
	r.inOrder(ctx, lanes[apart], 1)

	if len(c.eighths) > 0 && r.sum.failed > 0 && ctx.Err() == nil {
		r.asksParent(ctx, s, c)
	}
	printCosts(r.out, r.costs, meter.packages(), c.tabled)
	return r.sum.finish(c.leftOut)
}

// inOrder begins stages in their order, and has some of them at work at a time.
func (r *runner) inOrder(ctx context.Context, stages []stage, atOnce int) {
	free := make(chan bool, atOnce)
	var all sync.WaitGroup
	for _, s := range stages {
		free <- true
		all.Go(func() {
			defer func() { <-free }()
			r.one(ctx, s)
		})
	}
	all.Wait()
}

// one runs a stage when those that it needs have passed, and counts what it did.
func (r *runner) one(ctx context.Context, s stage) {
	mine := r.stages[s.name]
	defer close(mine.done)
	t := newTally(r.out, r.sum.skipFails)
	missing := ""
	for _, name := range s.after {
		if before := r.stages[name]; before != nil {
			if <-before.done; !before.passed {
				missing = name
			}
		}
	}
	switch {
	case ctx.Err() != nil:
		t.fail(s.name + " (interrupted before it began)")
	case missing != "":
		t.fail(s.name + " (not begun, since it needs this, which failed: " + missing + ")")
	default:
		fmt.Fprintf(r.out, "== [%d/%d] %s\n", r.next(), r.total, s.name)
		c := s.run(ctx, t, r.out)
		r.lock.Lock()
		r.costs = append(r.costs, c)
		r.lock.Unlock()
	}
	mine.passed = t.failed == 0
	r.lock.Lock()
	defer r.lock.Unlock()
	r.sum.add(t)
}

func (r *runner) next() int {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.begun++
	return r.begun
}

// rooms is how many stages on ROS run at a time. Two do where each package can have a network and a /dev/shm of its own
// (test/bed/private.go); elsewhere they would meet each other. With three, two processors have no time left.
func rooms() int {
	for _, flags := range []string{"-mn", "-rmn"} {
		if exec.Command("unshare", flags, "true").Run() == nil {
			return 2
		}
	}
	return 1
}

// lockedWriter lets several stages write.
type lockedWriter struct {
	lock sync.Mutex
	out  io.Writer
}

func (w *lockedWriter) Write(text []byte) (int, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.out.Write(text)
}

// onlyIn returns the stages of a choice that have tests with some ids, with these only.
func (c choice) onlyIn(ids []string) []stage {
	var found []stage
	for _, st := range c.stages {
		at := slices.Index(st.args, "-run")
		if at < 0 || len(st.units) == 0 {
			continue
		}
		names := namesOf(keep(st.units, func(u unit) bool { return slices.Contains(ids, u.id()) }))
		if len(names) == 0 {
			continue
		}
		st.args = slices.Clone(st.args)
		st.args[at+1] = exactly(names)
		found = append(found, st)
	}
	return found
}
