package coordinator

import (
	"syscall"
	"time"
	"unsafe"
)

// clockBoottime is CLOCK_BOOTTIME of Linux: it goes on while the machine is suspended, which the clock of package time
// does not.
const clockBoottime = 7

// started is what the fallback counts from.
var started = time.Now()

// BootTime returns a clock reading that goes on while this process, or the machine, does not.
func BootTime() time.Duration { return bootTime() }

// bootTime is the time since the machine was booted, suspends included; where there is no such clock, time that goes on
// while this process is stopped, at least.
func bootTime() time.Duration {
	var t syscall.Timespec // the kernel writes into it during the call, and keeps nothing
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockBoottime, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		return time.Since(started)
	}
	return time.Duration(t.Nano())
}
