package app

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func TestCleanupsRunNewestFirstOnceAndGoOnAfterAnError(t *testing.T) {
	var order []string
	c := cleanups{log: zap.NewNop()}
	for _, name := range []string{"context", "node", "world"} {
		c.add(name, func() error {
			order = append(order, name)
			return errors.New("cannot")
		})
	}
	c.run(time.Minute)
	c.run(time.Minute)
	if want := []string{"world", "node", "context"}; !slices.Equal(order, want) {
		t.Errorf("closed %v, want %v", order, want)
	}
}

func TestWhatDoesNotCloseIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, said := observer.New(zap.WarnLevel)
		c := cleanups{log: zap.New(core)}
		let := make(chan struct{})
		c.add("context", func() error { return nil })
		c.add("node", func() error { <-let; return nil })
		c.add("world", func() error { return nil })
		began := time.Now()
		c.run(time.Second)
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %v", took)
		}
		if all := said.All(); len(all) != 1 || all[0].ContextMap()["part"] != "node" {
			t.Errorf("it said %v", all)
		}
		close(let)
	})
}
