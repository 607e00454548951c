package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
)

// held makes disarms of the fake wait until ends of their simulation, or of it and their reason, are sent. handed are
// those that it got.
func (f *fake) held(ends map[string]chan Result) (handed func(id string) []Asked) {
	all := map[string][]Asked{}
	f.set(func() {
		f.handed = func(id string, a Asked) Wait {
			all[id] = append(all[id], a)
			return func(ctx context.Context) (Result, error) {
				if ctx.Done() != nil {
					return Result{}, errors.New("one client can end the wait of all")
				}
				if end := cmp.Or(ends[id+" "+a.Reason], ends[id]); end != nil {
					return <-end, nil
				}
				return Result{Success: true, Outcome: "done"}, nil
			}
		}
	})
	return func(id string) (copied []Asked) {
		f.set(func() { copied = append(copied, all[id]...) })
		return copied
	}
}

// TestC4NoDisarmIsRefusedBecauseOthersRun: a loop that hangs keeps its disarms open. Those of other simulations and of
// other hosts are handed over all the same. What comes beyond the limit shares one order, which is the newest, and is
// handed over when one of the open ones has ended.
func TestC4NoDisarmIsRefusedBecauseOthersRun(t *testing.T) {
	b := start(t, func(c *Config) { c.Token, c.Limits.Disarms = writeToken, 4 }) // 2 for this host
	const may = "Authorization: Bearer " + writeToken
	b.want(b.send("POST", "/simulation", `{"experiment":"demo"}`, may), 201)
	end, last := make(chan Result), make(chan Result)
	handed := b.fake.held(map[string]chan Result{"0": end, "0 4": last})
	replies := make(chan reply, 9)
	disarm := func(k int) {
		body := fmt.Sprintf(`{"state":"disarm","reason":"%d","id":"id%d","argument":"%d"}`, k, k, k)
		go func() { replies <- b.send("PUT", "/simulation/0/state", body) }()
	}
	next := func() (reason string) {
		d := b.server.lowering
		d.mu.Lock()
		defer d.mu.Unlock()
		if l := d.lines[lineOf{"0", true}]; l != nil && l.next != nil {
			return l.next.asked.Reason
		}
		return ""
	}
	for k := range 5 {
		disarm(k)
		wait(t, fmt.Sprintf("disarm %d is known", k), func() bool {
			return k < 2 && len(handed("0")) == k+1 || next() == strconv.Itoa(k)
		})
	}
	if n := len(handed("0")); n != 2 {
		t.Errorf("%d disarms are open", n)
	}
	b.want(b.send("PUT", "/simulation/1/state", `{"state":"disarm"}`), 200)
	go func() { replies <- b.remote("PUT", "/simulation/0/state", `{"state":"disarm"}`, may) }()
	wait(t, "that of another host is handed over", func() bool { return len(handed("0")) == 3 })

	for range 3 {
		end <- Result{Success: true}
	}
	wait(t, "the next one is handed over", func() bool { return len(handed("0")) == 4 })
	if a := handed("0")[3]; a.Reason != "4" || a.ID != "" || a.Argument != "" {
		t.Errorf("the next one is %+v", a)
	}
	for range 3 {
		b.want(<-replies, 200)
	}
	last <- Result{Outcome: "held", Message: "not confirmed"}
	for range 3 {
		b.want(<-replies, 500, "held")
	}
	wait(t, "nothing is kept", func() bool {
		b.server.lowering.mu.Lock()
		defer b.server.lowering.mu.Unlock()
		return len(b.server.lowering.lines) == 0
	})
}

// TestC4AFactoryIsDisarmedAtOnce: a program that disarms all simulations side by side, each of which takes its time.
func TestC4AFactoryIsDisarmedAtOnce(t *testing.T) {
	b := start(t)
	ends, replies := map[string]chan Result{}, make(chan reply, 100)
	for k := range 100 {
		if k > 0 {
			b.want(b.send("POST", "/simulation", `{"experiment":"demo"}`), 201)
		}
		ends[strconv.Itoa(k)] = make(chan Result)
	}
	handed := b.fake.held(ends)
	for id := range ends {
		go func() { replies <- b.send("PUT", "/simulation/"+id+"/state", `{"state":"disarm"}`) }()
	}
	for id, end := range ends {
		wait(t, "the disarm of "+id+" is handed over", func() bool { return len(handed(id)) == 1 })
		defer func() { b.want(<-replies, 200) }()
		defer func() { end <- Result{Success: true} }()
	}
}
