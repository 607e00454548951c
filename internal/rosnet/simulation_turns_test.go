//go:build ros

package rosnet

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// TestC2RequestsOfASimulationRunInTheirOrder, one after another. One that ends is not reached any more.
func TestC2RequestsOfASimulationRunInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &World{}
		w.ctx, w.cancel = context.WithCancel(t.Context())
		w.asking = w.ctx
		s, line := newSimulation(w), new(turns)
		var ran []int
		next := make(chan struct{})
		refused := 0
		for i := range mostWaiting + 3 {
			s.inTurn(line, func() {
				ran = append(ran, i)
				<-next
			}, func() { refused++ })
		}
		synctest.Wait()
		for i := range 3 {
			if !slices.Equal(ran, []int{0, 1, 2}[:i+1]) {
				t.Fatalf("after %d answers, %v have begun", i, ran)
			}
			next <- struct{}{}
			synctest.Wait()
		}
		if refused != 2 {
			t.Errorf("%d of %d are refused", refused, mostWaiting+3)
		}
		w.cancel() // what waits is given up
		next <- struct{}{}
		synctest.Wait()
		if len(ran) != 4 {
			t.Errorf("%v have begun after the end", ran)
		}
		if _, r := lineIsFull(nil, origin{}); !strings.Contains(r.Why, "8 requests wait already") {
			t.Errorf("refused: %+v", r)
		}
		w.tasks.Wait()
	})
}
