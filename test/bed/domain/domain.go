// Package domain gives each test run a ROS domain of its own, so that concurrent runs on one
// machine never meet. It may import the standard library only: the test runner uses it without ROS.
package domain

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
)

// Variable is the environment variable from which every ROS program reads its domain.
const Variable = "ROS_DOMAIN_ID"

// First and Last bound the reserved domains: above Last, the ports of ROS 2 overlap with the
// ephemeral ports of the kernel.
const (
	First = 1
	Last  = 99
)

// Take sets ROS_DOMAIN_ID for this process and its children: to the value that the user has set,
// else to the first domain that no other process on this machine has reserved. The reservation
// lasts until the returned function is called or the process ends in any way.
func Take() (id int, release func(), err error) {
	if held := os.Getenv(Variable); held != "" {
		id, err := strconv.Atoi(held)
		if err != nil {
			return 0, nil, fmt.Errorf("cannot use %s=%q: it is no number; unset it, or set it to 0…232", Variable, held)
		}
		return id, func() {}, nil
	}
	id, file, err := first(filepath.Join(os.TempDir(), "rstate-domains"))
	if err != nil {
		return 0, nil, err
	}
	if err := os.Setenv(Variable, strconv.Itoa(id)); err != nil {
		file.Close()
		return 0, nil, err
	}
	return id, sync.OnceFunc(func() {
		os.Unsetenv(Variable)
		file.Close()
	}), nil
}

// first locks the file of the first free domain. The file stays after the lock: removing it would
// let two runs hold locks of the same name.
func first(dir string) (int, *os.File, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, nil, fmt.Errorf("cannot make %q: %w", dir, err)
	}
	_ = os.Chmod(dir, 0o1777|os.ModeSticky) // shared with other users; only the owner can set this
	for id := First; id <= Last; id++ {
		path := filepath.Join(dir, strconv.Itoa(id)+".lock")
		file, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o666)
		if err != nil {
			return 0, nil, fmt.Errorf("cannot open %q: %w", path, err)
		}
		if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			return id, file, nil
		}
		file.Close()
	}
	return 0, nil, fmt.Errorf("cannot take a ROS domain: %d…%d are all held (%s); set %s to one of your own", First,
		Last, dir, Variable)
}
