package looper

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rstate/internal/engine"
	"rstate/internal/gate"
	"rstate/internal/stepper"
)

// slowly answers after 100 ms.
func slowly(_ Call, answer func(Answer, error)) bool {
	time.AfterFunc(100*time.Millisecond, func() { answer(Answer{Answered: stepper.Answered{OK: true}}, nil) })
	return true
}

// TestAStopOfAnotherRunEndsNone: neither of an earlier run nor of one to come.
func TestAStopOfAnotherRunEndsNone(t *testing.T) {
	in(t, "", func(w *world) {
		w.start(1)
		w.end()
		w.simulator.does = slowly
		w.start(2)
		time.Sleep(50 * time.Millisecond)
		for _, run := range []uint64{1, 3} {
			w.loop.Carry(engine.StopLoop{Run: run, Want: stepper.Abort, Why: "of another run"})
		}
		if e := w.end(); e.ByUs || e.Fault || e.Cycles != 2 {
			t.Errorf("it ended as %+v", e)
		}
	})
}

// TestAFaultBesideOurStopIsNotOurs: the engine has to hear of it.
func TestAFaultBesideOurStopIsNotOurs(t *testing.T) {
	in(t, "", func(w *world) {
		w.simulator.does = slowly
		w.start(0)
		time.Sleep(50 * time.Millisecond)
		w.loop.Carry(engine.StopLoop{Run: 1, Want: stepper.Stop, Why: "stop began"})
		w.loop.queue.Put(broken{why: "the recording broke"})
		if e := w.end(); e.ByUs || !e.Fault {
			t.Errorf("it ended as %+v", e)
		}
	})
}

// TestL7TheReadersOfAnEarlierStepBeginNone: a step waits for its own readers.
func TestL7TheReadersOfAnEarlierStepBeginNone(t *testing.T) {
	in(t, "", func(w *world) {
		g := w.loop.conf.Gate.(*gate.Gate)
		w.start(1)
		w.end()
		w.went()
		var all sync.WaitGroup
		all.Go(func() { _ = g.Read(w.t.Context(), time.Second, func() { time.Sleep(time.Second) }) })
		synctest.Wait()
		w.start(1)
		synctest.Wait()
		for hold := range w.loop.holds {
			w.loop.queue.Put(read{hold})
		}
		if got := w.went(); got != "" {
			t.Errorf("a step began while a reader read: %s", got)
		}
		all.Wait()
		if e := w.end(); e.Fault || e.Cycles != 1 {
			t.Errorf("it ended as %+v", e)
		}
	})
}

// TestTheParticipantsOfAnotherRunEndNone: the next run waits for its own.
func TestTheParticipantsOfAnotherRunEndNone(t *testing.T) {
	in(t, "", func(w *world) {
		w.start(1)
		w.end()
		w.pilot.away = true
		w.start(1)
		synctest.Wait()
		w.loop.queue.Put(ready{run: 1, node: 0, why: "too late"})
		synctest.Wait()
		w.loop.Carry(engine.StopLoop{Run: 2, Want: stepper.Stop, Why: "stop began"})
		if e := w.end(); e.Fault || !e.ByUs {
			t.Errorf("it ended as %+v", e)
		}
	})
}
