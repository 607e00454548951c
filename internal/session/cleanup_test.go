package session

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func TestCleanupsRunNewestFirstOnceAndGoOnAfterAnError(t *testing.T) {
	var order []string
	c := Cleanups{Log: zap.NewNop()}
	for _, name := range []string{"context", "node", "world"} {
		c.Add(name, func() error {
			order = append(order, name)
			return errors.New("cannot")
		})
	}
	c.Run(time.Minute)
	c.Run(time.Minute)
	if want := []string{"world", "node", "context"}; !slices.Equal(order, want) {
		t.Errorf("closed %v, want %v", order, want)
	}
}

func TestWhatDoesNotCloseIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, said := observer.New(zap.WarnLevel)
		c := Cleanups{Log: zap.New(core)}
		let := make(chan struct{})
		c.Add("context", func() error { return nil })
		c.Add("node", func() error { <-let; return nil })
		c.Add("world", func() error { return nil })
		began := time.Now()
		c.Run(time.Second)
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %v", took)
		}
		if all := said.All(); len(all) != 1 || all[0].ContextMap()["part"] != "node" {
			t.Errorf("it said %v", all)
		}
		close(let)
	})
}

// TestSimulationsOfAFactoryCloseOneAfterAnother: each has the whole time for itself, whatever it has waited.
func TestSimulationsOfAFactoryCloseOneAfterAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, said := observer.New(zap.WarnLevel)
		turn, closed, most := newTurns(), 0, 0
		var all sync.WaitGroup
		var closing atomic.Int64
		for range 100 {
			c := Cleanups{Log: zap.New(core)}
			c.Add("node", func() error {
				most = max(most, int(closing.Add(1)))
				time.Sleep(LetGo / 2)
				closing.Add(-1)
				closed++
				return nil
			})
			all.Go(func() { turn.run(&c) })
		}
		all.Wait()
		if closed != 100 || most != 1 || said.Len() != 0 {
			t.Errorf("%d of 100 have closed, %d at a time at the most; it said %v", closed, most, said.All())
		}
	})
}

// TestAfterOneThatDoesNotCloseTheOthersHaveLessTime, because the middleware may hang.
func TestAfterOneThatDoesNotCloseTheOthersHaveLessTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn, let := newTurns(), make(chan struct{})
		for _, want := range []time.Duration{LetGo, CloseAtLeast, CloseAtLeast} {
			c := Cleanups{Log: zap.NewNop()}
			c.Add("node", func() error { <-let; return nil })
			began := time.Now()
			turn.run(&c)
			if took := time.Since(began); took != want {
				t.Errorf("it took %v, want %v", took, want)
			}
		}
		close(let)
	})
}
