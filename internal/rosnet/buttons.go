//go:build ros

package rosnet

import (
	"slices"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/engine/stopinput"
	"rstate/internal/procs"
)

// wordsInSilence is how many repeated words of a writer are posted in the time that counts as silence.
const wordsInSilence = 10

// sentBefore is how long after the end of a process its words count as sent before it: they may have waited in a queue.
const sentBefore = time.Second

// buttons is what a stop input has heard of its writers, and which of them have ended.
type buttons struct {
	silent time.Duration
	last   map[rclgo.GID]stopWord          // that was posted
	ended  map[procs.Participant]time.Time // whose process has ended, as the kernel says
}

type stopWord struct {
	word stopinput.Word
	at   time.Time
}

func newButtons(silent time.Duration) buttons {
	return buttons{silent: silent, last: map[rclgo.GID]stopWord{}, ended: map[procs.Participant]time.Time{}}
}

// says takes a word, and reports whether the engine has to hear it: each change of a word, and one that repeats the one
// before often enough to show that its writer speaks. What waited when the process of its writer ended is left out, unless
// it says stop. A word that comes later shows that another process than the writer's has ended.
func (b *buttons) says(gid rclgo.GID, word stopinput.Word, now time.Time) bool {
	if at, ok := b.ended[participantOf(gid)]; ok {
		late := now.Sub(at) >= sentBefore
		if !late && word != stopinput.Stop {
			return false
		}
		if late {
			delete(b.ended, participantOf(gid))
		}
	}
	last, known := b.last[gid]
	if known && last.word == word && now.Sub(last.at) < b.silent/wordsInSilence {
		return false
	}
	if len(b.last) > sharedDepth { // of publishers that have gone
		clear(b.last)
	}
	b.last[gid] = stopWord{word, now}
	return true
}

// ends notes the end of a process.
func (b *buttons) ends(p procs.Participant, now time.Time) { b.ended[p] = now }

// lives reports whether the process of a writer is not known to have ended.
func (b *buttons) lives(gid rclgo.GID) bool {
	_, ended := b.ended[participantOf(gid)]
	return !ended
}

// forgets forgets the ends of processes that the graph does not show any more.
func (b *buttons) forgets(shown []procs.Participant) {
	for p := range b.ended {
		if !slices.Contains(shown, p) {
			delete(b.ended, p)
		}
	}
}
