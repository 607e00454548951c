package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"time"
)

// pack is a Debian package that the tests of the HTTP API need.
type pack struct{ url, sum string }

// proxies are HAProxy and nginx of Debian 12, and the libraries that a small installation lacks. A
// mirror drops a version when a newer one comes: then take that one here.
var proxies = []pack{
	{"debian-security/pool/updates/main/h/haproxy/haproxy_2.6.12-1+deb12u4_amd64.deb",
		"97ca097d12b43fc5cb1b17aa5e84957735ef312a2e02cf8a99512fa1abe8a955"},
	{"debian-security/pool/updates/main/n/nginx/nginx_1.22.1-9+deb12u11_amd64.deb",
		"4e2778e675c07d0f2d8d3b6f5ff84f6483ade1d82c21c910eb9a2787e1cf1b1a"},
	{"debian/pool/main/l/lua5.3/liblua5.3-0_5.3.6-2_amd64.deb",
		"576ad8ef2e9f6ad21f29f0c90dac17448deefee8f3912877c2a0911b77e5d3ca"},
	{"debian/pool/main/o/opentracing-c-wrapper/libopentracing-c-wrapper0_1.1.3-3+b1_amd64.deb",
		"68013bf6296a776923622c871bed26bc7b6bfe5f84b0fa2707a06382d1db2692"},
	{"debian/pool/main/o/opentracing-cpp/libopentracing1_1.6.0-4_amd64.deb",
		"af62b62a99979253a79e3443f7dabe13f1f33bc2fc024f99039e3868a67f26f4"},
}

const (
	debianMirror = "http://deb.debian.org/"
	// absentName is the file that says why there are no proxies. The tests that need them quote it.
	absentName  = "absent"
	largestPack = 16 << 20
)

// fetchProxies unpacks the proxies below .ros, once. They are not needed to build or run rstate, so
// it notes why they are absent, and that is no error.
func fetchProxies(p place, mirror string, quiet bool, notes io.Writer) {
	done := stamp{Path: filepath.Join(p.dir(), "proxies"), Inputs: digest(fmt.Sprint(proxies))}
	absent := filepath.Join(done.Path, absentName)
	wanted := func() bool {
		_, failed := os.Stat(absent)
		return done.differs() != "" || !quiet && failed == nil
	}
	if !wanted() {
		return
	}
	release, err := lock(filepath.Join(p.dir(), "lock"), notes)
	if err != nil {
		return
	}
	defer release()
	if !wanted() { // another run has fetched them
		return
	}
	if err := os.RemoveAll(done.Path); err != nil {
		return
	}
	if err := unpackAll(done.Path, mirror); err != nil {
		why := fmt.Sprintf("cannot fetch HAProxy and nginx, which only tests need: %v", err)
		fmt.Fprintln(notes, "setup: "+why)
		if os.MkdirAll(done.Path, 0o755) != nil || os.WriteFile(absent, []byte(why), 0o644) != nil {
			return
		}
	}
	_ = done.write() // without it the next run tries again
}

func unpackAll(dir, mirror string) error {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return fmt.Errorf("the packages are for Linux on amd64")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, one := range proxies {
		file := filepath.Join(dir, path.Base(one.url))
		if err := one.fetch(mirror, file); err != nil {
			return err
		}
		if out, err := exec.Command("dpkg-deb", "-x", file, dir).CombinedOutput(); err != nil {
			return fmt.Errorf("cannot unpack %s: %w: %.200s", file, err, out)
		}
	}
	return nil
}

// fetch downloads a package and compares its hash.
func (k pack) fetch(mirror, file string) error {
	client := http.Client{Timeout: 30 * time.Second}
	answer, err := client.Get(mirror + k.url)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s%s: %s", mirror, k.url, answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, largestPack))
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != k.sum {
		return fmt.Errorf("%s%s has another hash than it should", mirror, k.url)
	}
	return os.WriteFile(file, text, 0o644)
}
