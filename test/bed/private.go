package bed

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"unsafe"
)

// inside tells a process that it is the child in the private namespaces, and what it has:
// withNetwork, or else mounts only.
const (
	inside      = "RSTATE_BED_INSIDE"
	withNetwork = "network"
)

// What is private to this process: mounts, and a network without other processes.
var alone, apart bool

// sharedMemory is the folder of the middleware's segments.
const sharedMemory = "/dev/shm"

// inARoomOfItsOwn runs the tests of this process in a child with a private shared memory and
// network, as far as the system allows, and returns the child's exit code. Discovery on localhost
// uses shared memory, whatever transports are configured, under names that all domains share. A
// concurrent suite, or the remains of a killed one, would interfere, and a process can hang for
// ever on a segment whose owner was killed. If a process gets the port of a killed one, others go
// on writing to the memory of the dead process: the new one receives nothing from them for half a
// minute and more. So in a private network only UDP is used.
func inARoomOfItsOwn() (code int, ran bool) {
	if has := os.Getenv(inside); has != "" {
		os.Unsetenv(inside)
		if err := furnish(); err != nil {
			fmt.Fprintln(os.Stderr, "bed: shared memory is shared with all other processes: "+err.Error())
		}
		if has == withNetwork {
			if err := raiseLoopback(); err != nil {
				fmt.Fprintln(os.Stderr, "bed: there is no network here: "+err.Error())
			}
			apart = true
		}
		return 0, false
	}
	self, err := os.Executable()
	if err != nil {
		return 0, false
	}
	runtime.LockOSThread() // the child ends with the thread that started it
	defer runtime.UnlockOSThread()
	cmd, err := enter(self, syscall.CLONE_NEWNS|syscall.CLONE_NEWNET, withNetwork)
	if err != nil {
		cmd, err = enter(self, syscall.CLONE_NEWNS, "mounts")
	}
	if err != nil {
		return 0, false // not allowed on this system
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

// enter starts this program once more, in private namespaces.
func enter(self string, flags uintptr, has string) (*exec.Cmd, error) {
	cmd := exec.Command(self)
	cmd.Args = os.Args
	cmd.Env = append(os.Environ(), inside+"="+has)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags, Pdeathsig: syscall.SIGKILL}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: gid, Size: 1}}
	}
	return cmd, cmd.Start()
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

// raiseLoopback brings up the only interface of a new network.
func raiseLoopback() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	request := struct { // struct ifreq
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_LOOPBACK | syscall.IFF_RUNNING}
	copy(request.name[:], "lo")
	// The kernel only reads the request, which is Go memory that outlives the call.
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS,
		uintptr(unsafe.Pointer(&request))); errno != 0 {
		return fmt.Errorf("cannot raise lo: %w", errno)
	}
	return nil
}

// Main runs the tests of a package in a private environment, and ends what the package shares.
func Main(m *testing.M) int {
	if code, ran := inARoomOfItsOwn(); ran {
		return code
	}
	return run(m)
}
