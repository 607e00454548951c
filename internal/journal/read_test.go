package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// written makes a journal of files, each given as its text; an empty one in the sequence is missing.
func written(t *testing.T, texts ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, text := range texts {
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, nameOf(uint64(i+1))), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// lined is the text of lines of the run with these numbers.
func lined(run string, numbers ...int) string {
	var b strings.Builder
	for _, n := range numbers {
		fmt.Fprintf(&b, `{"n":%d,"instance":"%s","kind":"goal","sentence":"%s%d"}`+"\n", n, run, run, n)
	}
	return b.String()
}

func TestReadSaysWhatItSkips(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		want  string
		says  string
	}{
		{"whole", []string{lined("a", 1, 2), lined("a", 3)}, "a1 a2 a3", ""},
		{"two runs", []string{lined("a", 1, 2) + lined("b", 1)}, "a1 a2 b1", ""},
		{"the oldest is gone", []string{"", lined("a", 3, 4), lined("a", 5)}, "a3 a4 a5", ""},
		{"one in the middle is gone", []string{lined("a", 1, 2), "", lined("a", 5)}, "a1 a2 a5", "2 lines are missing"},
		{"the beginning of a run is gone", []string{lined("a", 1) + lined("b", 2)}, "a1 b2", "1 line is missing"},
		{"written twice", []string{lined("a", 1, 2, 1, 2, 3)}, "a1 a2 a3", ""},
		{"garbage", []string{lined("a", 1) + "what\n" + lined("a", 2)}, "a1 a2",
			"journal-000001.jsonl has a line that cannot be read"},
		{"JSON of another program", []string{lined("a", 1) + `{"kind":"goal"}` + "\n[]\n" + lined("a", 2)}, "a1 a2",
			": journal-000001.jsonl has a line that cannot be read (2 times)"},
		{"torn at the end", []string{lined("a", 1) + `{"n":2,`}, "a1",
			"journal-000001.jsonl ends in the middle of a line: it is just being written, or was torn"},
		{"torn before the last file", []string{lined("a", 1) + `{"n":2,`, lined("a", 2)}, "a1 a2",
			"journal-000001.jsonl ends in the middle of a line: it was torn"},
		{"far too long", []string{lined("a", 1) + strings.Repeat("x", 3<<20) + "\n" + lined("a", 2)}, "a1 a2",
			"has a line that cannot be read"},
		{"too long and no end", []string{lined("a", 1) + strings.Repeat("x", 3<<20)}, "a1", "a line that is too long"},
		{"very much garbage", []string{strings.Repeat("x\n", 100) + lined("a", 1)}, "a1",
			": journal-000001.jsonl has a line that cannot be read (100 times)"},
		{
			"garbage in many files", []string{"x\n", "x\nx\n", "x\n", "x\n", "x\n", "x\n", "x\n" + lined("a", 1)}, "a1",
			"journal-000002.jsonl has a line that cannot be read (2 times); journal-000003.jsonl has a line that cannot be read; " +
				"journal-000004.jsonl has a line that cannot be read; journal-000005.jsonl has a line that cannot be read; and 2 more",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines, report := Read(written(t, c.files...))
			if got := sentences(lines); got != c.want {
				t.Errorf("read %q, want %q", got, c.want)
			}
			if (report.String() == "") != (c.says == "") || !strings.Contains(report.String(), c.says) {
				t.Errorf("it says %q, want %q", report, c.says)
			}
		})
	}
}

func TestReadOfWhatIsNotThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	empty := t.TempDir()
	for _, d := range []string{dir, empty} {
		lines, report := Read(d)
		if len(lines) > 0 || !errors.Is(report.Err, fs.ErrNotExist) ||
			report.String() != fmt.Sprintf("there is no journal in %q yet", d) {
			t.Errorf("%v: %v", lines, report)
		}
	}
	file := filepath.Join(empty, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, report := Read(file); report.Err == nil || !strings.HasPrefix(report.String(), "cannot read journal") {
		t.Errorf("%v", report)
	}
}

