package bed

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

// inside tells a process that it is the one in the room of its own.
const inside = "RSTATE_BED_INSIDE"

// alone says that this process has a mount namespace to itself.
var alone bool

// sharedMemory is where the middleware keeps its segments.
const sharedMemory = "/dev/shm"

// inARoomOfItsOwn runs the tests of this process in a child that sees a shared memory of its own, where the system
// allows that, and returns its exit code. Discovery on localhost goes through shared memory, whatever transports are
// asked for, by names that all domains have in common: a suite beside this one, or what a killed one has left, would
// reach into ours, and a process can hang for good on a segment whose owner was killed.
func inARoomOfItsOwn() (code int, ran bool) {
	if os.Getenv(inside) != "" {
		os.Unsetenv(inside)
		if err := furnish(); err != nil {
			fmt.Fprintln(os.Stderr, "bed: shared memory is shared with all other processes: "+err.Error())
		}
		return 0, false
	}
	self, err := os.Executable()
	if err != nil {
		return 0, false
	}
	runtime.LockOSThread() // the child ends with the thread that started it
	defer runtime.UnlockOSThread()
	cmd := exec.Command(self)
	cmd.Args = os.Args
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: gid, Size: 1}}
	}
	if err := cmd.Start(); err != nil {
		return 0, false // it is not allowed here
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, true
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode(), true
	}
	fmt.Fprintln(os.Stderr, "bed: the tests ended badly: "+err.Error())
	return 1, true
}

// furnish gives this process, alone in its mount namespace, an empty shared memory.
func furnish() error {
	if err := syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("cannot keep mounts to itself: %w", err)
	}
	if err := syscall.Mount("tmpfs", sharedMemory, "tmpfs", 0, "mode=1777"); err != nil {
		return fmt.Errorf("cannot mount on %s: %w", sharedMemory, err)
	}
	alone = true
	return nil
}

// Main runs the tests of a package in an environment of their own, and ends what the package shares.
func Main(m *testing.M) int {
	if code, ran := inARoomOfItsOwn(); ran {
		return code
	}
	return run(m)
}
