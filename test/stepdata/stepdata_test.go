// Package stepdata tests that the messages of a stepped loop are counted and handed over alike in
// each language. testdata/vectors.jsonl has a story in each line, an object with:
//
//   - name;
//   - ops: the operations of one object, in their order. op is one of:
//     zero (epoch, counted, published), settle, arrived (topic, from, message), begin (epoch,
//     visible), end, publish (topic), sent.
//   - A list visible consists of {topic, from, count}.
//   - want is the result of begin, publish and sent. Of begin: why the step does not run, a colon,
//     and " number=message" for each message that is handed over. Of publish: yes or no. Of sent:
//     "topic=count " for each topic, sorted.
//   - begin asks first whether the epoch is refused. Unless the epoch is 0, it then asks what is
//     missing. The step begins only if both are empty.
//
// UPDATE=1 go test ./test/stepdata writes the file anew: Go gives the results that are wanted, except
// of the stories in told, which have theirs written by hand.
package stepdata

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rstate/ros/rstate/stepped"
)

const vectors = "testdata/vectors.jsonl"

type count struct {
	Topic string `json:"topic"`
	From  string `json:"from"`
	Count uint64 `json:"count"`
}

type operation struct {
	Op        string   `json:"op"`
	Epoch     uint64   `json:"epoch,omitempty"`
	Counted   []string `json:"counted,omitempty"`
	Published []string `json:"published,omitempty"`
	Topic     string   `json:"topic,omitempty"`
	From      string   `json:"from,omitempty"`
	Message   int      `json:"message,omitempty"`
	Visible   []count  `json:"visible,omitempty"`
	Want      string   `json:"want,omitempty"`
}

type story struct {
	Name string      `json:"name"`
	Ops  []operation `json:"ops"`
}

// told is the story of the protocol, with results written by hand.
var told = story{"told", []operation{
	{Op: "zero", Epoch: 7, Counted: []string{"/a", "/b"}, Published: []string{"/out"}},
	{Op: "publish", Topic: "/out", Want: "no"},
	{Op: "arrived", Topic: "/b", From: "/two", Message: 20},
	{Op: "arrived", Topic: "/free", From: "/tool", Message: 30},
	{Op: "begin", Epoch: 7, Visible: []count{{"/a", "/one", 1}}, Want: "message 1 of /a from /one has not arrived:"},
	{Op: "arrived", Topic: "/a", From: "/one", Message: 10},
	{Op: "arrived", Topic: "/a", From: "/one", Message: 11},
	{Op: "begin", Epoch: 6, Want: "its counts are of epoch 7, and the step is of epoch 6; start the loop again:"},
	{Op: "begin", Epoch: 7, Visible: []count{{"/a", "/one", 1}, {"/b", "/two", 1}}, Want: ": 1=30 1=10 1=20"},
	{Op: "publish", Topic: "/out", Want: "yes"},
	{Op: "end"},
	{Op: "publish", Topic: "/out", Want: "no"},
	{Op: "sent", Want: "/out=1 "},
	{Op: "begin", Epoch: 7, Visible: []count{{"/a", "/one", 2}, {"/b", "/two", 1}}, Want: ": 2=11"},
	{Op: "end"},
	{Op: "arrived", Topic: "/a", From: "/one", Message: 12},
	{Op: "begin", Want: ": 3=12"},
	{Op: "settle"},
	{Op: "publish", Topic: "/out", Want: "no"},
	{Op: "begin", Epoch: 7, Want: "its counts are of epoch 0, and the step is of epoch 7; start the loop again:"},
	{Op: "arrived", Topic: "/a", From: "/one", Message: 13},
	{Op: "zero", Epoch: 8, Counted: []string{"/a", "/b"}, Published: []string{"/out"}},
	{Op: "sent", Want: "/out=0 "},
	{Op: "arrived", Topic: "/a", From: "/one", Message: 14},
	{Op: "begin", Epoch: 8, Visible: []count{{"/a", "/one", 1}}, Want: ": 1=14"},
}}

func drawn(seed uint64) story {
	r := rand.New(rand.NewPCG(seed, 1))
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	s := story{Name: fmt.Sprintf("drawn %d", seed)}
	epoch, message := uint64(0), 0
	arrived := map[count]uint64{}
	zero := func() {
		epoch++
		clear(arrived)
		s.Ops = append(s.Ops, operation{Op: "zero", Epoch: epoch, Counted: []string{"/a", "/b"},
			Published: []string{"/out", "/two"}})
	}
	zero()
	for range 60 {
		switch n := r.IntN(30); {
		case n == 0:
			s.Ops = append(s.Ops, operation{Op: "settle"})
			zero()
		case n < 16:
			message++
			from := count{Topic: pick("/a", "/a", "/b", "/free"), From: pick("/one", "/two")}
			arrived[from]++
			s.Ops = append(s.Ops, operation{Op: "arrived", Topic: from.Topic, From: from.From, Message: message})
		case n < 24:
			op := operation{Op: "begin", Epoch: epoch}
			for _, v := range []count{{"/a", "/one", 0}, {"/b", "/one", 0}, {"/a", "/two", 0}, {"/b", "/two", 0}} {
				most := arrived[v]
				v.Count = r.Uint64N(most + 1)
				if r.IntN(24) == 0 {
					v.Count = most + 1
				}
				op.Visible = append(op.Visible, v)
			}
			switch r.IntN(12) {
			case 0:
				op.Epoch = 0
			case 1:
				op.Epoch += 5
			}
			s.Ops = append(s.Ops, op)
		case n < 26:
			s.Ops = append(s.Ops, operation{Op: "end"})
		case n < 29:
			s.Ops = append(s.Ops, operation{Op: "publish", Topic: pick("/out", "/two")})
		default:
			s.Ops = append(s.Ops, operation{Op: "sent"})
		}
	}
	s.Ops = append(s.Ops, operation{Op: "sent"})
	return s
}

