package gather

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rstate/internal/doctor"
)

func TestOnlyTheDoctorsVariablesAreTaken(t *testing.T) {
	got := pick([]string{"ROS_DOMAIN_ID=7", "SECRET=x", "RMW_IMPLEMENTATION=", "broken", "ROS_DOMAIN_ID_OLD=1"})
	if len(got) != 2 || got["ROS_DOMAIN_ID"] != "7" {
		t.Errorf("got %v", got)
	}
	if _, set := got["RMW_IMPLEMENTATION"]; !set {
		t.Error("one that is set to nothing is set")
	}
}

func TestHost(t *testing.T) {
	t.Setenv("FASTDDS_DEFAULT_PROFILES_FILE", filepath.Join(t.TempDir(), "nowhere.xml"))
	var f doctor.Facts
	Host(&f)
	if !f.Host.Loopback || !slices.ContainsFunc(f.Host.Links, func(l doctor.Link) bool { return l.Loopback }) {
		t.Errorf("this machine reaches itself: got %+v", f.Host)
	}
	if !slices.Contains(f.Missing, "FASTDDS_DEFAULT_PROFILES_FILE") {
		t.Errorf("a file that is not there: got %v", f.Missing)
	}
	for _, p := range f.Elsewhere {
		if p.PID == os.Getpid() {
			t.Error("this process is not elsewhere")
		}
	}
}

// TestDatagramThatCannotComeBack: an address that no interface here has.
func TestDatagramThatCannotComeBack(t *testing.T) {
	if comesBack([]byte{192, 0, 2, 1}, nil) {
		t.Error("it came back from an address that is kept for documents")
	}
}

func TestCommandIsShort(t *testing.T) {
	dir := t.TempDir()
	for line, want := range map[string]string{
		"/usr/bin/python3\x00/opt/x/lidar.py\x00--fast\x00": "python3 lidar.py --fast",
		"":                                 "",
		"a" + strings.Repeat("b", longest): "a" + strings.Repeat("b", longest-2) + "…",
	} {
		if err := os.WriteFile(filepath.Join(dir, "cmdline"), []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := command(dir); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

func TestDistroIsToldByTheVersionOfRCL(t *testing.T) {
	for version, want := range map[string]string{"10.1.3": "kilted", "9.2.8": "jazzy", "10.4.0": "lyrical", "12.0.0": "", "": ""} {
		prefix := t.TempDir()
		folder := filepath.Join(prefix, "share", "rcl")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		text := "<package><name>rcl</name><version>" + version + "</version></package>"
		if err := os.WriteFile(filepath.Join(folder, "package.xml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := distroOf(prefix); got != want {
			t.Errorf("%q: got %q, want %q", version, got, want)
		}
	}
	if got := distroOf(t.TempDir()); got != "" {
		t.Errorf("of nothing: got %q", got)
	}
}
