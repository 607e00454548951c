package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestAPackageOfAnotherHashIsNotUnpacked: it is noted why the proxies are absent, and setup goes on.
func TestAPackageOfAnotherHashIsNotUnpacked(t *testing.T) {
	asked := 0
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = w.Write([]byte("another package"))
	}))
	defer mirror.Close()
	p := place{root: t.TempDir(), distro: "jazzy"}
	var notes bytes.Buffer
	fetchProxies(p, mirror.URL+"/", false, &notes)
	why, err := os.ReadFile(filepath.Join(p.dir(), "proxies", absentName))
	if err != nil || !strings.Contains(notes.String(), string(why)) {
		t.Errorf("it says %q, %v, and %q", why, err, notes.String())
	}
	if runtime.GOARCH == "amd64" && !strings.Contains(string(why), "another hash") {
		t.Errorf("it says %q", why)
	}
	if left, _ := filepath.Glob(filepath.Join(p.dir(), "proxies", "*")); len(left) != 2 { // and the stamp
		t.Errorf("there is %v", left)
	}
	before := asked
	fetchProxies(p, mirror.URL+"/", true, &notes)
	if asked != before {
		t.Error("a quiet run asks again")
	}
}
