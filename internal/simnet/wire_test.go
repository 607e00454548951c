package simnet

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/mirror"
	"rstate/internal/network"
)

// wired is two instances, the first of which speaks, with what the second hears of it.
type wired struct {
	*Peers
	t testing.TB
}

func newWired(t testing.TB, opt PeersOptions, keys ...string) *wired {
	t.Helper()
	var peers []Peer
	for i := range 2 {
		net, err := network.Parse("test.yaml",
			[]byte(fmt.Sprintf("simulation: demo\nnodes: {/n%d: {}}\n", i)+strings.Join(keys, "")))
		if err != nil {
			t.Fatal(err)
		}
		peers = append(peers, Peer{net, Options{Seed: uint64(i), Name: fmt.Sprintf("/p%d", i)}})
	}
	w := &wired{NewPeers(peers, opt), t}
	w.worlds[0].brain.broken = true // its engine says nothing of its own
	return w
}

// until lets the time pass.
func (w *wired) until(at time.Duration) {
	for !w.queue.empty() && w.queue.next() <= at {
		w.next(w.worlds...)
	}
	w.now = at
}

// say lets the first publish its n-th change and status.
func (w *wired) say(n int) {
	e := w.ends[0]
	e.publishes(engine.Change{TargetState: fmt.Sprint(n),
		Seen: []engine.Seen{{Instance: e.world.brain.instance(), N: uint64(n)}}})
	e.told(mirror.Status{Name: "/p0", Instance: e.world.brain.instance(), Target: fmt.Sprint(n)})
}

// heard is what the second was told of the first since then: c3 is its third change, s3 its status, lost the end of it.
func (w *wired) heard(since time.Duration) string {
	var words []string
	for _, l := range w.worlds[1].trace.lines {
		if l.at < since {
			continue
		}
		switch in := l.what.(type) {
		case engine.PeerChanged:
			words = append(words, "c"+in.Change.TargetState)
		case engine.PeerTold:
			words = append(words, "s"+in.Status.Target)
		case engine.PeerLost:
			words = append(words, "lost")
		}
	}
	return strings.Join(words, " ")
}

func (w *wired) want(since time.Duration, want string) {
	w.t.Helper()
	if got := w.heard(since); got != want {
		w.t.Errorf("since %v it heard %q, want %q\n%v", since, got, want, w.trace)
	}
}

// quick is wires on which nothing is lost and both topics take the same time.
var quick = PeersOptions{Delay: Range{time.Millisecond, time.Millisecond},
	Found: Range{10 * time.Millisecond, 10 * time.Millisecond}}

const second = time.Second

func TestAStatusIsRepeatedTwiceASecond(t *testing.T) {
	w := newWired(t, quick)
	w.until(second)
	w.say(1)
	w.until(3*second + second/4)
	w.want(0, "c1 s1 s1 s1 s1 s1")
}

func TestALateJoinerGetsWhatIsLatched(t *testing.T) {
	w := newWired(t, quick)
	w.until(second)
	w.worlds[1].brain.kill(second)
	w.say(1)
	w.say(2)
	w.until(2*second + 12*time.Millisecond)
	w.want(second, "c2 s2")
}

func TestWhoIsCutOffGetsTheNewestAfterwards(t *testing.T) {
	w := newWired(t, quick)
	w.until(second)
	w.say(1)
	w.until(second + 10*time.Millisecond)
	w.divide([]int{0, 1})
	w.say(2)
	w.say(3)
	w.until(2 * second)
	w.want(second+10*time.Millisecond, "lost")
	w.divide(nil)
	w.until(2*second + 100*time.Millisecond)
	w.want(2*second, "c3 s3")
}

func TestAShortCutIsNoLoss(t *testing.T) {
	w := newWired(t, quick)
	w.until(second)
	w.say(1)
	w.until(second + 10*time.Millisecond)
	w.divide([]int{0, 1})
	w.until(second + 100*time.Millisecond)
	w.divide(nil)
	w.until(3 * second)
	if strings.Contains(w.heard(0), "lost") {
		t.Errorf("heard %q", w.heard(0))
	}
}

