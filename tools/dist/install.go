package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// manifest lists what install writes, below the prefix: a path in each line, folders with a slash at their end. It is the
// first file that install writes and the last that uninstall removes, so an interrupted one of both can be uninstalled.
const manifest = "share/rstate/installed.txt"

// install writes the programs, pages and examples below a prefix. It removes what an earlier install has written first.
func install(s sources, prefix, destdir string, out io.Writer) error {
	if !filepath.IsAbs(prefix) {
		return fmt.Errorf("PREFIX is %q: make it an absolute path", prefix)
	}
	t, err := s.installed(prefix)
	if err != nil {
		return err
	}
	root := filepath.Join(destdir, prefix)
	if err := replace(t, prefix, destdir); err != nil {
		return fmt.Errorf("cannot install: %w", err)
	}
	names := []string{}
	for _, d := range s.ros {
		names = append(names, d.name)
	}
	fmt.Fprintf(out, "installed rstate %s for ROS 2 %s: %s (%d files, %.1f MB); make uninstall PREFIX=%s removes it\n", s.version,
		strings.Join(names, ", "), filepath.Join(root, "bin", "rstate"), len(t), float64(t.size())/1e6, prefix)
	return nil
}

// replace writes a tree in place of what an earlier install has written. It changes nothing if other files are in its way.
func replace(t tree, prefix, destdir string) error {
	root := filepath.Join(destdir, prefix)
	ours, err := listed(root)
	installed := err == nil
	if !installed && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := t.refuseOthers(root, ours); err != nil {
		return err
	}
	if installed {
		if err := uninstall(prefix, destdir, io.Discard); err != nil {
			return err
		}
	}
	return put(t, root)
}

// refuseOthers returns an error if something lies where the tree has a file, and no earlier install has written it.
func (t tree) refuseOthers(root string, ours []string) error {
	var others []string
	for _, e := range t {
		file := filepath.Join(root, filepath.FromSlash(e.path))
		switch _, err := os.Lstat(file); {
		case errors.Is(err, fs.ErrNotExist) || slices.Contains(ours, e.path):
		case err != nil:
			return err
		default:
			others = append(others, file)
		}
	}
	if len(others) == 0 {
		return nil
	}
	more := ""
	if n := len(others) - 1; n > 0 {
		more = fmt.Sprintf(", like %d more", n)
	}
	return fmt.Errorf("%s is there, and make install has not written it%s; remove it, or choose another PREFIX", others[0], more)
}

// listed returns what an earlier install has written below a root. A list that does not end with its own name was cut
// off while it was written, before all other files.
func listed(root string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(root, manifest))
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(string(text), manifest+"\n") {
		return []string{manifest}, nil
	}
	names := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, name := range names {
		if !fs.ValidPath(strings.TrimSuffix(name, "/")) {
			return nil, fmt.Errorf("%s names %q, which is outside of %s", manifest, name, root)
		}
	}
	return names, nil
}

// installed returns what belongs below a prefix.
func (s sources) installed(prefix string) (tree, error) {
	t, err := s.common()
	if err != nil {
		return nil, err
	}
	t.add("bin/rstate", 0o755, s.programs[host()])
	pages, err := s.documents("share/doc/rstate")
	if err != nil {
		return nil, err
	}
	t = append(t, pages...)
	for _, d := range s.ros {
		one, err := s.bundled(d)
		if err != nil {
			return nil, err
		}
		t = append(t, one...)
	}
	units, _, err := s.units(prefix + "/lib/rstate")
	if err != nil {
		return nil, err
	}
	for _, e := range units { // some are for /etc, which is the user's to fill
		switch name := filepath.Base(e.path); {
		case name == "with-ros":
			e.path = "lib/rstate/with-ros"
		case strings.HasPrefix(e.path, "usr/share/"):
			e.path = strings.TrimPrefix(e.path, "usr/")
		default:
			e.path = "share/rstate/systemd/" + name
		}
		t = append(t, e)
	}
	return t.sorted()
}

// put writes a tree where none of its files is.
func put(t tree, root string) error {
	defer syscall.Umask(syscall.Umask(0o022)) // every user may read what is installed, whatever the umask is
	list := entry{path: manifest, mode: 0o644, data: t.list(root)}
	for _, e := range slices.Concat(tree{list}, t) {
		if err := create(filepath.Join(root, filepath.FromSlash(e.path)), e); err != nil {
			return err
		}
	}
	return nil
}

// list is the manifest of a tree: its files, and those of its folders that are not there yet. The prefix itself stays.
func (t tree) list(root string) []byte {
	var list bytes.Buffer
	for _, dir := range slices.Concat(t, tree{{path: manifest}}).folders() {
		if _, err := os.Stat(filepath.Join(root, dir)); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintln(&list, dir+"/")
		}
	}
	for _, e := range t {
		fmt.Fprintln(&list, e.path)
	}
	fmt.Fprintln(&list, manifest)
	return list.Bytes()
}

// create makes a file that is not there, and its folders.
func create(file string, e entry) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	to, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, e.mode)
	if err != nil {
		return err
	}
	_, err = to.Write(e.data)
	return errors.Join(err, to.Close())
}

// uninstall removes what install has written, and the folders that it has made if nothing else is in them.
func uninstall(prefix, destdir string, out io.Writer) error {
	root := filepath.Join(destdir, prefix)
	names, err := listed(root)
	if err != nil {
		return fmt.Errorf("cannot uninstall: %w; name the PREFIX and DESTDIR of make install", err)
	}
	var files, folders []string
	for _, name := range names {
		switch {
		case name == manifest:
		case strings.HasSuffix(name, "/"):
			folders = append(folders, name)
		default:
			files = append(files, name)
		}
	}
	slices.Sort(folders)
	slices.Reverse(folders) // what is in a folder comes before it
	removed := 0
	for _, name := range slices.Concat(files, folders, []string{manifest}, folders) {
		err := os.Remove(filepath.Join(root, filepath.FromSlash(name)))
		switch {
		case strings.HasSuffix(name, "/"), errors.Is(err, fs.ErrNotExist): // another program uses the folder, or it is gone
		case err != nil:
			return fmt.Errorf("cannot uninstall: %w", err)
		default:
			removed++
		}
	}
	fmt.Fprintf(out, "removed %d files from %s\n", removed, root)
	return nil
}
