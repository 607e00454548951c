// Package lease tests that the arm lease is computed alike in three languages: in Go by the
// coordinator, and in C++ and Python by the modules that the ament package gives to nodes. All get
// the same messages at the same times, and must give the same results. It may import
// internal/lease, which is the reference, and its orders.
package lease

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rstate/internal/lease"
	"rstate/internal/lease/orders"
)

const (
	root    = "../.."
	vectors = root + "/internal/lease/testdata/*.json"
	header  = root + "/ros/rstate/include"
	module  = root + "/ros/rstate"
	before  = "testdata/ae0d1e2e" // header and module as they were when messages without a lease did not exist
)

// step is a message to a receiver, or a query, at a time, with the wanted result.
type step struct {
	At      time.Duration  `json:"at_ns"`
	Message *lease.Message `json:"message"`
	Taken   bool           `json:"taken"`
	Holds   bool           `json:"holds"`
	Ends    time.Duration  `json:"ends_ns"`
}

// story is the sequence of steps of one receiver.
type story struct {
	Name  string
	Steps []step
}

// language is an implementation of the lease, as a program that reads steps and writes its results.
type language struct {
	name    string
	command func(t *testing.T) *exec.Cmd
}

var languages = with(header, module)

// with is the implementations whose header and whose module are below these folders.
func with(header, module string) []language {
	return []language{
		{"C++", func(t *testing.T) *exec.Cmd {
			compiler := find(t, os.Getenv("CXX"), "g++", "c++")
			program := filepath.Join(t.TempDir(), "driver")
			build := exec.Command(compiler, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow",
				"-Werror",
				"-fsanitize=undefined", "-fno-sanitize-recover", "-I", header, "-o", program, "testdata/driver.cpp")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("cannot compile the header: %v\n%s", err, out)
			}
			return exec.Command(program)
		}},
		{"Python", func(t *testing.T) *exec.Cmd {
			cmd := exec.Command(find(t, "python3"), "-B", "testdata/driver.py")
			cmd.Env = append(os.Environ(), "PYTHONPATH="+module)
			return cmd
		}},
	}
}

// find returns the first program that exists. The test is skipped only if there is none.
func find(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skipf("there is none of %v on this machine", names)
	return ""
}

func TestA6VectorsInEveryLanguage(t *testing.T) {
	files, err := filepath.Glob(vectors)
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors at %s: %v", vectors, err)
	}
	var stories []story
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var file struct{ Vectors []story }
		if err := json.Unmarshal(text, &file); err != nil || len(file.Vectors) == 0 {
			t.Fatalf("%s has %d vectors: %v", name, len(file.Vectors), err)
		}
		stories = append(stories, file.Vectors...)
	}
	inEveryLanguage(t, stories)
}

// TestA6DrawnStoriesInEveryLanguage draws cases beyond the test vectors: messages of three
// sources that are lost, late, duplicated and out of order, and numbers
// that no daemon sends. The Go code gives the wanted results.
func TestA6DrawnStoriesInEveryLanguage(t *testing.T) {
	var stories []story
	for seed := range uint64(40) {
		stories = append(stories, drawn(seed))
	}
	if n := meetings(stories); n < 50 {
		t.Fatalf("a source speaks while the lease of another one holds in %d places only", n)
	}
	inEveryLanguage(t, stories)
}

func meetings(stories []story) (n int) {
	for _, s := range stories {
		whose, ends := "", time.Duration(0)
		for _, one := range s.Steps {
			if one.Taken {
				source := one.Message.Instance + " " + one.Message.Writer
				if source != whose && one.At < ends {
					n++
				}
				whose = source
			}
			ends = one.Ends
		}
	}
	return n
}

// TestA6EveryOrderInEveryLanguage takes each sixtieth of the orders of internal/lease/orders.
func TestA6EveryOrderInEveryLanguage(t *testing.T) {
	var stories []story
	k := 0
	for name, list := range orders.All {
		if k++; k%60 == 0 {
			stories = append(stories, ordered(name, list))
		}
	}
	inEveryLanguage(t, stories)
}

// TestA6EveryStandstillInEveryLanguage takes some lives of receivers that stand still, with daemons that say that no
// lease is held, and with those of before.
func TestA6EveryStandstillInEveryLanguage(t *testing.T) {
	inEveryLanguage(t, stands())
}

func stands() (stories []story) {
	k := 0
	for s := range orders.Standing {
		if k++; k%997 == 0 {
			stories = append(stories, ordered(s.Name, s.List))
		}
	}
	return stories
}

// TestA6ANodeOfBefore: a node with the header or module of before hears a daemon that says once a second that no lease
// is held. That changes nothing for it. So it has what it had, and not more: what waited keeps it armed.
func TestA6ANodeOfBefore(t *testing.T) {
	with, without := stands(), stands()
	idles := 0
	for k := range without {
		for i := range without[k].Steps {
			if m := without[k].Steps[i].Message; m != nil && m.Idle() {
				without[k].Steps[i].Message = nil
				idles++
			}
		}
	}
	if idles < 100 {
		t.Fatalf("only %d messages say that no lease is held", idles)
	}
	for _, l := range languagesOfBefore {
		t.Run(l.name, func(t *testing.T) {
			said, silent := l.run(t, with), l.run(t, without)
			for k := range said {
				if said[k] != silent[k] {
					t.Fatalf("line %d: it says %s, and %s without the messages that no lease is held", k, said[k],
						silent[k])
				}
			}
		})
	}
}

