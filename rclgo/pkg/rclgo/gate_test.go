package rclgo

import (
	"testing"
	"time"
)

// TestAGateThatShutsRefusesAtOnce: an admitted use holds up close and no other use. The loop enters gates, and an
// admitted use may wait for the loop.
func TestAGateThatShutsRefusesAtOnce(t *testing.T) {
	var g gate
	if first, second := g.enter(), g.enter(); !first || !second {
		t.Fatal("an open gate refuses")
	}
	shut, refused := make(chan struct{}, 2), make(chan struct{})
	for range cap(shut) {
		go func() { g.close(); shut <- struct{}{} }()
	}
	go func() {
		for g.enter() {
			g.leave()
		}
		close(refused)
	}()
	late := time.After(30 * time.Second)
	select {
	case <-refused:
	case <-late:
		t.Fatal("in 30 s, the gate neither admits nor refuses while another goroutine shuts it")
	}
	g.leave()
	select {
	case <-shut:
		t.Fatal("it is shut although a use is inside")
	default:
	}
	g.leave()
	for range cap(shut) {
		select {
		case <-shut:
		case <-late:
			t.Fatal("in 30 s, the gate has not shut, although nothing is inside")
		}
	}
	g.close()
	if g.enter() {
		t.Error("a shut gate admits")
	}
}
