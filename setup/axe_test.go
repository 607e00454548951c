package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOnlyTheLockedPackageIsTaken: by its hash, from the lock file that the page's other packages have.
func TestOnlyTheLockedPackageIsTaken(t *testing.T) {
	one, err := readLocked(filepath.Join("..", pageLock), axePackage)
	if err != nil || !strings.HasPrefix(one.Integrity, "sha512-") {
		t.Fatalf("%+v, %v", one, err)
	}
	if err := one.fits([]byte("another package")); err == nil || !strings.Contains(err.Error(), "another hash") {
		t.Errorf("another package is taken: %v", err)
	}
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for _, name := range []string{"package/README.md", axeInside} {
		if err := archive.WriteHeader(&tar.Header{Name: name, Size: int64(len(name)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	archive.Close()
	zipped.Close()
	if text, err := fileOf(packed.Bytes(), axeInside); err != nil || string(text) != axeInside {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := fileOf(packed.Bytes(), "package/axe.js"); err == nil {
		t.Error("a file that is not there is found")
	}
}

// TestAWrongHashIsAnError: what cannot be had is left out, but what was replaced ends the setup, and nothing of it stays.
func TestAWrongHashIsAnError(t *testing.T) {
	p := place{root: t.TempDir(), distro: "jazzy"}
	var notes bytes.Buffer
	err := extra{"axe", axePackage, "inputs", func(dir string) error {
		if err := os.WriteFile(filepath.Join(dir, "replaced.tgz"), nil, 0o644); err != nil {
			return err
		}
		return locked{Version: "1.0.0", Integrity: "sha512-other"}.fits([]byte("another package"))
	}}.fetch(p, &notes)
	if err == nil || !strings.Contains(err.Error(), "another hash") {
		t.Errorf("setup goes on: %v", err)
	}
	if _, err := os.Stat(filepath.Join(p.dir(), "axe")); !os.IsNotExist(err) {
		t.Errorf("what was replaced is kept: %v", err)
	}
}

// TestWithoutNpmThereIsAReason: the tests of the page quote it, and setup goes on.
func TestWithoutNpmThereIsAReason(t *testing.T) {
	p := place{root: t.TempDir(), distro: "jazzy"}
	text, err := os.ReadFile(filepath.Join("..", pageLock))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(p.root, pageLock)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	var notes bytes.Buffer
	if err := fetchAxe(p, &notes); err != nil {
		t.Fatal(err)
	}
	why, err := os.ReadFile(filepath.Join(p.dir(), "axe", absentName))
	if err != nil || !strings.Contains(string(why), "there is no npm") || !strings.Contains(notes.String(), string(why)) {
		t.Errorf("it says %q, %v, and %q", why, err, notes.String())
	}
}