var languagesOfBefore = with(before, before)

// ordered lets the messages arrive, and looks at each tick.
func ordered(name string, list []orders.Arrival) story {
	s := story{Name: name}
	var r lease.Receiver
	add := func(at time.Duration, m *lease.Message) {
		now := step{At: at, Message: m}
		now.Taken = m != nil && r.Take(at, *m)
		now.Holds, now.Ends = r.Holds(at), r.Ends()
		s.Steps = append(s.Steps, now)
	}
	for now := orders.Offset; now <= orders.End; now += orders.Tick {
		for ; len(list) > 0 && list[0].At <= now; list = list[1:] {
			add(list[0].At, &list[0].Message)
		}
		add(now+orders.Tick/2, nil)
	}
	return s
}

func drawn(seed uint64) story {
	rnd := rand.New(rand.NewPCG(seed, 6))
	s := story{Name: fmt.Sprintf("seed %d", seed)}
	var r lease.Receiver
	at, terms, seqs := time.Hour, map[string]uint64{}, map[string]uint64{}
	names := ""
	for k := range 600 {
		if k%15 == 0 { // other instances send now
			names = []string{"aaab c", "bbbbba", "cbc", "aaaaab"}[rnd.IntN(4)]
		}
		at += time.Duration(rnd.IntN(150)) * time.Millisecond
		if rnd.IntN(20) == 0 {
			at += time.Second
		}
		now := step{At: at}
		if rnd.IntN(4) > 0 {
			now.Message = message(rnd, names, at, terms, seqs)
			now.Taken = r.Take(at, *now.Message)
		}
		now.Holds, now.Ends = r.Holds(at), r.Ends()
		s.Steps = append(s.Steps, now)
	}
	return s
}

// clocks is how far the senders' clocks are behind the receiver's.
var clocks = map[string]time.Duration{"a": time.Minute, "b": -time.Hour, "c": time.Second}

func message(rnd *rand.Rand, names string, at time.Duration, terms, seqs map[string]uint64) *lease.Message {
	name := string(names[rnd.IntN(len(names))])
	if name == " " {
		name = "" // no instance
	}
	if rnd.IntN(8) == 0 {
		terms[name]++
	}
	seqs[name]++
	m := &lease.Message{Instance: name, Writer: []string{"", "", "", "x"}[rnd.IntN(4)], Term: terms[name],
		Seq: seqs[name], Valid: 500 * time.Millisecond}
	m.Proved = at - clocks[name] - time.Duration(rnd.IntN(300))*time.Millisecond
	switch rnd.IntN(18) {
	case 5, 6, 7:
		m.Valid = 0
	case 0:
		m.Seq -= min(m.Seq, 2)
	case 1:
		m.Term -= min(m.Term, 1)
	case 3:
		m.Term += []uint64{1 << 32, 1<<32 + 1, 1 << 48, 1 << 63}[rnd.IntN(4)]
	case 4:
		m.Proved = []time.Duration{-1, 0, lease.Longest, lease.Longest + 1}[rnd.IntN(4)]
	case 2:
		m.Valid = time.Duration(rnd.IntN(400)-100) * time.Millisecond
	}
	return m
}

func inEveryLanguage(t *testing.T, stories []story) {
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) { compare(t, stories, l.run(t, stories)) })
	}
}

// run gives the steps to the implementation, and returns a line for each.
func (l language) run(t *testing.T, stories []story) []string {
	t.Helper()
	var in, faults strings.Builder
	for _, s := range stories {
		fmt.Fprintln(&in, "new 0")
		for _, one := range s.Steps {
			fmt.Fprintln(&in, one.line())
		}
	}
	cmd := l.command(t)
	cmd.Stdin, cmd.Stderr = strings.NewReader(in.String()), &faults
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("it broke down: %v\n%s", err, faults.String())
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// line returns the step in the format of the drivers.
func (s step) line() string {
	if s.Message == nil {
		return fmt.Sprintf("look %d", s.At.Nanoseconds())
	}
	m := s.Message
	return fmt.Sprintf("take %d %d %d %d %d w%s %s", s.At.Nanoseconds(), m.Term, m.Seq, m.Proved.Nanoseconds(),
		m.Valid.Nanoseconds(), m.Writer, m.Instance)
}

func compare(t *testing.T, stories []story, got []string) {
	t.Helper()
	bit := map[bool]int{true: 1}
	for _, s := range stories {
		if len(got) < 1+len(s.Steps) {
			t.Fatalf("%s: there are only %d lines left", s.Name, len(got))
		}
		for k, one := range s.Steps {
			want := fmt.Sprintf("%d %d %d", bit[one.Taken], bit[one.Holds], one.Ends.Nanoseconds())
			if line := got[1+k]; line != want {
				t.Errorf("%s, step %d (%s): taken, holds, ends are %s; want %s", s.Name, k, one.line(), line, want)
				break
			}
		}
		got = got[1+len(s.Steps):]
	}
	if len(got) > 0 {
		t.Errorf("%d lines are too much", len(got))
	}
}
