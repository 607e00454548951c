package term

import (
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// The size of a terminal that does not tell its own.
const (
	defaultWidth  = 80
	defaultHeight = 24
)

// Is says whether what is written there is seen on a terminal that can be drawn on.
func Is(out any) bool {
	f, ok := out.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	_, _, ok = ask(f)
	return ok
}

// Size returns the columns and lines of the terminal, or those that most have.
func Size(out any) (width, height int) {
	width, height = defaultWidth, defaultHeight
	f, ok := out.(*os.File)
	if !ok {
		return width, height
	}
	w, h, ok := ask(f)
	if !ok {
		if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
			width = n
		}
		return width, height
	}
	if w > 0 {
		width = w
	}
	if h > 0 {
		height = h
	}
	return width, height
}

// ask asks the kernel. What is no terminal has no size.
func ask(f *os.File) (width, height int, ok bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, 0, false
	}
	var size struct{ rows, columns, x, y uint16 }
	var errno syscall.Errno
	err = raw.Control(func(fd uintptr) {
		// The kernel writes into size, which is ours and lives until the call returns.
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	})
	return int(size.columns), int(size.rows), err == nil && errno == 0
}
