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
)

// manifest lists what install has written, below the prefix: a path in each line, folders with a slash at their end.
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
	if _, err := os.Stat(filepath.Join(root, manifest)); err == nil {
		if err := uninstall(prefix, destdir, io.Discard); err != nil {
			return err
		}
	}
	list, err := put(t, root)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, manifest), list, 0o644); err != nil {
		return err
	}
	names := []string{}
	for _, d := range s.ros {
		names = append(names, d.name)
	}
	fmt.Fprintf(out, "installed rstate %s for ROS 2 %s: %s (%d files, %.1f MB); make uninstall PREFIX=%s removes it\n", s.version,
		strings.Join(names, ", "), filepath.Join(root, "bin", "rstate"), len(t), float64(t.size())/1e6, prefix)
	return nil
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

// put writes a tree, and returns the list of what it has made.
func put(t tree, root string) ([]byte, error) {
	var list bytes.Buffer
	all := append(t, entry{path: manifest}) // its folder is listed like the others
	for _, dir := range all.folders() {
		err := os.Mkdir(filepath.Join(root, dir), 0o755)
		if errors.Is(err, fs.ErrNotExist) { // the first one: the prefix itself stays
			if err = os.MkdirAll(root, 0o755); err == nil {
				err = os.Mkdir(filepath.Join(root, dir), 0o755)
			}
		}
		switch {
		case err == nil:
			fmt.Fprintln(&list, dir+"/")
		case !errors.Is(err, fs.ErrExist):
			return nil, fmt.Errorf("cannot install: %w", err)
		}
	}
	for _, e := range t {
		to := filepath.Join(root, filepath.FromSlash(e.path))
		fresh := to + ".new" // a program that runs keeps its file
		if err := os.WriteFile(fresh, e.data, e.mode); err != nil {
			return nil, fmt.Errorf("cannot install: %w", err)
		}
		if err := errors.Join(os.Chmod(fresh, e.mode), os.Rename(fresh, to)); err != nil { // the umask may have narrowed it
			return nil, fmt.Errorf("cannot install: %w", err)
		}
		fmt.Fprintln(&list, e.path)
	}
	fmt.Fprintln(&list, manifest)
	return list.Bytes(), nil
}

// uninstall removes what install has written, and the folders that it has made if nothing else is in them.
func uninstall(prefix, destdir string, out io.Writer) error {
	root := filepath.Join(destdir, prefix)
	list, err := os.ReadFile(filepath.Join(root, manifest))
	if err != nil {
		return fmt.Errorf("cannot uninstall: %w; name the PREFIX and DESTDIR of make install", err)
	}
	names := strings.Split(strings.TrimSpace(string(list)), "\n")
	slices.Sort(names)
	slices.Reverse(names) // what is in a folder comes before it
	files := 0
	for _, name := range names {
		if !fs.ValidPath(strings.TrimSuffix(name, "/")) {
			return fmt.Errorf("cannot uninstall: %s names %q, which is outside of %s", manifest, name, root)
		}
		err := os.Remove(filepath.Join(root, filepath.FromSlash(name)))
		switch {
		case strings.HasSuffix(name, "/"), errors.Is(err, fs.ErrNotExist): // another program uses the folder, or it is gone
		case err != nil:
			return fmt.Errorf("cannot uninstall: %w", err)
		default:
			files++
		}
	}
	fmt.Fprintf(out, "removed %d files from %s\n", files, root)
	return nil
}
