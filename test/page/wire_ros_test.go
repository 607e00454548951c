//go:build ros

package page

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/team"
	"rstate/test/bed/wire"
)

// door leads connections of this machine on to an address that a host on a wire reaches, and returns where it is.
func door(t *testing.T, at *wire.Host, address string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return // the test has ended
			}
			go lead(near, at, address)
		}
	}()
	return l.Addr().String()
}

func lead(near net.Conn, at *wire.Host, address string) {
	defer near.Close()
	var far net.Conn
	if err := at.Do(func() (err error) {
		far, err = net.DialTimeout("tcp", address, 2*time.Second) // a wire that is cut answers nothing
		return err
	}); err != nil {
		return
	}
	defer far.Close()
	go func() {
		_, _ = io.Copy(far, near)
		far.Close()
	}()
	_, _ = io.Copy(near, far)
}

// TestRealPeers: two peers are cut from each other, and the page of one tells what the other does after they are healed.
func TestRealPeers(t *testing.T) {
	land := team.NewLand(t, "base", "arm")
	m := team.New(t, binary)
	arm := m.Joins(land.Site("arm"), team.Member{})
	base := m.Joins(land.Site("base"), team.Member{HTTP: true})
	m.Meet()
	b := browse(t, door(t, base.Site.At, strings.TrimPrefix(base.Address(), "http://")))
	b.list("peers")
	b.shows(".peers tbody", arm.Name)
	b.shows(".peers tbody", "in step")
	b.presses("configure")
	b.rests("inactive", "as commanded", "intact")
	m.Agree("inactive") // it follows the page
	land.Wire.Cut(arm.Site.At)
	b.shows(".peers tbody", "not heard")
	b.shows(".peers tbody", "last inactive")
	b.rests("inactive", "as commanded", "intact")
	arm.Do("cleanup", "succeeded done unconfigured")
	b.shows(".peers tbody", "last inactive")
	land.Wire.Heal(arm.Site.At)
	b.rests("unconfigured", "as commanded", "intact") // the lower one wins
	b.shows(".peers tbody", "in step")
	m.Agree("unconfigured")
	b.clean()
}

// TestRealWire: a page behind a wire that is slow, loses frames, drops and comes back. It never shows an old state as new.
func TestRealWire(t *testing.T) {
	land := team.NewLand(t, "robot", "desk")
	robot, desk := land.Site("robot"), land.Wire.Host("desk")
	name := "/" + bed.Unique(t, "plant")
	node := robot.Host.Node(bed.NodeSpec{Name: name + "/lidar", Threads: 2})
	d := daemon.Start(t, robot.Host, daemon.Config{Binary: binary, Name: name + "/rstate", HTTP: true,
		Listen: robot.At.Address.String() + ":8080", On: robot.At.Do, Env: robot.Environment(),
		Network: fmt.Sprintf("nodes: {%s: {}}\n", node.Name)})
	d.Intact("unconfigured")
	b := browse(t, door(t, desk, strings.TrimPrefix(d.Address(), "http://")))
	b.rests("unconfigured", "as commanded", "intact")
	b.witnessed()
	land.Wire.Set(wire.Faults{Loss: 0.1, Delay: 100 * time.Millisecond, Jitter: 100 * time.Millisecond})
	old := "unconfigured"
	for _, state := range []string{"inactive", "active"} {
		land.Wire.Cut(desk)
		b.shows(".link", "No news")
		d.Do(state, "succeeded done "+state)
		// What the daemon sent before the change is under way still. It is no news when it is older than the page allows.
		b.script(`window.seen = []; window.changed = performance.now()`)
		b.until(`performance.now() - window.changed > 2000`)
		land.Wire.Heal(desk)
		b.rests(state, "as commanded", "intact")
		if seen := b.seen(); strings.Contains(seen, "live "+old) {
			t.Errorf("an old state is shown as new: %s", seen)
		}
		old = state
	}
	b.clean()
}
