package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	axePackage = "axe-core"
	// axeInside is the file of the package that the tests load, and axeScript the name that it gets.
	axeInside = "package/axe.min.js"
	axeScript = "axe.min.js"
	// pageLock names the version and the hash, as it does for npm.
	pageLock = "internal/page/package-lock.json"
)

// locked is what a lock file of npm says of one package.
type locked struct {
	Version   string `json:"version"`
	Integrity string `json:"integrity"`
}

// fetchAxe puts the script that checks the page for accessibility below .ros. npm downloads it, from the registry that
// the user has set; no script of a package runs.
func fetchAxe(p place, notes io.Writer) error {
	file := filepath.Join(p.root, pageLock)
	return extra{"axe", axePackage, hashFile(file), func(dir string) error { return packAxe(file, dir) }}.fetch(p, notes)
}

// packAxe downloads the package, compares its hash with the lock file, and takes the script out.
func packAxe(lockFile, dir string) error {
	one, err := readLocked(lockFile, axePackage)
	if err != nil {
		return err
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return errors.New("there is no npm here")
	}
	download := step{"download " + axePackage, filepath.Join(dir, "npm.log"), 2 * time.Minute, os.Environ(), []string{"npm", "pack",
		axePackage + "@" + one.Version, "--pack-destination", dir, "--ignore-scripts", "--loglevel=error"}}
	if err := download.run(); err != nil {
		return err
	}
	archive := filepath.Join(dir, axePackage+"-"+one.Version+".tgz")
	text, err := os.ReadFile(archive)
	if err != nil {
		return err
	}
	if err := one.fits(text); err != nil {
		return err
	}
	script, err := fileOf(text, axeInside)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, axeScript), script, 0o644); err != nil {
		return err
	}
	return os.Remove(archive)
}

// readLocked returns what a lock file says of a package.
func readLocked(file, name string) (locked, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return locked{}, err
	}
	var all struct {
		Packages map[string]locked `json:"packages"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return locked{}, fmt.Errorf("cannot read %s: %w", file, err)
	}
	one := all.Packages["node_modules/"+name]
	if one.Version == "" || one.Integrity == "" {
		return locked{}, fmt.Errorf("%s has no version and hash of %s", file, name)
	}
	return one, nil
}

// fits reports a package that is not the one of the lock file.
func (k locked) fits(text []byte) error {
	sum := sha512.Sum512(text)
	if is := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); is != k.Integrity {
		return fmt.Errorf("%s %s: %w", axePackage, k.Version, errHash)
	}
	return nil
}

// fileOf returns one file of a compressed archive.
func fileOf(text []byte, name string) ([]byte, error) {
	plain, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	for archive := tar.NewReader(plain); ; {
		header, err := archive.Next()
		if err != nil {
			return nil, fmt.Errorf("cannot find %s in the package: %w", name, err)
		}
		if header.Name == name {
			return io.ReadAll(io.LimitReader(archive, largestPack))
		}
	}
}
