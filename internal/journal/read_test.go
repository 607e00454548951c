package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// written makes a journal of files, each given as its text; an empty name in the sequence is a file that is missing.
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

// lined is the text of lines with these numbers.
func lined(numbers ...int) string {
	var b strings.Builder
	for _, n := range numbers {
		fmt.Fprintf(&b, `{"n":%d,"kind":"goal","sentence":"%d"}`+"\n", n, n)
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
		{"whole", []string{lined(1, 2), lined(3)}, "1 2 3", ""},
		{"the oldest is gone", []string{"", lined(3, 4), lined(5)}, "3 4 5", ""},
		{"one in the middle is gone", []string{lined(1, 2), "", lined(5)}, "1 2 5", "2 lines are missing; journal-000002.jsonl is missing"},
		{"garbage", []string{lined(1) + "what\n\x00\x00\n" + lined(2)}, "1 2",
			"journal-000001.jsonl:2 is no line of a journal; journal-000001.jsonl:3 is no line of a journal"},
		{"JSON of somebody else", []string{lined(1) + `{"kind":"goal"}` + "\n[]\n" + lined(2)}, "1 2", ":2 is no line"},
		{"torn at the end", []string{lined(1) + `{"n":2,`}, "1", "journal-000001.jsonl:2 ends in the middle: it is just being written, or was torn"},
		{"torn before the last file", []string{lined(1) + `{"n":2,`, lined(2)}, "1 2", "journal-000001.jsonl:2 ends in the middle: it was torn"},
		{"far too long", []string{lined(1) + strings.Repeat("x", 3<<20) + "\n" + lined(2)}, "1 2", ":2 is too long"},
		{"lines lost and said so", []string{lined(1) + `{"n":5,"kind":"journal","lost":3,"sentence":"lost"}` + "\n"}, "1 lost",
			"3 lines were lost while the disk could not be written"},
		{"an empty last file", []string{lined(1), "\n"}, "1", "journal-000002.jsonl:1 is no line"},
		{"very much garbage", []string{strings.Repeat("x\n", 100) + lined(1)}, "1", "; and 80 more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := written(t, c.files...)
			lines, report := Read(dir, Filter{})
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
	if lines, report := Read(dir, Filter{}); len(lines) > 0 || !errors.Is(report.Err, fs.ErrNotExist) || report.String() != fmt.Sprintf("there is no journal in %q yet", dir) {
		t.Errorf("%v: %v", lines, report)
	}
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o644)
	if _, report := Read(file, Filter{}); report.Err == nil || !strings.HasPrefix(report.String(), "cannot read journal") {
		t.Errorf("%v", report)
	}
}

func TestFilter(t *testing.T) {
	dir := t.TempDir()
	j := opened(t, dir, Options{FileSize: 500, Files: 50}, osDisk{})
	for n := range 40 {
		l := said(n)
		l.Node = []string{"/a", "/b"}[n%2]
		l.Kind = []Kind{KindStep, KindStep, KindNode}[n%3]
		j.Append(l)
	}
	closed(t, j)
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
	} {
		t.Run(c.name, func(t *testing.T) {
			lines, report := Read(dir, c.filter)
			if got := sentences(lines); got != c.want || !report.Whole() {
				t.Errorf("read %q, want %q; %v", got, c.want, report)
			}
			if got := sentences(c.filter.Of(whole(t, dir))); got != c.want {
				t.Errorf("of all: %q, want %q", got, c.want)
			}
		})
	}
	if _, report := Read(dir, Filter{Last: 1}); report.Files != 1 {
		t.Errorf("%d files were opened for the last line", report.Files)
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
	long := "/" + strings.Repeat("a.", 400)
	one, _ := Dir("/r", long+"x")
	two, _ := Dir("/r", long+"y")
	if one == two || len(filepath.Base(one)) > 255 {
		t.Errorf("%q\n%q", one, two)
	}
	t.Setenv("HOME", "")
	if _, err := Dir("", "/rstate"); err == nil || !strings.Contains(err.Error(), "set ROS_HOME") {
		t.Errorf("%v", err)
	}
}

// Other files may lie beside the journal's own.
func TestOnlyFilesOfTheSequenceAreRead(t *testing.T) {
	names := []string{
		"journal-000010.jsonl", "journal-1234567.jsonl", "journal-000002.jsonl", "journal-000000.jsonl", "journal-2.jsonl",
		"journal-000003.jsonl~", "journal-00000x.jsonl", "notes.txt", "journal--00001.jsonl", "journal-99999999999999999999.jsonl",
	}
	if got, want := fmt.Sprint(sequence(names)), "[2 10 1234567]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
