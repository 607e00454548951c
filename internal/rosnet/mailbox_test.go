//go:build ros

package rosnet

import (
	"context"
	"testing"
)

func TestMailboxKeepsOrderAndEndsWithItsContext(t *testing.T) {
	m := newMailbox[int]()
	const many = 100
	go func() {
		for i := range many {
			m.put(i)
		}
	}()
	for want := range many {
		if got, ok := m.next(t.Context()); !ok || got != want {
			t.Fatalf("got %d, %v, want %d", got, ok, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, ok := m.next(ctx); ok {
		t.Errorf("got %d from an empty box", got)
	}
}
