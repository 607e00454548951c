// Package tale tells a story that happens while it is told, to a person who watches: scene by scene, what is to come is
// said, then it happens, and whether it went as told. The last line counts.
//
// It knows nothing of what happens in a scene. It may import the standard library only.
package tale

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Tale is a story.
type Tale struct {
	Prologue string
	Scenes   []Scene
	Epilogue string // where all went as told
	Close    func() // ends what the scenes have begun, before the epilogue says that it has ended
}

// Scene is a part of it: what is said before it, and what is to happen. What happens otherwise is its error.
type Scene struct {
	Said string
	Play func() (told string, err error)
}

// End is how a telling ends.
type End int

// The ends of a telling.
const (
	AsTold  End = iota
	Failed      // a scene went otherwise, or it took too long
	Stopped     // somebody stopped it
)

// Teller is who tells.
type Teller struct {
	Out  io.Writer
	Pace time.Duration // for a person to read before each scene
	Logs *Tail         // of the processes; shown when a scene goes otherwise
}

// Tell plays the scenes and says for each whether it went as told. The first that did not is the last. The cause of the
// context's end is said.
func (t *Teller) Tell(ctx context.Context, tale Tale) End {
	fmt.Fprint(t.Out, tale.Prologue)
	count := len(tale.Scenes)
	for i, s := range tale.Scenes {
		Wait(ctx, t.Pace/2)
		fmt.Fprintf(t.Out, "\n%d. %s\n\n", i+1, s.Said)
		Wait(ctx, t.Pace/2)
		told, err := s.Play()
		if cause := context.Cause(ctx); cause != nil {
			fmt.Fprintf(t.Out, "\nEnding everything: %v.\n%d of %d as told\n", cause, i, count)
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return Failed
			}
			return Stopped
		}
		if err != nil {
			fmt.Fprintf(t.Out, "   NOT as told: %v\n\nWhat the processes said last:\n%s\n%d of %d as told\n", err, t.Logs, i, count)
			return Failed
		}
		fmt.Fprintf(t.Out, "   As told: %s\n", told)
	}
	tale.Close()
	fmt.Fprintf(t.Out, "%s%d of %d as told\n", tale.Epilogue, count, count)
	return AsTold
}

// Shown is where what a command prints goes: below its scene.
func (t *Teller) Shown() io.Writer { return &indenter{out: t.Out, fresh: true} }

// Wait returns after a time, or when ctx is done.
func Wait(ctx context.Context, span time.Duration) {
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// indenter puts everything three steps to the right.
type indenter struct {
	out   io.Writer
	fresh bool // a line begins
}

func (n *indenter) Write(text []byte) (int, error) {
	var shifted bytes.Buffer
	for _, c := range text {
		if n.fresh && c != '\n' {
			shifted.WriteString("   ")
		}
		shifted.WriteByte(c)
		n.fresh = c == '\n'
	}
	_, err := n.out.Write(shifted.Bytes())
	return len(text), err
}

// Tail keeps the end of what is written. It may be written to from anywhere.
type Tail struct {
	mu   sync.Mutex
	text string
}

// Kept is how much of it.
const Kept = 8 << 10

func (b *Tail) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text += string(text)
	if len(b.text) > Kept {
		b.text = b.text[len(b.text)-Kept:]
		b.text = b.text[strings.IndexByte(b.text, '\n')+1:]
	}
	return len(text), nil
}

func (b *Tail) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text
}
