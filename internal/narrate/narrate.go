// Package narrate tells of a demonstration. Before each scene it prints what will happen, then it plays the scene, and
// then it prints the result. The last line counts the scenes that went as expected.
//
// It knows nothing of what happens in a scene. It may import the standard library only.
package narrate

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

// Story is a demonstration.
type Story struct {
	Prologue string
	Scenes   []Scene
	Epilogue string // printed if every scene went as expected
	Close    func() // ends what the scenes have started, before the epilogue
}

// Scene is a part of a demonstration: the text before it, and a function that plays it. The function returns the
// result, or an error if the scene did not go as expected.
type Scene struct {
	Said string
	Play func() (told string, err error)
}

// End is how a demonstration ends.
type End int

// The ends of a demonstration.
const (
	AsExpected End = iota
	Failed         // a scene did not go as expected, or it took too long
	Stopped        // the user stopped it
)

// Teller plays a demonstration.
type Teller struct {
	Out  io.Writer
	Pace time.Duration // time to read the text before each scene
	Logs *Tail         // logs of the processes; printed if a scene fails
}

// Tell plays the scenes until one of them fails or the context ends.
func (t *Teller) Tell(ctx context.Context, story Story) End {
	fmt.Fprint(t.Out, story.Prologue)
	count := len(story.Scenes)
	for i, s := range story.Scenes {
		Wait(ctx, t.Pace/2)
		fmt.Fprintf(t.Out, "\n%d. %s\n\n", i+1, s.Said)
		Wait(ctx, t.Pace/2)
		told, err := s.Play()
		if cause := context.Cause(ctx); cause != nil {
			fmt.Fprintf(t.Out, "\nEnding everything: %v.\n%d of %d scenes as expected\n", cause, i, count)
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return Failed
			}
			return Stopped
		}
		if err != nil {
			fmt.Fprintf(t.Out, "   UNEXPECTED: %v\n\nThe last log lines of the processes:\n%s\n%d of %d scenes as expected\n", err, t.Logs, i, count)
			return Failed
		}
		fmt.Fprintf(t.Out, "   Result: %s\n", told)
	}
	story.Close()
	fmt.Fprintf(t.Out, "%s%d of %d scenes as expected\n", story.Epilogue, count, count)
	return AsExpected
}

// Shown returns a writer that indents the output of a command below its scene.
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

// indenter indents every line by three columns.
type indenter struct {
	out   io.Writer
	fresh bool // at the beginning of a line
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

// Tail keeps the end of the text that is written to it, from any goroutine.
type Tail struct {
	mu   sync.Mutex
	text string
}

// Kept is the number of bytes that a Tail keeps.
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
