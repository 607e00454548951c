// Package ownshm runs the tests of a package with a /dev/shm and a network of their own.
// Fast DDS keeps its segments in /dev/shm under names that all domains share, and waits for
// ever on a lock that a killed process has left in one. A test run must therefore meet
// neither another run nor the remains of an earlier one. With a network of their own two
// packages can run concurrently in one domain. The package is for tests, and may import
// the standard library and package middleware only.
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

	"github.com/tiiuae/rclgo/internal/middleware"
)

const (
	// inside tells a process that it is the child. Its value is withNetwork if the child has a
	// network of its own.
	inside      = "RCLGO_OWN_SHM"
	withNetwork = "network"
	folder      = "/dev/shm"
)

// alone reports that the folder belongs to this run alone.
var alone bool

// Files returns Fast DDS's files in the folder if that belongs to this run alone: files that
// a process of this run uses or has left.
func Files() (names []string) {
	if alone {
		names, _ = filepath.Glob(filepath.Join(folder, middleware.Of("rmw_fastrtps_cpp").SharedMemory))
	}
	return names
}

// Enter runs this program again with a folder of its own, waits for it, and returns its
// exit code and true. In the child it returns at once, with ran false. TestMain must call it
// first, and must end if ran is true. If the system does not allow mount namespaces, Enter
// prints a notice and the tests run without a folder of their own.
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

// start runs this program again in namespaces of its own. If this user may not make them,
// start adds a user namespace.
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

// mount mounts an empty folder over the shared one, for this process and its children.
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
	// The kernel only reads the request, which is Go memory that outlives the call.
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS,
		uintptr(unsafe.Pointer(&request))); errno != 0 {
		return fmt.Errorf("cannot bring up lo: %w", errno)
	}
	return nil
}

func complain(err error) {
	fmt.Fprintf(os.Stderr, "the tests share %s with other processes: %v\n", folder, err)
}