// inGo returns the results of a story.
func inGo(s story) []string {
	var d stepped.Data[int]
	var results []string
	for _, o := range s.Ops {
		switch o.Op {
		case "zero":
			d.Zero(o.Epoch, o.Counted, o.Published)
		case "settle":
			d.Settle()
		case "arrived":
			d.Arrived(o.Topic, o.From, o.Message)
		case "begin":
			results = append(results, begun(&d, o))
		case "end":
			d.End()
		case "publish":
			results = append(results, map[bool]string{true: "yes", false: "no"}[d.Publish(o.Topic)])
		case "sent":
			line := ""
			for _, c := range d.Sent() {
				line += fmt.Sprintf("%s=%d ", c.Topic, c.Count)
			}
			results = append(results, line)
		}
	}
	return results
}

func begun(d *stepped.Data[int], o operation) string {
	var visible []stepped.Count
	for _, v := range o.Visible {
		visible = append(visible, stepped.Count{Topic: v.Topic, Participant: v.From, Count: v.Count})
	}
	why := d.Refused(o.Epoch)
	if why == "" && o.Epoch != 0 {
		why = d.Missing(visible)
	}
	line := why + ":"
	if why == "" {
		for _, h := range d.Begin(o.Epoch, visible) {
			line += fmt.Sprintf(" %d=%d", h.Number, h.Message)
		}
	}
	return line
}

// wanted returns the results that the operations name.
func wanted(s story) (want []string) {
	for _, o := range s.Ops {
		if o.Op == "begin" || o.Op == "publish" || o.Op == "sent" {
			want = append(want, o.Want)
		}
	}
	return want
}

func words(s story) string {
	var b strings.Builder
	b.WriteString("new\n")
	for _, o := range s.Ops {
		switch o.Op {
		case "zero":
			fmt.Fprintln(&b, o.Op, o.Epoch, len(o.Counted), strings.Join(o.Counted, " "), len(o.Published),
				strings.Join(o.Published, " "))
		case "arrived":
			fmt.Fprintln(&b, o.Op, o.Topic, o.From, o.Message)
		case "begin":
			fmt.Fprint(&b, o.Op, " ", o.Epoch, " ", len(o.Visible))
			for _, v := range o.Visible {
				fmt.Fprint(&b, " ", v.Topic, " ", v.From, " ", v.Count)
			}
			fmt.Fprintln(&b)
		default:
			fmt.Fprintln(&b, o.Op, o.Topic)
		}
	}
	return b.String()
}

func stories(t *testing.T) (all []story) {
	t.Helper()
	text, err := os.ReadFile(vectors)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var s story
		if err := json.Unmarshal(line, &s); err != nil || len(s.Ops) == 0 {
			t.Fatalf("%s: a line with %d operations: %v", vectors, len(s.Ops), err)
		}
		all = append(all, s)
	}
	return all
}

func same(t *testing.T, s story, got []string) {
	t.Helper()
	if want := wanted(s); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("story %s gives\n%s\nwant\n%s", s.Name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMain(m *testing.M) {
	if os.Getenv("UPDATE") != "" {
		if err := update(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func update() error {
	all := []story{told}
	for seed := range uint64(40) {
		s := drawn(seed)
		results := inGo(s)
		for i, o := range s.Ops {
			if o.Op == "begin" || o.Op == "publish" || o.Op == "sent" {
				s.Ops[i].Want, results = results[0], results[1:]
			}
		}
		all = append(all, s)
	}
	var b bytes.Buffer
	for _, s := range all {
		if err := json.NewEncoder(&b).Encode(s); err != nil {
			return err
		}
	}
	return os.WriteFile(vectors, b.Bytes(), 0o644)
}

func TestVectorsInGo(t *testing.T) {
	for _, s := range append(stories(t), told) {
		same(t, s, inGo(s))
	}
}

// languages are implementations as programs that read the operations and write the results.
var languages = []struct {
	name  string
	build func(t *testing.T) (command []string)
}{
	{"C++", func(t *testing.T) []string {
		program := filepath.Join(t.TempDir(), "driver")
		build := exec.Command(find(t, cmp.Or(os.Getenv("CXX"), "g++")), "-std=c++17", "-Wall", "-Wextra", "-Wpedantic",
			"-Wconversion", "-Wshadow",
			"-Werror", "-fsanitize=undefined", "-fno-sanitize-recover", "-I", "../../ros/rstate/include", "-o", program,
			"testdata/driver.cpp")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("cannot compile the header: %v\n%s", err, out)
		}
		return []string{program}
	}},
	{"Python", func(t *testing.T) []string { return []string{find(t, "python3"), "-B", "testdata/driver.py"} }},
}

// find returns the path of a program. Without it the test is left out, and fails in CI.
func find(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal(err)
	case err != nil:
		t.Skipf("%s is not on this machine: %v", name, err)
	}
	return path
}

func TestVectorsInOtherLanguages(t *testing.T) {
	module, err := filepath.Abs("../../ros/rstate")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			command := l.build(t)
			for _, s := range stories(t) {
				cmd := exec.Command(command[0], command[1:]...)
				cmd.Stdin = strings.NewReader(words(s))
				cmd.Env = append(os.Environ(), "PYTHONPATH="+module)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("story %s: %v\n%s", s.Name, err, out)
				}
				same(t, s, strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"))
			}
		})
	}
}
