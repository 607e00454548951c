package queue

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestItemsKeepTheirOrder(t *testing.T) {
	q := New[int]()
	next, want := 0, 0
	// Growing, shrinking and wrapping around: the numbers of puts and takes make the ring's head
	// move.
	for _, step := range []int{5, -3, 40, -30, 7, -19, 300, -299, 1, -2} {
		for ; step > 0; step-- {
			if !q.Put(next) {
				t.Fatal("an open queue refuses an item")
			}
			next++
		}
		for ; step < 0; step++ {
			if got, ok := q.TryTake(); !ok || got != want {
				t.Fatalf("TryTake() = %d, %v, want %d, true", got, ok, want)
			}
			want++
		}
		if got := q.Len(); got != next-want {
			t.Fatalf("Len() = %d, want %d", got, next-want)
		}
	}
	if got, ok := q.TryTake(); ok {
		t.Errorf("TryTake() = %d, true on an empty queue", got)
	}
}

// TestManyProducersAndConsumers catches a token without a second look at the queue: each item
// reaches one consumer, none is lost, and no consumer wakes to an empty queue or sleeps while items
// wait.
func TestManyProducersAndConsumers(t *testing.T) {
	const producers, consumers, each = 8, 8, 2000
	type item struct{ producer, n int }
	q := New[item]()
	var producing, consuming sync.WaitGroup
	var mu sync.Mutex
	got := map[item]int{}
	for range consumers {
		consuming.Go(func() {
			last := slices.Repeat([]int{-1}, producers)
			var mine []item
			for {
				i, ok := q.Take(t.Context())
				if !ok {
					break
				}
				if i.n <= last[i.producer] {
					t.Errorf("one consumer got %d of a producer after %d", i.n, last[i.producer])
				}
				last[i.producer] = i.n
				mine = append(mine, i)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, i := range mine {
				got[i]++
			}
		})
	}
	for p := range producers {
		producing.Go(func() {
			for n := range each {
				q.Put(item{p, n})
				if n%64 == 0 {
					runtime.Gosched() // lets the queue run empty now and then
				}
			}
		})
	}
	producing.Wait()
	q.Close()
	consuming.Wait()
	if len(got) != producers*each {
		t.Errorf("%d different items arrived, want %d", len(got), producers*each)
	}
	for i, times := range got {
		if times != 1 {
			t.Errorf("%+v arrived %d times", i, times)
		}
	}
}

// TestEveryConsumerIsWoken puts as many items as consumers wait: each must get one, although the items share one token.
func TestEveryConsumerIsWoken(t *testing.T) {
	const consumers = 10
	synctest.Test(t, func(t *testing.T) {
		q := New[int]()
		var woken atomic.Int32
		for range consumers {
			go func() {
				if _, ok := q.Take(t.Context()); ok {
					woken.Add(1)
				}
			}()
		}
		synctest.Wait()
		for n := range consumers {
			q.Put(n)
		}
		synctest.Wait()
		if got := woken.Load(); got != consumers {
			t.Errorf("%d of %d consumers got an item", got, consumers)
		}
	})
}

func TestTakeEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New[int]()
		ctx, cancel := context.WithCancel(t.Context())
		var ended, other atomic.Bool
		go func() {
			_, ok := q.Take(ctx)
			ended.Store(!ok)
		}()
		go func() {
			_, ok := q.Take(t.Context())
			other.Store(ok)
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		if !ended.Load() {
			t.Error("Take goes on after its context has ended")
		}
		q.Put(1) // the consumer that ended must not have swallowed the token
		synctest.Wait()
		if !other.Load() {
			t.Error("the other consumer did not get the item")
		}
		q.Put(2)
		if got, ok := q.Take(ctx); ok {
			t.Errorf("Take() = %d, true with a context that has ended", got)
		}
	})
}

// TestAnEndingConsumerPassesTheTokenOn cancels a consumer that was just given the token: another one must get the item.
func TestAnEndingConsumerPassesTheTokenOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New[int]()
		ctx, cancel := context.WithCancel(t.Context())
		go q.Take(ctx)
		synctest.Wait() // it is the first in line
		var got atomic.Bool
		go func() {
			_, ok := q.Take(t.Context())
			got.Store(ok)
		}()
		synctest.Wait()
		q.Put(1)
		cancel()
		synctest.Wait()
		if !got.Load() && q.Len() > 0 {
			t.Error("an item waits, and no consumer knows of it")
			q.Close()
		}
		if q.Len() == 0 && !got.Load() {
			q.Close() // the first consumer took the item before it ended
		}
	})
}

func TestAClosedQueueIsDrained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New[int]()
		q.Put(1)
		q.Put(2)
		q.Close()
		q.Close()
		if q.Put(3) {
			t.Error("a closed queue accepts an item")
		}
		for _, want := range []int{1, 2} {
			if got, ok := q.Take(t.Context()); !ok || got != want {
				t.Errorf("Take() = %d, %v, want %d, true", got, ok, want)
			}
		}
		if got, ok := q.Take(t.Context()); ok {
			t.Errorf("Take() = %d, true on a closed and empty queue", got)
		}
		select {
		case <-q.Ready():
		default:
			t.Error("a closed queue is not ready")
		}

		waiting := New[int]()
		var ended atomic.Int32
		for range 5 {
			go func() {
				if _, ok := waiting.Take(t.Context()); !ok {
					ended.Add(1)
				}
			}()
		}
		synctest.Wait()
		waiting.Close()
		synctest.Wait()
		if got := ended.Load(); got != 5 {
			t.Errorf("Close ended %d of 5 waiting consumers", got)
		}
	})
}

// TestASelectSeesEveryItem consumes as the coordinator's loop does: one TryTake for each receive from Ready.
func TestASelectSeesEveryItem(t *testing.T) {
	q := New[int]()
	const many = 100
	for n := range many {
		q.Put(n)
	}
	for want := range many {
		select {
		case <-q.Ready():
		default:
			t.Fatalf("the queue is not ready, and %d items wait", q.Len())
		}
		if got, ok := q.TryTake(); !ok || got != want {
			t.Fatalf("TryTake() = %d, %v, want %d, true", got, ok, want)
		}
	}
	select {
	case <-q.Ready():
		t.Error("an empty queue is ready")
	default:
	}
}

func TestMemoryIsGivenBack(t *testing.T) {
	q := New[*int]()
	const burst = 1 << 14
	for range burst {
		q.Put(new(int))
	}
	for range burst {
		q.TryTake()
	}
	if got := len(q.ring); got > least {
		t.Errorf("an empty queue keeps room for %d items", got)
	}
	if slices.ContainsFunc(q.ring, func(p *int) bool { return p != nil }) {
		t.Error("an empty queue holds on to an item")
	}
	for range burst {
		q.Put(new(int))
	}
	q.Clear()
	if q.Len() != 0 || q.ring != nil {
		t.Errorf("after Clear %d items and room for %d are left", q.Len(), len(q.ring))
	}
	if allocs := testing.AllocsPerRun(1000, func() { q.Put(nil); q.TryTake() }); allocs != 0 {
		t.Errorf("a trickle allocates %v times per item", allocs)
	}
}
