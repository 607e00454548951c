package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// disk is all that the writer asks of a file system. Tests put one in its place that is full, stands still, or dies at
// a given step.
type disk interface {
	mkdir(dir string) error
	list(dir string) ([]string, error)
	// lock keeps other processes from writing a journal in dir, until unlock.
	lock(dir string) (unlock func(), err error)
	// create makes a file that is not there yet, extend opens one that is, both for appending.
	create(path string) (file, error)
	extend(path string) (file, error)
	remove(path string) error
	// syncDir makes the creation of files in dir durable.
	syncDir(dir string) error
	// touch notes on a file that it was changed now.
	touch(f file) error
	// holds says whether path still is the name of f.
	holds(path string, f file) bool
}

// file is one file of a journal. Writes go to its end.
type file interface {
	io.Writer
	io.ReaderAt
	io.Closer
	Sync() error
	Truncate(size int64) error
	Stat() (os.FileInfo, error)
}

var (
	errLocked = errors.New("another rstate writes it")
	errNoFile = errors.New("is no regular file")
	errLink   = errors.New("the folder is a symbolic link")
	errOwner  = errors.New("the folder belongs to another user")
)

type osDisk struct{}

// mkdir makes the folder, which only its owner may read. Former versions left it and its files to everybody. A folder
// that another user put in its place, or a link to one, is refused and stays as it is: that user could lead the journal
// to any file of this user.
func (osDisk) mkdir(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	d, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		if info, failed := os.Lstat(dir); failed == nil && info.Mode()&os.ModeSymlink != 0 {
			return errLink
		}
		return err
	}
	defer d.Close()
	owner, err := ownerOf(d)
	switch {
	case err != nil:
		return err
	case owner == os.Geteuid():
		_ = d.Chmod(0o700)
	case owner != 0:
		return errOwner
	}
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		if len(sequence([]string{name})) > 0 {
			closeToOthers(filepath.Join(dir, name))
		}
	}
	return nil
}

func ownerOf(f *os.File) (uid int, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return int(info.Sys().(*syscall.Stat_t).Uid), nil // on Linux it is of this type
}

// closeToOthers lets only its owner read a file of the journal. What is no file of this user stays as it is.
func closeToOthers(path string) {
	f, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return
	}
	defer f.Close()
	if owner, err := ownerOf(f); err == nil && owner == os.Geteuid() {
		_ = f.Chmod(0o600)
	}
}

func (osDisk) list(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// lock takes an advisory lock on the directory itself, which goes with the process however that ends. A file system
// that has no such locks is written without: the lock is a guard against a mistake, not what order rests on.
func (osDisk) lock(dir string) (func(), error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		d.Close()
		return nil, errLocked
	}
	return func() { d.Close() }, nil
}

// Running reports whether a process writes the journal in dir now.
func Running(dir string) bool {
	d, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close() // gives back the lock, if it was free
	return errors.Is(syscall.Flock(int(d.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

func (osDisk) create(path string) (file, error) {
	return openFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
}

func (osDisk) extend(path string) (file, error) { return openFile(path, os.O_RDWR|os.O_APPEND) }

// openFile opens a regular file. A pipe that was put in its place must not hang us, and a link must not lead us to
// another file.
func openFile(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, &os.PathError{Op: "open", Path: path, Err: errNoFile}
	}
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, &os.PathError{Op: "open", Path: path, Err: errNoFile}
	}
	return f, nil
}

func (osDisk) remove(path string) error { return os.Remove(path) }

func (osDisk) syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// touch sets the times of the file itself, whatever its name leads to now.
func (osDisk) touch(f file) error {
	own, ok := f.(*os.File)
	if !ok {
		return nil
	}
	raw, err := own.SyscallConn()
	if err != nil {
		return err
	}
	now := syscall.NsecToTimeval(time.Now().UnixNano())
	if failed := raw.Control(func(fd uintptr) { err = syscall.Futimes(int(fd), []syscall.Timeval{now, now}) }); failed != nil {
		return failed
	}
	return err
}

func (osDisk) holds(path string, f file) bool {
	there, err := os.Lstat(path)
	if err != nil {
		return false
	}
	ours, err := f.Stat()
	return err == nil && os.SameFile(there, ours)
}
