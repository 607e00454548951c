package term

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// Screen draws lines in place. Use its methods side by side as you like.
type Screen struct {
	out   io.Writer
	whole bool // a page of its own, as pagers have, and the page before it comes back; else below what was said before
	plain bool

	mu    sync.Mutex
	open  bool
	drawn []int // how wide the lines on the terminal are that are ours
}

// NewScreen makes a view on the terminal. It is opened by its first Show.
func NewScreen(out io.Writer, whole bool) *Screen {
	return &Screen{out: out, whole: whole, plain: os.Getenv("NO_COLOR") != ""}
}

const (
	hideCursor, showCursor = "\x1b[?25l", "\x1b[?25h"
	newPage, oldPage       = "\x1b[?1049h", "\x1b[?1049l"
	home, eraseBelow       = "\x1b[H", "\x1b[J"
)

// Print writes a line. It has styles only on a terminal, and not where NO_COLOR is set.
func Print(out io.Writer, l Line) {
	fmt.Fprintln(out, l.render(1<<20, Is(out) && os.Getenv("NO_COLOR") == ""))
}

// Room is how many lines a view may have, and how wide they are.
func (s *Screen) Room() (width, height int) {
	width, height = Size(s.out)
	if !s.whole {
		height-- // the line in which the cursor waits
	}
	return width, max(1, height)
}

// Show draws the lines over those that it drew last. What the terminal has no room for is not drawn.
func (s *Screen) Show(lines []Line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	width, height := s.Room()
	lines = lines[:min(len(lines), height)]
	var b strings.Builder
	if !s.open {
		s.open, s.drawn = true, nil
		b.WriteString(hideCursor)
		if s.whole {
			b.WriteString(newPage)
		}
	}
	// What is erased is erased first: a full line leaves the cursor on its last letter, which would go with the rest.
	b.WriteString(s.back(width, height) + eraseBelow)
	s.drawn = s.drawn[:0]
	for i, l := range lines {
		b.WriteString("\r" + l.render(width, !s.plain))
		s.drawn = append(s.drawn, Width(l.render(width, false)))
		if !s.whole || i < len(lines)-1 {
			b.WriteByte('\n')
		}
	}
	_, _ = io.WriteString(s.out, b.String()) // a terminal that has gone ends us by a signal
}

// back moves to where the first line of ours is. Terminals that were made narrower break a line that is too long now
// into several rows, and take the cursor along. Those that cut such lines instead lose as many rows above the view.
func (s *Screen) back(width, height int) string {
	if s.whole {
		return home
	}
	rows := 0
	for _, n := range s.drawn {
		rows += max(1, (n+width-1)/width)
	}
	if rows == 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", min(rows, height))
}

// Say writes lines above the view, where they stay. The view itself is gone until the next Show.
func (s *Screen) Say(lines ...Line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	width, height := s.Room()
	var b strings.Builder
	if s.open && !s.whole {
		b.WriteString(s.back(width, height) + eraseBelow)
	}
	for _, l := range lines {
		b.WriteString(l.render(1<<20, !s.plain) + "\n")
	}
	s.drawn = nil
	_, _ = io.WriteString(s.out, b.String())
}

// Pause gives the terminal back while something else goes on, and lets nothing be drawn meanwhile.
func (s *Screen) Pause(during func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
	during()
}

// Close gives the terminal back: the cursor is seen, and what was drawn stays, unless it had a page of its own. A Show
// opens the view again.
func (s *Screen) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
}

func (s *Screen) close() {
	if !s.open {
		return
	}
	s.open, s.drawn = false, nil
	end := showCursor
	if s.whole {
		end = oldPage + showCursor
	}
	_, _ = io.WriteString(s.out, end)
}
