package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// lock lets one run at a time change the files beside the lock file. The kernel releases it when
// its holder ends in any way.
func lock(path string, notes io.Writer) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("cannot make %q: %w", filepath.Dir(path), err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("cannot open %q: %w", path, err)
	}
	fd := int(file.Fd())
	if syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		fmt.Fprintln(notes, "setup: another run is at work here; waiting for it")
		if err := flockWait(fd); err != nil {
			file.Close()
			return nil, fmt.Errorf("cannot lock %q: %w", path, err)
		}
	}
	return func() { file.Close() }, nil
}

// flockWait repeats a wait that a signal has interrupted: the Go runtime sends signals to its own
// threads.
func flockWait(fd int) error {
	for {
		if err := syscall.Flock(fd, syscall.LOCK_EX); err != syscall.EINTR {
			return err
		}
	}
}
