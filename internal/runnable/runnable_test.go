package runnable

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestWhatAWakeUpCounts(t *testing.T) {
	for passed, want := range map[time.Duration]time.Duration{
		5 * time.Millisecond:  5 * time.Millisecond,  // the last one before the end
		20 * time.Millisecond: 20 * time.Millisecond, // in time
		35 * time.Millisecond: 35 * time.Millisecond, // late, on a busy machine
		3 * time.Second:       most,                  // it could not run
	} {
		if got := counted(passed); got != want {
			t.Errorf("after %v a wake-up counts %v, want %v", passed, got, want)
		}
	}
}

// TestAWaitEnds: what is waited for does not come, and the process can run.
func TestAWaitEnds(t *testing.T) {
	l := Within(100 * time.Millisecond)
	<-l.Over()
	if !l.IsOver() {
		t.Error("a limit that is over says that it is not")
	}
	ctx, cancel := Context(t.Context(), 100*time.Millisecond)
	defer cancel()
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), ErrOver) {
		t.Errorf("the context ended because of %v", context.Cause(ctx))
	}
}

func TestAStoppedLimitIsNeverOver(t *testing.T) {
	l := Within(time.Hour)
	l.Stop()
	l.Stop()
	if l.IsOver() {
		t.Error("it is over")
	}
}

const waits = "RSTATE_RUNNABLE_WAITS"

// TestASuspensionDoesNotCount suspends a process that waits for a line, for longer than its limit. The line comes then.
func TestASuspensionDoesNotCount(t *testing.T) {
	if os.Getenv(waits) != "" {
		l, line := Within(time.Second), make(chan string)
		fmt.Println("waits")
		go func() {
			var text string
			fmt.Scanln(&text)
			line <- text
		}()
		select {
		case <-line:
			fmt.Println("the line came")
		case <-l.Over():
			fmt.Println("the limit is over")
		}
		os.Exit(0)
	}
	self := exec.Command(os.Args[0], "-test.run", "^TestASuspensionDoesNotCount$")
	self.Env = append(os.Environ(), waits+"=1")
	in, err := self.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := self.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Start(); err != nil {
		t.Fatal(err)
	}
	var first string
	fmt.Fscanln(out, &first)
	self.Process.Signal(syscall.SIGSTOP)
	time.Sleep(1500 * time.Millisecond) // the suspension is what is tested
	self.Process.Signal(syscall.SIGCONT)
	time.Sleep(100 * time.Millisecond) // a limit that counts the wall's time ends here
	fmt.Fprintln(in, "now")
	var rest strings.Builder
	buffer := make([]byte, 4096)
	for {
		n, err := out.Read(buffer)
		rest.Write(buffer[:n])
		if err != nil {
			break
		}
	}
	self.Wait()
	if !strings.Contains(rest.String(), "the line came") {
		t.Errorf("it said %q", rest.String())
	}
}
