package bed

import (
	"fmt"
	"syscall"
	"testing"
)

// Disk is a file system of a test's own, which can be full or not writable, whoever runs the test.
type Disk struct {
	Path string
	t    testing.TB
}

// NewDisk mounts one of so many bytes. Where the system does not let the tests have mounts of their own, the test is left
// out.
func NewDisk(t testing.TB, size int) *Disk {
	t.Helper()
	needMain(t)
	if !alone {
		t.Skip("left out: this system does not let a process have mounts of its own, so there is no disk to fill")
	}
	d := &Disk{Path: t.TempDir(), t: t}
	d.mount(0, size)
	t.Cleanup(func() { _ = syscall.Unmount(d.Path, syscall.MNT_DETACH) }) // it is gone with the namespace at the latest
	return d
}

// Resize gives it another size; what is in it stays.
func (d *Disk) Resize(size int) {
	d.t.Helper()
	d.mount(syscall.MS_REMOUNT, size)
}

// Lock makes it read-only, which needs that nothing on it is open for writing.
func (d *Disk) Lock() {
	d.t.Helper()
	d.mount(syscall.MS_REMOUNT|syscall.MS_RDONLY, 0)
}

// Unlock lets it be written again.
func (d *Disk) Unlock() {
	d.t.Helper()
	d.mount(syscall.MS_REMOUNT, 0)
}

// mount sets flags and, unless it is 0, the size.
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