func TestFilter(t *testing.T) {
	var lines []Line
	for n := range 40 {
		l := said(n)
		l.Node = []string{"/a", "/b"}[n%2]
		l.Kind = []Kind{KindStep, KindStep, KindNode}[n%3]
		lines = append(lines, l)
	}
	for _, c := range []struct {
		name   string
		filter Filter
		want   string
	}{
		{"the last", Filter{Last: 3}, "37 38 39"},
		{"more than there are", Filter{Last: 300, Node: "/a", Kind: KindNode}, "2 8 14 20 26 32 38"},
		{"a node, the last", Filter{Last: 2, Node: "/a"}, "36 38"},
		{"a kind", Filter{Kind: KindNode, Since: time.Unix(30, 0)}, "32 35 38"},
		{"since", Filter{Since: time.Unix(37, 0)}, "37 38 39"},
		{"nothing", Filter{Node: "/c"}, ""},
		{"everything", Filter{}, numbers(0, 39)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := sentences(c.filter.Of(lines)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestReadEndReadsTwoFiles(t *testing.T) {
	dir := written(t, lined("a", 1, 2), lined("a", 3), lined("a", 4, 5))
	if lines, report := ReadEnd(dir); sentences(lines) != "a3 a4 a5" || report.String() != "" {
		t.Errorf("read %q; %v", sentences(lines), report)
	}
}

// A tail receives every line once, whatever a concurrent reader does, while files are created and
// removed.
func TestTailHearsEveryLineOnce(t *testing.T) {
	dir := t.TempDir()
	tails := []*Tail{NewTail(dir), NewTail(dir)}
	if lines, report := tails[0].Next(); len(lines) > 0 || !errors.Is(report.Err, fs.ErrNotExist) {
		t.Errorf("before there is anything: %v, %v", lines, report)
	}
	j := opened(t, dir, Options{FileSize: 500, Files: 3}, &badDisk{})
	heard := make([][]Line, len(tails))
	for n := range 100 {
		j.Append(said(n))
		if n%3 == 0 {
			safe(t, j)
			lines, report := tails[0].Next()
			if report.String() != "" {
				t.Fatal(report)
			}
			heard[0] = append(heard[0], lines...)
		}
	}
	closed(t, j)
	for i, tail := range tails {
		lines, _ := tail.Next()
		heard[i] = append(heard[i], lines...)
	}
	if got := sentences(heard[0]); got != numbers(0, 99) {
		t.Errorf("who followed heard %q", got)
	}
	if got := sentences(heard[1]); got != numbers(100-len(heard[1]), 99) || len(heard[1]) < 5 {
		t.Errorf("who came late heard %q", got)
	}
}

func TestDir(t *testing.T) {
	t.Setenv("HOME", "/home/anna")
	for _, c := range []struct{ home, node, want string }{
		{"", "/rstate", "/home/anna/.ros/rstate/rstate"},
		{"/var/ros", "/robot1/rstate", "/var/ros/rstate/robot1.rstate"},
		{"/var/ros", "rstate", "/var/ros/rstate/rstate"},
		{"/var/ros", "/../../etc", "/var/ros/rstate/%2E%2E.%2E%2E.etc"},
		{"/var/ros", "", "/var/ros/rstate/%"},
	} {
		if got, err := Dir(c.home, c.node); got != c.want || err != nil {
			t.Errorf("Dir(%q, %q) = %q, %v; want %q", c.home, c.node, got, err, c.want)
		}
	}
	t.Setenv("HOME", "")
	if _, err := Dir("", "/rstate"); err == nil || !strings.Contains(err.Error(), "set ROS_HOME") {
		t.Errorf("%v", err)
	}
}

// Other files may be in the folder of the journal.
func TestOnlyFilesOfTheSequenceAreRead(t *testing.T) {
	names := []string{
		"journal-000010.jsonl", "journal-1234567.jsonl", "journal-000002.jsonl", "journal-000000.jsonl",
		"journal-2.jsonl",
		"journal-000003.jsonl~", "journal-00000x.jsonl", "notes.txt", "journal--00001.jsonl",
		"journal-99999999999999999999.jsonl",
	}
	if got, want := fmt.Sprint(sequence(names)), "[2 10 1234567]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A listing of a directory that changes meanwhile: the writer keeps three files, and goes on.
func TestFilesThatAListingMissed(t *testing.T) {
	for _, c := range []struct {
		name     string
		listings []string // of numbers, one after another
		want     []uint64
	}{
		{"nothing changes", []string{"1 2 3", "1 2 3"}, []uint64{1, 2, 3}},
		{"the oldest goes, a new one comes", []string{"1 2 3", "2 3 4"}, []uint64{1, 2, 3}},
		{"one in the middle was missed", []string{"2 4", "2 3 4", "2 3 4"}, []uint64{2, 3, 4}},
		{"only the newest was seen", []string{"4", "3 4 5", "4 5 6"}, []uint64{3, 4, 5}},
		{"missed twice", []string{"4", "3 5", "4 5 6", "4 5 6"}, []uint64{4, 5, 6}},
		{"what was missed is gone since", []string{"4", "4 5 6"}, []uint64{4}},
		{"it begins just now", []string{"", "1", "1"}, []uint64{1}},
		{"there is nothing", []string{"", ""}, nil},
		{"a user has removed one", []string{"1 3", "1 3"}, []uint64{1, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			left := c.listings
			got, err := listed(func() ([]string, error) {
				if len(left) == 0 {
					return nil, errors.New("it is not done after the last listing")
				}
				var names []string
				for _, word := range strings.Fields(left[0]) {
					n, _ := strconv.ParseUint(word, 10, 64)
					names = append(names, nameOf(n))
				}
				left = left[1:]
				return names, nil
			})
			if err != nil || !slices.Equal(got, c.want) || len(left) > 0 {
				t.Errorf("got %v, %v with %d listings left; want %v", got, err, len(left), c.want)
			}
		})
	}
}
