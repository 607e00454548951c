package httpapi

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"8080": "127.0.0.1:8080", ":8080": "127.0.0.1:8080", "localhost:8080": "localhost:8080",
		"0.0.0.0:80": "0.0.0.0:80",
		"[::]:8080":  "[::]:8080", "[::1]:0": "[::1]:0", "http": "127.0.0.1:http",
		"192.168.7.1:8080": "192.168.7.1:8080",
		"":                 "", "robot1": "", "99999": "", "-1": "", "localhost:": "", "::1:8080": "", "1:2:3": "",
		"http://localhost:80": "",
	} {
		got, err := Address(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

// TestHostsAsWritten: blanks and a port do not matter; what can never match is refused.
func TestHostsAsWritten(t *testing.T) {
	for list, host := range map[string]string{
		"robot1.lab, robot2.lab": "robot2.lab:80", " Robot1.lab ,": "robot1.lab", "robot1.lab:8080": "robot1.lab:8080",
		"a,robot1.lab:8080,b":  "robot1.lab",
		"[fe80::1]:80,robot_1": "robot_1", "::1": "localhost", "": "localhost",
	} {
		names, err := Hosts(list)
		if err != nil || !newGuard(names, "").knownHost(host) {
			t.Errorf("%q: %v, %q does not match: %v", list, names, host, err)
		}
	}
	for _, list := range []string{"http://robot1.lab", "robot1.lab/", "*.lab", "robot1 robot2", "robot1:http",
		"robot1:99999", "ok,;"} {
		if names, err := Hosts(list); err == nil || !strings.Contains(err.Error(), "robot.local") {
			t.Errorf("%q is taken as %q: %v", list, names, err)
		}
	}
}

func TestReadToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	read := func(text string, mode os.FileMode) (string, string, error) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		os.Chmod(path, mode)
		return ReadToken(path)
	}
	token, warning, err := read("0123456789abcdef\r\n", 0o600)
	if token != "0123456789abcdef" || warning != "" || err != nil {
		t.Errorf("%q, %q, %v", token, warning, err)
	}
	if _, warning, _ = read("0123456789abcdef", 0o640); !strings.Contains(warning, "chmod 600") {
		t.Errorf("a file that others can read: %q", warning)
	}
	for _, bad := range []string{"", "\n", "short", "0123456789 abcdef", "0123456789abcdef\n0123456789abcdef",
		"0123456789abcdé0"} {
		if _, _, err := read(bad, 0o600); err == nil || strings.Contains(err.Error(), "0123") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := syscall.Mkfifo(path+"pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	for _, never := range []string{path + "pipe", "/dev/zero"} {
		if _, _, err := ReadToken(never); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: %v", never, err)
		}
	}
	if _, _, err := ReadToken(path + "x"); err == nil {
		t.Error("a file that is not there")
	}
}
