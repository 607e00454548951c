package bed

import (
	"fmt"
	"syscall"
	"testing"
)

// Disk is a file system of a test's own, which can be full or read-only for every user.
type Disk struct {
	Path string
	t    testing.TB
}

// NewDisk mounts a disk of that size in bytes. If the system does not allow the tests to mount, the
// test is skipped.
func NewDisk(t testing.TB, size int) *Disk {
	t.Helper()
	needMain(t)
	if !alone {
		t.Skip("left out: this system does not let a process have mounts of its own, so there is no disk to fill")
	}
	d := &Disk{Path: t.TempDir(), t: t}
	d.mount(0, size)
	// the end of the namespace unmounts it at the latest
	t.Cleanup(func() { _ = syscall.Unmount(d.Path, syscall.MNT_DETACH) })
	return d
}

// Resize changes the size; the contents stay.
func (d *Disk) Resize(size int) {
	d.t.Helper()
	d.mount(syscall.MS_REMOUNT, size)
}

// Lock makes the disk read-only, which requires that no file on it is open for writing.
func (d *Disk) Lock() {
	d.t.Helper()
	d.mount(syscall.MS_REMOUNT|syscall.MS_RDONLY, 0)
}

// Unlock makes the disk writable.
func (d *Disk) Unlock() {
	d.t.Helper()
	d.mount(syscall.MS_REMOUNT, 0)
}

// mount sets the flags and, unless it is 0, the size.
func (d *Disk) mount(flags uintptr, size int) {
	d.t.Helper()
	options := "mode=755"
	if size > 0 {
		options += fmt.Sprintf(",size=%d", size)
	}
	if err := syscall.Mount("tmpfs", d.Path, "tmpfs", flags, options); err != nil {
		d.t.Fatalf("cannot mount a disk on %s: %v", d.Path, err)
	}
}
