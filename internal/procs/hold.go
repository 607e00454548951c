package procs

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// sysPidfdOpen has the same number on all architectures that ROS 2 runs on.
const sysPidfdOpen = 434

// holdProcess opens a pidfd. The runtime's own poller waits on it, so a process that is held costs no thread.
func holdProcess(pid int) (*os.File, error) {
	fd, _, errno := syscall.Syscall(sysPidfdOpen, uintptr(pid), syscall.O_NONBLOCK, 0)
	if errno != 0 {
		return nil, os.NewSyscallError("pidfd_open", errno)
	}
	syscall.CloseOnExec(int(fd))
	return os.NewFile(fd, "pidfd"), nil
}

// awaitEnd waits until the process has ended, the pidfd is closed or its deadline is over, and reports whether it has
// ended.
func awaitEnd(f *os.File) bool {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	ended := false
	err = raw.Read(func(fd uintptr) bool {
		ended = hasEnded(fd)
		return ended
	})
	return err == nil && ended
}

// pollfd is that of poll(2).
type pollfd struct {
	fd              int32
	events, revents int16
}

const pollIn = 1

// hasEnded reports whether a pidfd is readable.
func hasEnded(fd uintptr) bool {
	p := pollfd{fd: int32(fd), events: pollIn}
	var at syscall.Timespec
	for {
		n, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&at)),
			0, 0, 0)
		if !errors.Is(errno, syscall.EINTR) {
			return errno == 0 && n == 1 && p.revents&pollIn != 0
		}
	}
}
