//go:build ros

package rosnet

import (
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/engine/stopinput"
)

// TestA12WordsOfAButtonThatTheEngineHears: each change at once, and what repeats the word before now and then.
func TestA12WordsOfAButtonThatTheEngineHears(t *testing.T) {
	const c, s, g = stopinput.Clear, stopinput.Stop, stopinput.Garbled
	one, two := rclgo.GID{11: 1}, rclgo.GID{11: 2}
	type word struct {
		after time.Duration // the word before
		by    rclgo.GID
		word  stopinput.Word
		heard bool
	}
	ms := time.Millisecond
	for _, row := range []struct {
		name  string
		words []word
	}{
		{"a press soon after a clear word", []word{{0, one, c, true}, {ms, one, s, true}}},
		{"a release soon after a press", []word{{0, one, s, true}, {ms, one, c, true}, {ms, one, s, true}}},
		{"a word that cannot be read", []word{{0, one, c, true}, {ms, one, g, true}, {ms, one, c, true}}},
		{"repeated words", []word{{0, one, c, true}, {49 * ms, one, c, false}, {ms, one, c, true}, {ms, one, c, false}}},
		{"a press that is held", []word{{0, one, s, true}, {49 * ms, one, s, false}, {ms, one, s, true}}},
		{"another button says the same", []word{{0, one, s, true}, {0, two, s, true}, {0, two, c, true}, {0, one, s, false}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			b, now := newButtons(500*ms), time.Now()
			for k, w := range row.words {
				now = now.Add(w.after)
				if got := b.says(w.by, w.word, now); got != w.heard {
					t.Errorf("word %d (%v): heard: %v", k, w.word, got)
				}
			}
		})
	}
}

// TestA12TheWordsOfAProcessThatHasEnded: what waited when it ended does not bring it back, but a press counts. What comes
// later shows that another process has ended.
func TestA12TheWordsOfAProcessThatHasEnded(t *testing.T) {
	gid, now := rclgo.GID{0: 1, 1: 0x0f, 4: 7}, time.Now()
	dead := func() *buttons {
		b := newButtons(500 * time.Millisecond)
		b.says(gid, stopinput.Clear, now.Add(-time.Second))
		b.ends(participantOf(gid), now)
		return &b
	}
	for _, row := range []struct {
		name  string
		word  stopinput.Word
		after time.Duration
		heard bool
		lives bool
	}{
		{"clear at once", stopinput.Clear, time.Millisecond, false, false},
		{"stop at once", stopinput.Stop, time.Millisecond, true, false},
		{"clear later", stopinput.Clear, time.Second, true, true},
		{"stop later", stopinput.Stop, time.Second, true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := dead()
			if b.lives(gid) {
				t.Error("it lives after its end")
			}
			if heard := b.says(gid, row.word, now.Add(row.after)); heard != row.heard || b.lives(gid) != row.lives {
				t.Errorf("heard: %v, lives: %v", heard, b.lives(gid))
			}
		})
	}
	b := dead()
	b.forgets(nil)
	if !b.lives(gid) {
		t.Error("an end is kept that the graph does not show any more")
	}
}
