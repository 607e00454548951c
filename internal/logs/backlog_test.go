package logs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// door is a writer that blocks until it is opened.
type door struct {
	open   chan struct{}
	mu     sync.Mutex
	text   bytes.Buffer
	writes int
}

func (d *door) Write(p []byte) (int, error) {
	<-d.open
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writes++
	return d.text.Write(p)
}

func (d *door) lines() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Split(strings.TrimSuffix(d.text.String(), "\n"), "\n")
}

func spoolTo(d *door) *backlog {
	return &backlog{to: d, lost: func(n int) []byte { return fmt.Appendf(nil, "%d lost\n", n) }}
}

// TestLogIsWrittenBehind: logging never waits; lines that arrive during a write are written
// together, in order.
func TestLogIsWrittenBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &door{open: make(chan struct{})}
		s := spoolTo(d)
		var want []string
		for i := range 100 {
			want = append(want, fmt.Sprint(i))
			fmt.Fprintln(s, i)
		}
		time.Sleep(2 * spoolGather) // the first lines wait at the door
		for i := 100; i < 200; i++ {
			want = append(want, fmt.Sprint(i))
			fmt.Fprintln(s, i)
		}
		close(d.open)
		_ = s.Sync()
		if got := d.lines(); !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
		if d.writes != 2 {
			t.Errorf("%d writes, want one for each time that it came to write", d.writes)
		}
		fmt.Fprintln(s, "again")
		_ = s.Sync()
		if got := d.lines(); got[len(got)-1] != "again" {
			t.Errorf("after a pause it got %v", got)
		}
	})
}

// TestLogThatNobodyReads: a blocked console blocks no caller; memory is bounded, and the missing
// lines are counted.
func TestLogThatNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &door{open: make(chan struct{})}
		s := spoolTo(d)
		line := strings.Repeat("x", 1<<10-1)
		fmt.Fprintln(s, line)
		time.Sleep(2 * spoolGather)
		for range 1500 {
			fmt.Fprintln(s, line)
		}
		_ = s.Sync() // cannot succeed
		if len(s.waiting) > spoolBytes {
			t.Errorf("%d bytes wait", len(s.waiting))
		}
		close(d.open)
		_ = s.Sync()
		if got := d.lines(); len(got) != 1+1024+1 || got[len(got)-1] != "476 lost" {
			t.Errorf("%d lines, the last %.20q", len(got), got[len(got)-1])
		}
	})
}

func TestLogOfManyIsWhole(t *testing.T) {
	d := &door{open: make(chan struct{})}
	close(d.open)
	s := spoolTo(d)
	var all sync.WaitGroup
	for who := range 8 {
		all.Go(func() {
			for i := range 500 {
				fmt.Fprintf(s, "%d %d\n", who, i)
			}
		})
	}
	all.Wait()
	_ = s.Sync()
	next := map[int]int{}
	for _, line := range d.lines() {
		var who, i int
		if _, err := fmt.Sscanf(line, "%d %d", &who, &i); err != nil || i != next[who] {
			t.Fatalf("%q after %d lines of that writer (%v)", line, next[who], err)
		}
		next[who]++
	}
	for who := range 8 {
		if next[who] != 500 {
			t.Errorf("%d lines of writer %d", next[who], who)
		}
	}
}
