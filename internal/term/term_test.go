package term

import (
	"io"
	"os"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/tty"
)

// onTerminal returns a file that is a terminal, and its visible content.
func onTerminal(t *testing.T, columns, lines int) (device *os.File, resize func(columns, lines int),
	seen func() *tty.Screen) {
	t.Helper()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	keyboard, device, err := tty.Open(columns, lines)
	if err != nil {
		t.Fatal(err)
	}
	screen := tty.NewScreen(columns, lines)
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(screen, keyboard) // ends with an error when the device is closed
	}()
	t.Cleanup(func() { device.Close(); keyboard.Close(); <-copied })
	resize = func(columns, lines int) {
		if err := tty.Resize(keyboard, columns, lines); err != nil {
			t.Fatal(err)
		}
		screen.Resize(columns, lines)
	}
	marks := 0
	seen = func() *tty.Screen { // all output has arrived when the mark after it has
		const mark = "\x1b[0;0m"
		if _, err := device.WriteString(mark); err != nil {
			t.Fatal(err)
		}
		marks++
		bed.Eventually(t, "the terminal shows what was written", func() (string, bool) {
			return screen.String(), strings.Count(screen.All(), mark) == marks
		})
		if strange := screen.Strange(); len(strange) > 0 {
			t.Fatalf("signs that terminals do not know: %v", strange)
		}
		return screen
	}
	return device, resize, seen
}

func lines(texts ...string) []Line {
	var all []Line
	for _, text := range texts {
		all = append(all, Text(text, Bold))
	}
	return all
}

func TestShowDrawsOverWhatWasDrawn(t *testing.T) {
	for name, whole := range map[string]bool{"a page of its own": true, "below what was said": false} {
		t.Run(name, func(t *testing.T) {
			device, resize, seen := onTerminal(t, 20, 6)
			io.WriteString(device, "$ rstate\n")
			before := "$ rstate\n"
			if whole {
				before = ""
			}
			s := NewScreen(device, whole)
			expect := func(want string) {
				t.Helper()
				if got := seen().String(); got != want {
					t.Fatalf("seen:\n%s\nwant:\n%s", got, want)
				}
			}
			s.Show(lines("one", "two", "three"))
			expect(before + "one\ntwo\nthree")
			if seen().Restored() {
				t.Error("the cursor is seen while it draws")
			}
			s.Show(lines("uno", "due"))
			expect(before + "uno\ndue")
			s.Show(lines("exactly twenty wide.", "a line that is too long for it"))
			expect(before + "exactly twenty wide.\na line that is too …")
			s.Show(lines("1", "2", "3", "4"))
			resize(20, 4)
			s.Show(lines("1", "2", "3", "4", "5", "6", "7"))
			if whole {
				expect("1\n2\n3\n4")
			} else {
				expect("1\n2\n3")
			}
			s.Close()
			if !seen().Restored() {
				t.Error("the terminal is not as it was found")
			}
			if whole {
				expect("$ rstate")
			}
			s.Close()
		})
	}
}

func TestSayStaysAboveTheView(t *testing.T) {
	device, _, seen := onTerminal(t, 20, 10)
	s := NewScreen(device, false)
	s.Show(lines("view 1", "view 2"))
	s.Say(Text("said", Plain))
	s.Show(lines("view 3"))
	s.Close()
	if got := seen().String(); got != "said\nview 3" {
		t.Errorf("seen:\n%s", got)
	}
}

func TestTextsOfOthersCannotMoveTheCursor(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[2Jb": "a�[2Jb", "a\nb\tc": "a b c", "a\u202eb": "a�b", "a\xffb": "a�b", "→ /slam": "→ /slam",
	} {
		if got := Text(text, Plain).render(80, false); got != want {
			t.Errorf("%q is drawn as %q, want %q", text, got, want)
		}
	}
}

func TestLinesAreCutToTheWidth(t *testing.T) {
	line := Line{{"/slam  ", Plain}, {"active", Bold}, {" since 5 s", Dim}}
	for width, want := range map[int]string{
		80: "/slam  active since 5 s", 23: "/slam  active since 5 s", 22: "/slam  active since 5…", 13: "/slam  activ…",
		7: "/slam …", 1: "…", 0: "",
	} {
		if got := line.render(width, false); got != want {
			t.Errorf("at %d: %q, want %q", width, got, want)
		}
	}
	if got := Text("雷達雷達", Plain).render(5, false); got != "雷達…" {
		t.Errorf("letters of two columns: %q", got)
	}
	if got := line.render(10, true); got != "/slam  \x1b[1mac…\x1b[0m" {
		t.Errorf("styled: %q", got)
	}
}

func TestWhatIsATerminal(t *testing.T) {
	device, resize, _ := onTerminal(t, 33, 12)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if !Is(device) || Is(null) || Is(io.Discard) {
		t.Error("a terminal is one; /dev/null and what is no file are none")
	}
	resize(44, 10)
	if w, h := Size(device); w != 44 || h != 10 {
		t.Errorf("it is %d by %d", w, h)
	}
	t.Setenv("COLUMNS", "99")
	if w, h := Size(null); w != 99 || h != 24 {
		t.Errorf("what is no terminal is %d by %d", w, h)
	}
	t.Setenv("TERM", "dumb")
	if Is(device) {
		t.Error("a dumb terminal cannot be drawn on")
	}
}

// TestANarrowerTerminalHasOneView: whether the terminal wraps or cuts long lines, nothing of the
// old view remains.
func TestANarrowerTerminalHasOneView(t *testing.T) {
	for name, reflows := range map[string]bool{"it breaks long lines": true, "it cuts them": false} {
		t.Run(name, func(t *testing.T) {
			device, resize, seen := onTerminal(t, 30, 12)
			io.WriteString(device, "$ rstate send active\n")
			s := NewScreen(device, false)
			s.Show(lines("activating      1 of 2  0.4 s", "  /lidar  activate done", "  /slam   waits"))
			if now := seen(); reflows {
				now.Reflow(16, 12)
				if err := tty.Resize(device, 16, 12); err != nil {
					t.Fatal(err)
				}
			} else {
				resize(25, 12)
			}
			s.Show(lines("activating", "  /lidar", "  /slam"))
			s.Close()
			got := seen().String()
			if strings.Count(got, "activating") != 1 || strings.Count(got, "/lidar") != 1 ||
				strings.Count(got, "/slam") != 1 || strings.Contains(got, "of 2") {
				t.Errorf("seen:\n%s", got)
			}
			if reflows && !strings.HasPrefix(got, "$ rstate send ac\ntive") {
				t.Errorf("what stood above is gone:\n%s", got)
			}
		})
	}
}
