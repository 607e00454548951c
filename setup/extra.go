package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// extra is a folder below .ros that only tests need.
type extra struct {
	folder string
	what   string // for people
	inputs string // of its stamp
	make   func(dir string) error
}

// errHash reports a download that is not what it should be. An attacker may have replaced it, so setup ends.
var errHash = errors.New("it has another hash than it should")

// fetch makes the folder, unless it is complete. If it cannot be had, that is noted where its tests quote it, and is no
// error. A wrong hash is one.
func (e extra) fetch(p place, notes io.Writer) error {
	done := stamp{Path: filepath.Join(p.dir(), e.folder), Inputs: e.inputs}
	if done.differs() == "" {
		return nil
	}
	release, err := lock(filepath.Join(p.dir(), "lock-"+e.folder), notes)
	if err != nil {
		return err
	}
	defer release()
	if done.differs() == "" { // another run has fetched it
		return nil
	}
	if err := removeFolder(done.Path); err != nil {
		return err
	}
	if err := os.MkdirAll(done.Path, 0o755); err != nil {
		return err
	}
	err = e.make(done.Path)
	if errors.Is(err, errHash) {
		return errors.Join(fmt.Errorf("cannot fetch %s: %w", e.what, err), removeFolder(done.Path))
	}
	if err != nil {
		why := fmt.Sprintf("cannot fetch %s, which only tests need: %v", e.what, err)
		fmt.Fprintln(notes, "setup: "+why)
		return os.WriteFile(filepath.Join(done.Path, absentName), []byte(why), 0o644)
	}
	return done.write()
}

// unpackDebian downloads packages of Debian and what they need of others, and unpacks them in a folder. It needs no root:
// apt gets folders of its own for its lists and packages, and checks their signatures.
func unpackDebian(dir string, packages []string) error {
	if runtime.GOOS != "linux" {
		return errors.New("the packages are for Linux")
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.New("there is no apt-get here; install " + packages[0] + " by hand")
	}
	state := filepath.Join(dir, "apt")
	for _, folder := range []string{"lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(state, folder), 0o755); err != nil {
			return err
		}
	}
	apt := []string{"apt-get", "-qq", "-o", "Dir::State::lists=" + filepath.Join(state, "lists"),
		"-o", "Dir::Cache=" + filepath.Join(state, "cache"), "-o", "Debug::NoLocking=true",
		"-o", "APT::Sandbox::User="} // apt as another user could not write here
	log := filepath.Join(dir, "apt.log")
	steps := []step{
		{"read the lists of packages", log, 2 * time.Minute, os.Environ(), append(apt[:len(apt):len(apt)], "update")},
		{"download " + packages[0], log, 5 * time.Minute, os.Environ(), append(append(apt[:len(apt):len(apt)], "install", "--yes",
			"--download-only", "--no-install-recommends"), packages...)},
	}
	for _, s := range steps {
		if err := s.run(); err != nil {
			return err
		}
	}
	files, err := filepath.Glob(filepath.Join(state, "cache", "archives", "*.deb"))
	if err != nil || len(files) == 0 {
		return errors.Join(err, errors.New("apt has downloaded nothing"))
	}
	for _, file := range files {
		if out, err := exec.Command("dpkg-deb", "-x", file, dir).CombinedOutput(); err != nil {
			return fmt.Errorf("cannot unpack %s: %w: %.200s", file, err, out)
		}
	}
	return os.RemoveAll(state)
}
