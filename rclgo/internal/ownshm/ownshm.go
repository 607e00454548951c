// Package ownshm runs the tests of a package with a /dev/shm of their own. Fast DDS keeps
// its segments there under names that all domains have in common, and waits for ever on a
// lock that a killed process has left in one: a run of tests must meet neither another
// run nor what an earlier one has left. It is for tests, and may import the standard
// library only.
package ownshm

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
)

const (
	// inside tells a process that it is the child.
	inside = "RCLGO_OWN_SHM"
	folder = "/dev/shm"
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
	if os.Getenv(inside) != "" {
		os.Unsetenv(inside)
		err := mount()
		if alone = err == nil; !alone {
			complain(err)
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
	cmd := exec.Command(self)
	cmd.Args = os.Args
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = namespace()
	if err := cmd.Start(); err != nil {
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

// namespace is one for mounts, in one for users where this user may not make it alone.
func namespace() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: gid, Size: 1}}
	}
	return attr
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

func complain(err error) {
	fmt.Fprintf(os.Stderr, "the tests share %s with other processes: %v\n", folder, err)
}
