package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// asksParent runs the failed tests that were there for the eighth alone on the commit before this one, and says which fail
// there too: those are defects of before, to mend first. They count as failed all the same.
func (r *runner) asksParent(ctx context.Context, s situation, c choice) {
	var ids []string
	for _, id := range c.eighths {
		if slices.ContainsFunc(r.sum.faults, func(f string) bool { return isOf(f, id) }) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return
	}
	fmt.Fprintf(r.out, "== the commit before: %s\n", strings.Join(ids, ", "))
	there, remove, err := checkoutOfParent(s.root)
	if err != nil {
		fmt.Fprintf(r.out, "cannot tell whether they fail there too: %v\n", err)
		return
	}
	defer remove()
	for _, st := range c.onlyIn(ids) {
		t := newTally(r.out, false)
		before := st.movedTo(s.root, there)
		before.run(ctx, t, r.out)
		for _, id := range ids {
			if slices.ContainsFunc(t.faults, func(f string) bool { return isOf(f, id) }) {
				fmt.Fprintf(r.out, "%s fails on the commit before too: a defect to mend first\n", id)
			}
		}
	}
}

// isOf reports whether a failure, as a tally names it, is of a unit.
func isOf(fault, id string) bool {
	dot := strings.LastIndexByte(id, '.')
	folder, name := id[:dot], id[dot+1:]
	folder = strings.TrimPrefix(folder, rclgoFolder+"/")
	_, rest, found := strings.Cut(fault, folder+"."+name)
	return found && (rest == "" || rest[0] == '/' || rest[0] == ' ')
}

// checkoutOfParent makes a checkout of the commit before this one, which shares the ROS 2 of this one.
func checkoutOfParent(root string) (folder string, remove func(), err error) {
	top, err := os.MkdirTemp("", "rstate-parent-")
	if err != nil {
		return "", nil, err
	}
	folder = filepath.Join(top, "checkout")
	remove = func() {
		_, _ = git(root, "worktree", "remove", "--force", folder)
		_ = os.RemoveAll(top)
	}
	if _, err = git(root, "worktree", "add", "--detach", folder, "HEAD^1"); err == nil {
		err = os.Symlink(filepath.Join(root, ".ros"), filepath.Join(folder, ".ros"))
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return folder, remove, nil
}

// movedTo returns a stage in another checkout, which builds its own programs.
func (s stage) movedTo(root, there string) stage {
	s.args = slices.Clone(s.args)
	for k, a := range s.args {
		if a == root {
			s.args[k] = there
		}
	}
	s.folder = filepath.Join(there, s.folder)
	s.env = slices.DeleteFunc(slices.Clone(s.env), func(e string) bool { return strings.HasPrefix(e, "RSTATE_BINARY=") })
	return s
}
