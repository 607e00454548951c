package recording

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// partName returns the name of the file of a beginning, from 1: run.mcap, run-2.mcap.
func partName(file string, n int) string {
	if n == 1 {
		return file
	}
	return numbered(file, fmt.Sprintf("-%d", n))
}

// numbered puts a text before the extension of a file.
func numbered(file, text string) string {
	ext := filepath.Ext(file)
	return strings.TrimSuffix(file, ext) + text + ext
}

// keepEarlier renames the files of an earlier recording: run.mcap and run-2.mcap become run.1.mcap and run.1-2.mcap,
// with the first number of which there is no file yet.
func keepEarlier(file string) error {
	ext := filepath.Ext(file)
	stem := regexp.QuoteMeta(strings.TrimSuffix(filepath.Base(file), ext))
	mine := regexp.MustCompile(`^` + stem + `(-[0-9]+)?` + regexp.QuoteMeta(ext) + `$`)
	kept := regexp.MustCompile(`^` + stem + `\.([0-9]+)(-[0-9]+)?` + regexp.QuoteMeta(ext) + `$`)
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return err
	}
	var parts []string
	taken := map[string]bool{}
	for _, e := range entries {
		if found := mine.FindStringSubmatch(e.Name()); found != nil {
			parts = append(parts, found[1])
		}
		if found := kept.FindStringSubmatch(e.Name()); found != nil {
			taken[found[1]] = true
		}
	}
	for _, part := range parts {
		if err := idle(numbered(file, part)); err != nil {
			return err
		}
	}
	n := 1
	for taken[fmt.Sprint(n)] {
		n++
	}
	for _, part := range parts {
		if err := os.Rename(numbered(file, part), numbered(file, fmt.Sprintf(".%d%s", n, part))); err != nil {
			return err
		}
	}
	return nil
}

// idle reports that no other daemon writes a file.
func idle(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return lock(f)
}

// lock takes the lock of a file, which ends when the file is closed.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errors.New("another rstate writes it; give each simulation a file of its own, like run-$(sim).mcap")
	}
	return err
}

// create makes the file of a beginning, which must not exist.
func create(file string) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// reason returns an error of a file without its name.
func reason(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}
