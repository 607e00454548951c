// Package ownshm runs the tests of a package with a /dev/shm and a network of their own.
// Fast DDS keeps its segments in /dev/shm under names that all domains have in common, and
// waits for ever on a lock that a killed process has left in one: a run of tests must meet
// neither another run nor what an earlier one has left. With a network of their own two
// packages run side by side in one domain. The package is for tests, and may import the
// standard library only.
package ownshm

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"
)

const (
	// inside tells a process that it is the child. Its value is withNetwork where the child
	// has a network of its own.
	inside      = "RCLGO_OWN_SHM"
	withNetwork = "network"
	folder      = "/dev/shm"
)

// alone says that the folder is this run's own.
var alone bool

// Files returns Fast DDS's files in the folder, where that is this run's own: what a process of it
// uses, or has left.
func Files() (names []string) {
	if alone {
		names, _ = filepath.Glob(filepath.Join(folder, "fast*"))
	}
	return names
}

// Enter runs this program anew with a folder of its own, waits for it, and returns its
// exit code; there, it returns at once with ran false. So it is the first thing to be
// called by TestMain, which ends if ran is true. Where the system does not allow mount
// namespaces, it says so and the tests run where they are.
func Enter() (code int, ran bool) {
	if has := os.Getenv(inside); has != "" {
		os.Unsetenv(inside)
		err := mount()
		if alone = err == nil; !alone {
			complain(err)
		}
		if has == withNetwork {
			if err := raiseLoopback(); err != nil {
				fmt.Fprintln(os.Stderr, "the tests have no network:", err)
			}
		}
		return 0, false
	}
	self, err := os.Executable()
	if err != nil {
		complain(err)
		return 0, false
	}
	runtime.LockOSThread() // the child is killed when the thread that started it ends
	defer runtime.UnlockOSThread()
	cmd, err := start(self, syscall.CLONE_NEWNS|syscall.CLONE_NEWNET, withNetwork)
	if err != nil {
		cmd, err = start(self, syscall.CLONE_NEWNS, "mounts")
	}
	if err != nil {
		complain(err)
		return 0, false
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if err == nil || errors.As(err, &exit) && exit.Exited() {
		return cmd.ProcessState.ExitCode(), true
	}
	fmt.Fprintln(os.Stderr, "the tests ended badly:", err)
	return 1, true
}

// start runs this program anew in namespaces of its own, in one for users too where this
// user may not make the others alone.
func start(self string, namespaces uintptr, has string) (*exec.Cmd, error) {
	cmd := exec.Command(self)
	cmd.Args = os.Args
	cmd.Env = append(os.Environ(), inside+"="+has)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces, Pdeathsig: syscall.SIGKILL}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: gid, Size: 1}}
	}
	return cmd, cmd.Start()
}

// mount puts an empty folder over the common one, for this process and its children.
func mount() error {
	if err := syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("cannot keep mounts to itself: %w", err)
	}
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "mode=1777"); err != nil {
		return fmt.Errorf("cannot mount on %s: %w", folder, err)
	}
	return nil
}

// raiseLoopback brings up the only interface of a new network.
func raiseLoopback() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("cannot open a socket: %w", err)
	}
	defer syscall.Close(fd)
	request := struct { // struct ifreq
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_LOOPBACK | syscall.IFF_RUNNING}
	copy(request.name[:], "lo")
	// The kernel only reads the request, which is ours and lives until the call has returned.
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))); errno != 0 {
		return fmt.Errorf("cannot bring up lo: %w", errno)
	}
	return nil
}

func complain(err error) {
	fmt.Fprintf(os.Stderr, "the tests share %s with other processes: %v\n", folder, err)
}
