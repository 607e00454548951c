package main

import (
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
)

// change is what a run is about.
type change struct {
	since string   // in words
	files []string // from the root, with slashes
	all   bool     // what changed cannot be seen, so everything may have
}

// folders returns the folders of the changed files.
func (c change) folders() []string {
	var found []string
	for _, f := range c.files {
		found = append(found, path.Dir(f))
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// below reports whether a file in a folder, or below it, has changed.
func (c change) below(folder string) bool {
	return c.all || slices.ContainsFunc(c.files, func(f string) bool { return strings.HasPrefix(f, folder+"/") })
}

// git runs git in a folder and returns what it prints.
func git(root string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", root, "-c", "core.quotePath=false"}, args...)...)
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("cannot run git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(text)), nil
}

// lastChange returns what the checkout has beyond its upstream branch; if that has it all, what is not committed; if
// there is nothing of the kind, the last commit.
func lastChange(root string) change {
	base, since := "HEAD^1", "the commit before this one"
	if up, err := git(root, "rev-parse", "--verify", "--quiet", "@{upstream}"); err == nil {
		head, _ := git(root, "rev-parse", "HEAD")
		if both, err := git(root, "merge-base", "HEAD", up); err == nil && both != head {
			base, since = both, "the upstream branch"
		}
	}
	if base == "HEAD^1" {
		if open, err := git(root, "status", "--porcelain"); err == nil && open != "" {
			base, since = "HEAD", "the last commit"
		}
	}
	diff, err := git(root, "diff", "--name-only", "--no-renames", base)
	if err != nil {
		return change{since: "nothing: this checkout does not have " + since, all: true}
	}
	others, err := git(root, "ls-files", "--others", "--exclude-standard")
	if err != nil {
		return change{since: "nothing: git cannot tell what is not committed", all: true}
	}
	return change{since: since, files: append(linesOf(diff), linesOf(others)...)}
}

func linesOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}

// ownEighth returns the eighth of the last commit, and how it was found: the number of first parents modulo 8. A checkout
// without its history takes the commit's name in place of the number.
func ownEighth(root string) (int, string) {
	if shallow, err := git(root, "rev-parse", "--is-shallow-repository"); err == nil && shallow == "false" {
		text, err := git(root, "rev-list", "--first-parent", "--count", "HEAD")
		if n, fault := strconv.Atoi(text); err == nil && fault == nil {
			return n % eighths, fmt.Sprintf("commit %d", n)
		}
	}
	head, err := git(root, "rev-parse", "HEAD")
	if err != nil {
		return 0, "there is no commit"
	}
	return eighth(head), "of the commit's name, as its history is not here"
}