func TestWhoIsKilledIsLostWithinItsLease(t *testing.T) {
	w := newWired(t, quick)
	w.until(second)
	w.say(1)
	w.until(second + 10*time.Millisecond)
	w.worlds[0].brain.kill(10 * second)
	w.until(second + livelinessLease)
	w.want(second+10*time.Millisecond, "")
	w.until(second + livelinessLease + 20*time.Millisecond)
	w.want(second+10*time.Millisecond, "lost")
	w.until(20 * second)
	w.say(7)
	w.until(20*second + 10*time.Millisecond)
	w.want(20*second, "c7 s7")
}

func TestAQuickRestartIsALossToo(t *testing.T) {
	w := newWired(t, quick)
	w.until(second)
	w.say(1)
	w.until(second + 10*time.Millisecond)
	w.worlds[0].brain.kill(50 * time.Millisecond)
	w.until(1400 * time.Millisecond)
	w.say(2)
	w.until(1800 * time.Millisecond)
	w.want(second+10*time.Millisecond, "c2 s2 lost")
}

func TestWhoStandsStillIsLostAndComesBack(t *testing.T) {
	w := newWired(t, quick)
	w.until(second)
	w.say(1)
	w.until(second + 10*time.Millisecond)
	w.worlds[0].brain.stall(time.Hour, false)
	w.until(2 * second)
	w.want(second+10*time.Millisecond, "lost")
	w.worlds[0].brain.resume()
	w.until(2*second + 510*time.Millisecond)
	w.want(2*second, "s1")
}

func TestAReaderThatStandsStillGetsTheFlood(t *testing.T) {
	w := newWired(t, quick)
	w.until(second)
	w.say(1)
	w.until(second + 10*time.Millisecond)
	w.worlds[1].brain.stall(time.Hour, false)
	w.say(2)
	w.until(second + 300*time.Millisecond)
	w.want(second+10*time.Millisecond, "")
	w.worlds[1].brain.resume()
	w.until(second + 400*time.Millisecond)
	if got := w.heard(second + 10*time.Millisecond); !strings.Contains(got, "c2") || !strings.Contains(got, "s2") {
		t.Errorf("heard %q", got)
	}
}

// TestWhatIsOverwrittenMayBeMissed: of many messages on a bad wire some are lost, none comes after a newer one, and the
// newest of each topic always comes.
func TestWhatIsOverwrittenMayBeMissed(t *testing.T) {
	missed := false
	for seed := range uint64(50) {
		w := newWired(t, PeersOptions{Seed: seed, Lost: 0.5, Slow: 0.2})
		w.until(second)
		for n := 1; n <= 20; n++ {
			w.say(n)
			w.until(w.now + 2*time.Millisecond)
		}
		w.until(10 * second)
		last := map[byte]int{}
		words := strings.Fields(w.heard(0))
		for _, word := range words {
			n := 0
			if _, err := fmt.Sscan(word[1:], &n); err != nil || n < last[word[0]] {
				t.Fatalf("seed %d: %v", seed, words)
			}
			missed = missed || n > last[word[0]]+1
			last[word[0]] = n
		}
		if last['c'] != 20 || last['s'] != 20 {
			t.Errorf("seed %d: heard %v", seed, words)
		}
	}
	if !missed {
		t.Error("nothing was ever missed")
	}
}

// TestTopicsOvertakeEachOther: a status may come before the change that it tells of.
func TestTopicsOvertakeEachOther(t *testing.T) {
	ways := map[string]bool{}
	for seed := range uint64(50) {
		w := newWired(t, PeersOptions{Seed: seed})
		w.until(second)
		w.say(1)
		w.until(second + 10*time.Millisecond)
		ways[w.heard(0)] = true
	}
	if !ways["c1 s1"] || !ways["s1 c1"] || len(ways) != 2 {
		t.Errorf("heard %v", ways)
	}
}
