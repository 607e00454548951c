package coordinator

import (
	"syscall"
	"time"
	"unsafe"
)

// clockBoottime is CLOCK_BOOTTIME of Linux. It advances while the machine is suspended; the clock
// of package time does not.
const clockBoottime = 7

// started is the origin of the fallback clock.
var started = time.Now()

// BootTime returns a clock reading that advances while this process or the machine is suspended.
func BootTime() time.Duration { return bootTime() }

// bootTime returns the time since the machine booted, including suspends. Without such a clock it
// returns a time that at least advances while this process is stopped.
func bootTime() time.Duration {
	var t syscall.Timespec // the kernel writes into it during the call, and keeps nothing
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockBoottime, uintptr(unsafe.Pointer(&t)),
		0); errno != 0 {
		return time.Since(started)
	}
	return time.Duration(t.Nano())
}
