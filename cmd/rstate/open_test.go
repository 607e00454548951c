package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPageAt(t *testing.T) {
	for address, want := range map[string]string{
		"8080": "http://127.0.0.1:8080/", ":8080": "http://127.0.0.1:8080/", "0.0.0.0:80": "http://127.0.0.1:80/",
		"[::]:80": "http://127.0.0.1:80/", "robot.local:80": "http://robot.local:80/", "[::1]:80": "http://[::1]:80/",
	} {
		if got, err := pageAt(address); got != want || err != nil {
			t.Errorf("the page of %s is at %q, %v; want %q", address, got, err, want)
		}
	}
	if _, err := pageAt("nothing"); err == nil {
		t.Error("an address that is none has a page")
	}
}

// TestOpenPage: the program that opens pages gets the address. If it fails, the error quotes its output.
func TestOpenPage(t *testing.T) {
	folder := t.TempDir()
	script := "#!/bin/sh\necho no display\nexit $(test \"$1\" = http://127.0.0.1:8080/ || echo 1)\n"
	for _, name := range []string{"xdg-open", "open"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	if err := openPage("http://127.0.0.1:8080/"); err != nil {
		t.Error(err)
	}
	if err := openPage("http://other/"); err == nil || !strings.Contains(err.Error(), "no display") {
		t.Errorf("it says %v", err)
	}
}
