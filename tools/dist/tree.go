package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// entry is a file or a link of a package. Folders follow from the paths.
type entry struct {
	path string // with slashes, without one in front
	mode fs.FileMode
	data []byte
	link string // where a symbolic link points; empty: a file
}

// tree is the files of a package.
type tree []entry

func (t *tree) add(name string, mode fs.FileMode, data []byte) {
	*t = append(*t, entry{path: path.Clean(name), mode: mode, data: data})
}

func (t *tree) addLink(name, to string) {
	*t = append(*t, entry{path: path.Clean(name), mode: 0o777, link: to})
}

// addFile copies a file of this machine. Its mode is 0755 if its owner may run it, else 0644.
func (t *tree) addFile(name, file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	t.add(name, plainMode(info.Mode()), data)
	return nil
}

// addFolder copies what is below a folder of this machine and is wanted. wanted gets the path below the folder.
func (t *tree) addFolder(name, folder string, wanted func(string) bool) error {
	return filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		below, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		if below = filepath.ToSlash(below); !wanted(below) {
			return nil
		}
		return t.addFile(path.Join(name, below), file)
	})
}

func plainMode(m fs.FileMode) fs.FileMode {
	if m&0o100 != 0 {
		return 0o755
	}
	return 0o644
}

// under returns the tree below a folder.
func (t tree) under(folder string) tree {
	moved := slices.Clone(t)
	for k := range moved {
		moved[k].path = path.Join(folder, moved[k].path)
	}
	return moved
}

// sorted returns the tree by path. A path that occurs twice, or leads out of the tree, is an error.
func (t tree) sorted() (tree, error) {
	s := slices.Clone(t)
	slices.SortFunc(s, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	for k, e := range s {
		if k > 0 && s[k-1].path == e.path {
			return nil, fmt.Errorf("%s is there twice", e.path)
		}
		if !fs.ValidPath(e.path) {
			return nil, fmt.Errorf("%q is no path of a package", e.path)
		}
	}
	return s, nil
}

// folders returns all folders of the tree, each before those in it.
func (t tree) folders() []string {
	var all []string
	for _, e := range t {
		for dir := path.Dir(e.path); dir != "."; dir = path.Dir(dir) {
			all = append(all, dir)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// size returns how many bytes the files have.
func (t tree) size() (n int) {
	for _, e := range t {
		n += len(e.data)
	}
	return n
}
