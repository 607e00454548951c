// Package secret reads files that hold a secret, such as the authority to arm or a token. It never
// hangs and never reads much, whatever the path leads to. It imports the standard library only.
package secret

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

const (
	// Most is how many bytes such a file may have.
	Most = 4 << 10
	// readIn is how long a file system has to hand the file over.
	readIn = 3 * time.Second
)

// Read returns the text of a secret file, and whether others than its owner may use the file. The
// path may lead over symbolic links, as those of mounted secrets do, but must end at a regular file.
func Read(path string) (text string, open bool, err error) {
	return readWithin(path, readIn, read)
}

type content struct {
	text string
	open bool
	err  error
}

// readWithin gives up a file system that does not answer. Its goroutine is left behind: no call into
// a file system can be cancelled.
func readWithin(path string, limit time.Duration, read func(string) content) (string, bool, error) {
	done := make(chan content, 1)
	go func() { done <- read(path) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case c := <-done:
		return c.text, c.open, c.err
	case <-timer.C:
		late := fmt.Errorf("the file system does not answer in %v", limit)
		return "", false, &os.PathError{Op: "read", Path: path, Err: late}
	}
}

func read(path string) content {
	fail := func(err error) content { return content{err: &os.PathError{Op: "read", Path: path, Err: err}} }
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe without a writer opens at once
	if err != nil {
		return content{err: err}
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return content{err: err}
	case !info.Mode().IsRegular():
		return fail(errors.New("it is no regular file; put the secret into a file of its own"))
	}
	text, err := io.ReadAll(io.LimitReader(f, Most+1))
	switch {
	case err != nil:
		return content{err: err}
	case len(text) > Most:
		return fail(fmt.Errorf("it is larger than %d bytes; put the secret into a file of its own", Most))
	}
	return content{text: string(text), open: info.Mode().Perm()&0o077 != 0}
}
