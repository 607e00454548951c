package bed

import (
	"io"
	"os"
	"testing"

	"rstate/test/bed/tty"
)

// Terminal is a process with a terminal of its own, as a user has.
type Terminal struct {
	*Process
	Screen   *tty.Screen
	keyboard *os.File
}

// StartOnTerminal runs a program on a terminal of that size until the end of the test or its own.
// Its output is on the screen, not in its log.
func StartOnTerminal(t testing.TB, name string, command Command, columns, lines int) *Terminal {
	t.Helper()
	needMain(t)
	keyboard, device, err := tty.Open(columns, lines)
	if err != nil {
		t.Fatal(err)
	}
	command.Env = append([]string{"TERM=xterm", "NO_COLOR="}, command.Env...)
	p, err := launch(name, command, device, device)
	device.Close()
	if err != nil {
		keyboard.Close()
		t.Fatalf("cannot start %s: %v", name, err)
	}
	terminal := &Terminal{Process: p, Screen: tty.NewScreen(columns, lines), keyboard: keyboard}
	seen := make(chan struct{})
	go func() {
		defer close(seen)
		_, _ = io.Copy(terminal.Screen, keyboard) // ends with an error when the last process has left the terminal
	}()
	t.Cleanup(func() { // runs after the cleanup of adopt, which ends the process
		<-seen
		keyboard.Close()
	})
	adopt(t, p)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s shows:\n%s", name, terminal.Screen)
		}
	})
	return terminal
}

// Type presses keys: "\x03" is Ctrl-C.
func (t *Terminal) Type(keys string) { _, _ = t.keyboard.WriteString(keys) }

// HangUp closes the terminal, as a window that is closed or a connection that ends does.
func (t *Terminal) HangUp() { _ = t.keyboard.Close() }

// Resize changes the window.
func (t *Terminal) Resize(columns, lines int) {
	t.Screen.Resize(columns, lines)
	_ = tty.Resize(t.keyboard, columns, lines) // setting the size cannot fail
}

// Shows waits until the visible text satisfies the condition.
func (t *Terminal) Shows(tb testing.TB, what string, condition func(seen string) bool) {
	tb.Helper()
	Eventually(tb, t.Name+" shows "+what, func() (string, bool) {
		seen := t.Screen.String()
		return seen, condition(seen)
	})
}
