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

// chromiumWord fetches a browser for the tests of the page.
const chromiumWord = "chromium"

// browserPackages are what the tests need of Debian: a headless browser, and a font. apt finds the libraries that this
// machine lacks.
var browserPackages = []string{"chromium-headless-shell", "fonts-dejavu-core"}

// chromiumPrograms are the names under which this machine may have a browser already.
var chromiumPrograms = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}

// fetchChromium unpacks a headless Chromium below .ros, unless this machine has one. It needs no root: apt gets folders
// of its own for its lists and packages, and checks their signatures. Only tests need it, so if it cannot be had, that is
// noted and is no error.
func fetchChromium(p place, notes io.Writer) error {
	for _, name := range chromiumPrograms {
		if path, err := exec.LookPath(name); err == nil {
			fmt.Fprintln(notes, "setup: this machine has a Chromium: "+path)
			return nil
		}
	}
	done := stamp{Path: filepath.Join(p.dir(), "chromium"), Inputs: digest(fmt.Sprint(browserPackages))}
	if done.differs() == "" {
		return nil
	}
	release, err := lock(filepath.Join(p.dir(), "lock-chromium"), notes)
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
	if err := unpackChromium(done.Path); err != nil {
		why := fmt.Sprintf("cannot fetch Chromium, which only tests need: %v", err)
		fmt.Fprintln(notes, "setup: "+why)
		if err := os.MkdirAll(done.Path, 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(done.Path, absentName), []byte(why), 0o644)
	}
	return done.write()
}

// unpackChromium downloads and unpacks the packages.
func unpackChromium(dir string) error {
	if runtime.GOOS != "linux" {
		return errors.New("the packages are for Linux")
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.New("there is no apt-get here; install a Chromium by hand")
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
		{"download " + browserPackages[0], log, 5 * time.Minute, os.Environ(), append(append(apt[:len(apt):len(apt)], "install", "--yes",
			"--download-only", "--no-install-recommends"), browserPackages...)},
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
