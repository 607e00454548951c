package main

import (
	"os/exec"
	"slices"
	"testing"
)

// TestLastChange: what is not yet in the upstream branch; else what is not committed; else the last commit.
func TestLastChange(t *testing.T) {
	files(t, map[string]string{"a/one.go": "package a\n"})
	does := func(script string) {
		t.Helper()
		text, err := exec.Command("sh", "-ec", "git() { command git -c user.name=a -c user.email=a@example.org \"$@\"; }; "+script).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	sees := func(when string, want ...string) {
		t.Helper()
		if got := lastChange("."); got.all || !slices.Equal(got.files, want) {
			t.Errorf("%s: got %q since %s, want %q", when, got.files, got.since, want)
		}
	}
	does("git init -q -b main .; git add .; git commit -qm one")
	if got := lastChange("."); !got.all {
		t.Errorf("the first commit: got %q", got.files)
	}
	if n, _ := ownEighth("."); n != 1 {
		t.Errorf("the first commit has the eighth %d", n)
	}
	does("mkdir b; echo x > b/two.txt; git add .; git commit -qm two")
	sees("a commit", "b/two.txt")
	does("echo y > c.txt; echo z >> b/two.txt")
	sees("files that are not committed", "b/two.txt", "c.txt")
	does("git add .; git commit -qm three; git branch up HEAD~1; git branch -q -u up")
	sees("a commit that is not upstream", "b/two.txt", "c.txt")
	does("git branch -f up HEAD")
	sees("all is upstream", "b/two.txt", "c.txt")
	if n, _ := ownEighth("."); n != 3 {
		t.Errorf("the third commit has the eighth %d", n)
	}
	does("git clone -q --depth 1 file://$PWD shallow")
	t.Chdir("shallow")
	if got := lastChange("."); !got.all {
		t.Errorf("a checkout without history: got %q", got.files)
	}
	if n, whose := ownEighth("."); n < 0 || n >= eighths || whose == "commit 1" {
		t.Errorf("a checkout without history has the eighth %d: %s", n, whose)
	}
}
