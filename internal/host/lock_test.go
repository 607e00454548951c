package host

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestS1ANameIsLockedOnTheHost: by domain and full name, and only while it is held.
func TestS1ANameIsLockedOnTheHost(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	unlock, err := LockName("/a/rstate", 7, "robot.yaml", "run 1")
	if err != nil {
		t.Fatal(err)
	}
	var held *NameHeld
	if _, err := LockName("/a/rstate", 7, "other.yaml", "run 1"); !errors.As(err, &held) {
		t.Fatalf("the second one: %v", err)
	}
	if held.by.PID != os.Getpid() || held.by.Since.IsZero() {
		t.Errorf("it is held by %+v", held.by)
	}
	for _, part := range []string{`"other.yaml"`, "robot.yaml", "/a/rstate", "domain 7", "kill ", "__node:="} {
		if !strings.Contains(held.Error(), part) {
			t.Errorf("the message has no %q: %v", part, held)
		}
	}
	for name, domain := range map[string]uint{"/a/rstate": 8, "/rstate": 7, "/a_rstate": 7} {
		other, err := LockName(name, domain, "robot.yaml", "run 1")
		if err != nil {
			t.Errorf("%s in domain %d: %v", name, domain, err)
			continue
		}
		defer other()
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	again, err := LockName("/a/rstate", 7, "robot.yaml", "run 1")
	if err != nil {
		t.Fatalf("after its end: %v", err)
	}
	defer again()
}

// TestTheFileOfARunningDaemonIsKnown: completion finds the network file without ROS, and only while the daemon runs.
func TestTheFileOfARunningDaemonIsKnown(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("ROS_DOMAIN_ID", "7")
	unlock, err := LockName("/base/rstate", 7, "robot.yaml", "run 1")
	if err != nil {
		t.Fatal(err)
	}
	want, err := filepath.Abs("robot.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"/base/rstate": want, "base/rstate": want, "/rstate": ""} {
		if got := NetworkFile(name); got != want {
			t.Errorf("%s runs %q, want %q", name, got, want)
		}
	}
	t.Setenv("ROS_DOMAIN_ID", "8")
	if got := NetworkFile("/base/rstate"); got != "" {
		t.Errorf("in another domain it runs %q", got)
	}
	t.Setenv("ROS_DOMAIN_ID", "7")
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if got := NetworkFile("/base/rstate"); got != "" {
		t.Errorf("after its end it runs %q", got)
	}
}

// TestS1ANameIsClaimedInTheNetwork: by domain and full name, whatever the length of the name, and only while it is
// held.
func TestS1ANameIsClaimedInTheNetwork(t *testing.T) {
	const domain = 99
	long := "/" + strings.Repeat("a", 250)
	for _, name := range []string{"/claimed/rstate", long} {
		claim := ClaimName(name, domain)
		if claim == nil {
			t.Fatalf("%s cannot be claimed", name)
		}
		if ClaimName(name, domain) != nil {
			t.Errorf("%s is claimed twice", name)
		}
		for other, domain := range map[string]uint{name: domain + 1, name[:len(name)-1]: domain} {
			if c := ClaimName(other, domain); c == nil {
				t.Errorf("%s cannot be claimed in domain %d beside %s", other, domain, name)
			} else {
				c.Close()
			}
		}
		claim.Close()
		again := ClaimName(name, domain)
		if again == nil {
			t.Fatalf("%s cannot be claimed after its end", name)
		}
		again.Close()
	}
}

// TestS9ANodeIsClaimedOnce: two instances cannot both drive it. An instance of the same name is another thing.
func TestS9ANodeIsClaimedOnce(t *testing.T) {
	const name, domain = "/claimed/node", 99
	claim := ClaimNode(name, domain)
	if claim == nil {
		t.Fatal("the node cannot be claimed")
	}
	if ClaimNode(name, domain) != nil {
		t.Error("the node is claimed twice")
	}
	if c := ClaimName(name, domain); c == nil {
		t.Error("an instance cannot have the name of a node")
	} else {
		c.Close()
	}
	claim.Close()
	if c := ClaimNode(name, domain); c == nil {
		t.Error("the node cannot be claimed after the end of the other instance")
	} else {
		c.Close()
	}
}

// TestS1AHolderThatHasNotSaidWhoItIs: the holder locks its file before it writes it.
func TestS1AHolderThatHasNotSaidWhoItIs(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", folder)
	unlock, err := LockName("/rstate", 7, "robot.yaml", "run 1")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := os.Truncate(filepath.Join(folder, "rstate", "7.rstate.lock"), 0); err != nil {
		t.Fatal(err)
	}
	_, err = LockName("/rstate", 7, "other.yaml", "run 1")
	if err == nil || !strings.Contains(err.Error(), "another process on this host") {
		t.Errorf("got %v", err)
	}
}

// TestAFolderForLocksThatOthersCanWriteTo is not used: any user with write access could block every
// name.
func TestAFolderForLocksThatOthersCanWriteTo(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", folder)
	for name, make := range map[string]func(string) error{
		"open to all": func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.Chmod(p, 0o777)) },
		"a link":      func(p string) error { return os.Symlink(t.TempDir(), p) },
		"a file":      func(p string) error { return os.WriteFile(p, nil, 0o600) },
	} {
		path := filepath.Join(folder, "rstate")
		if err := errors.Join(os.RemoveAll(path), make(path)); err != nil {
			t.Fatal(err)
		}
		if _, err := LockName("/rstate", 7, "robot.yaml", "run 1"); err == nil ||
			!strings.Contains(err.Error(), "cannot use") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestJ5LastJournal: a daemon notes where its journal is, for when it has ended. Whether its name is taken is seen
// across the users of a host.
func TestJ5LastJournal(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("ROS_HOME", "/home/ros")
	t.Setenv("ROS_DOMAIN_ID", "7")
	want := func(when, dir string, lives bool) {
		t.Helper()
		if got, is, err := LastJournal("a/rstate"); got != dir || is != lives || err != nil {
			t.Errorf("%s: %q, lives %v, %v; want %q, %v", when, got, is, err, dir, lives)
		}
	}
	want("nothing was ever here", "/home/ros/rstate/a.rstate", false)
	unlock, err := LockName("/a/rstate", 7, "robot.yaml", "run 1")
	if err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(t.TempDir(), "journal")
	if err := WritePlace("/a/rstate", 7, "robot.yaml", journal, Place{}); err != nil {
		t.Fatal(err)
	}
	want("it runs", journal, true)
	unlock()
	want("it has ended, and its folder was removed", "/home/ros/rstate/a.rstate", false)
	if err := os.Mkdir(journal, 0o755); err != nil {
		t.Fatal(err)
	}
	want("it has ended", journal, false)
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	claim := ClaimName("/a/rstate", 7)
	want("another user's", "/home/ros/rstate/a.rstate", true)
	claim.Close()
	t.Setenv("ROS_DOMAIN_ID", "8")
	want("another domain", "/home/ros/rstate/a.rstate", false)
}

// TestC12TheDaemonsOfAHost: those that run, in one domain.
func TestC12TheDaemonsOfAHost(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	for name, domain := range map[string]uint{"/rstate": 7, "/base/front/rstate": 7, "/other": 17, "/ended": 7} {
		unlock, err := LockName(name, domain, "robot.yaml", "run 1")
		if err != nil {
			t.Fatal(err)
		}
		if name == "/ended" {
			_ = unlock()
			continue
		}
		defer unlock()
	}
	for domain, want := range map[uint][]string{7: {"/base/front/rstate", "/rstate"}, 17: {"/other"}, 1: nil} {
		if got := Daemons(domain); !slices.Equal(got, want) {
			t.Errorf("in domain %d: %q", domain, got)
		}
	}
}
