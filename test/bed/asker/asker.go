//go:build ros

// Package asker runs clients of a daemon in several languages. Each is a program that sends the goals that a test gives
// it, and that the test can suspend. It imports test/bed and nothing of the product.
package asker

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"rstate/test/bed"
)

// folder is this folder as the tests see it, which are two folders below the project's.
const folder = "../bed/asker/"

// programs returns the command of the client in each language.
var programs = map[string]func(t testing.TB) []string{
	"Python": func(testing.TB) []string { return []string{"python3", "-B", folder + "testdata/asker.py"} },
	"Go":     func(t testing.TB) []string { return []string{bed.BuildGo(t, folder+"program")} },
	"C++":    func(t testing.TB) []string { return []string{bed.BuildCpp(t, folder+"testdata/asker.cpp")} },
}

// Asker is a client of a daemon.
type Asker struct {
	*bed.Process
	Language string
	t        testing.TB
	in       io.Writer
	sent     int
}

// StartAll starts a client in each language, and waits until each of them has had a goal accepted: the daemon must be
// active. The environment and the place of the command are theirs.
func StartAll(t testing.TB, daemon string, like bed.Command) (all []*Asker) {
	t.Helper()
	for language, program := range programs {
		like.Args = append(program(t), daemon+"/transition")
		p, in, _ := bed.StartPiped(t, "client in "+language, like)
		all = append(all, &Asker{Process: p, Language: language, t: t, in: in})
	}
	for _, a := range all {
		a.says("ready")
		a.Send("active", "-", "")
		if !a.Accepted() {
			t.Fatalf("the goal of %s was rejected", a.Language)
		}
	}
	return all
}

// Send gives it a goal to send. A seen of - stands for none.
func (a *Asker) Send(command, seen, client string) {
	a.t.Helper()
	a.sent++
	if _, err := fmt.Fprintln(a.in, command, seen, client); err != nil {
		a.t.Fatalf("cannot ask the client in %s: %v", a.Language, err)
	}
}

// says waits until it has said a word for each goal that it has been given.
func (a *Asker) says(words ...string) (last string) {
	a.t.Helper()
	bed.Eventually(a.t, fmt.Sprintf("the client in %s says %v", a.Language, words), func() (string, bool) {
		count := 0
		for line := range strings.Lines(a.Log()) {
			for _, word := range words {
				if line == word+"\n" {
					count, last = count+1, word
				}
			}
		}
		return a.Log(), count >= max(a.sent, 1)
	})
	return last
}

// Sent waits until it has passed the newest goal to its middleware.
func (a *Asker) Sent() { a.t.Helper(); a.says("sent") }

// Accepted waits for the answer to the newest goal.
func (a *Asker) Accepted() bool { a.t.Helper(); return a.says("accepted", "rejected") == "accepted" }

// Stopping returns the environment of clients that suspend themselves once, between the moment at which a goal has been
// written and the one at which it leaves, if the client that the goal names is Word(1). The next time it is Word(2).
func Stopping(t testing.TB) []string {
	t.Helper()
	library := filepath.Join(t.TempDir(), "stopping.so")
	build := exec.Command(cmp.Or(os.Getenv("CC"), "cc"), "-shared", "-fPIC", "-o", library,
		folder+"testdata/stopping.c", "-ldl")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return []string{"LD_PRELOAD=" + library}
}

// Word is the client of a goal at which a client suspends itself, for the n-th time.
func Word(n int) string { return "stops-before-it-leaves-" + strconv.Itoa(n) }

// Stopped waits until it is suspended.
func (a *Asker) Stopped() {
	a.t.Helper()
	bed.Eventually(a.t, "the client in "+a.Language+" is suspended", func() (string, bool) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", a.Pid()))
		_, rest, _ := bytes.Cut(stat, []byte(") "))
		return fmt.Sprintf("%s %v", stat, err), bytes.HasPrefix(rest, []byte("T"))
	})
}
