//go:build ros

package rosnet

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rstate/internal/network"
)

func TestA1TheSecretIsReadOnceAndCompared(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("good", "open sesame\n", 0o600)
	write("shared", "open sesame", 0o644)
	write("empty", "\n", 0o600)
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct{ file, warning, fault string }{
		{"good", "", ""}, {filepath.Join(folder, "good"), "", ""}, {"shared", "chmod 600", ""},
		{"empty", "", "holds nothing"}, {"none", "", "cannot be read"},
		{"pipe", "", "no regular file"}, {"/dev/zero", "", "no regular file"},
	} {
		s, warning, err := ReadSecret(&network.Network{File: filepath.Join(folder, "net.yaml"),
			Arming: network.Arming{SecretFile: r.file}})
		var faults network.Faults
		switch {
		case r.fault != "":
			if !errors.As(err, &faults) || !strings.Contains(err.Error(), r.fault) {
				t.Errorf("%s: %v, want a fault that says %q", r.file, err, r.fault)
			}
		case err != nil || (warning == "") != (r.warning == "") || !strings.Contains(warning, r.warning):
			t.Errorf("%s: warning %q, %v", r.file, warning, err)
		case !s.Fits("open sesame") || !s.Fits("open sesame\n") || s.Fits("open sesam") || s.Fits(""):
			t.Errorf("%s: what fits it is not the secret alone", r.file)
		}
	}
	if s, _, err := ReadSecret(&network.Network{}); err != nil || !s.Fits("anything") {
		t.Errorf("without a file: %v", err)
	}
}
