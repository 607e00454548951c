package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// fakeROS makes a folder that looks like an installed ROS 2.
func fakeROS(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "include", "rcl", "rcl", "rcl.h"), "")
	writeFile(t, filepath.Join(dir, "lib", "librcl.so"), "")
	return dir
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func getenvOf(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestChoose(t *testing.T) {
	ros, other := fakeROS(t), t.TempDir()
	headersOnly := t.TempDir()
	writeFile(t, filepath.Join(headersOnly, "include", "rcl", "rcl", "rcl.h"), "")
	ours := fakeROS(t) // another checkout's wheels
	writeFile(t, filepath.Join(ours, stampName), "{}")
	list := func(dirs ...string) string { return strings.Join(dirs, ":") }

	for _, c := range []struct {
		name, distro, path string
		want               string // the distribution
		sourced            string // the prefixes
		fault              string
	}{
		{name: "nothing sourced is Jazzy's wheels", want: "jazzy"},
		{name: "Kilted's wheels by choice", distro: "kilted", want: "kilted"},
		{name: "no release of that name", distro: "humble", fault: `cannot set up ROS 2 "humble"`},
		{name: "a release without wheels", distro: "lyrical",
			fault: "cannot install ROS 2 lyrical: there are no wheels of it; source an installation of it " +
				"(expected to work, not tried), or set ROS_DISTRO to jazzy or kilted"},
		{name: "a release without wheels that is sourced", distro: "lyrical", path: ros, want: "lyrical", sourced: ros},
		{name: "a sourced ROS 2 is used", distro: "jazzy", path: ros, want: "jazzy", sourced: ros},
		{name: "a sourced ROS 2 of any name", distro: "rolling", path: ros, want: "rolling", sourced: ros},
		{name: "a sourced ROS 2 without a name", path: ros, want: "local", sourced: ros},
		{name: "a workspace on top of it stays", distro: "kilted", path: list(other, ros), want: "kilted",
			sourced: list(other, ros)},
		{name: "headers without the library are no ROS 2", path: headersOnly, want: "jazzy"},
		{name: "a workspace alone is no ROS 2", path: other, want: "jazzy"},
		{name: "our own wheels are not a sourced ROS 2", path: ours, want: "jazzy"},
		{name: "our own in front of an installation are left out", distro: "kilted", path: list(ours, ros),
			want: "kilted", sourced: ros},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := choose("/checkout",
				getenvOf(map[string]string{"ROS_DISTRO": c.distro, "AMENT_PREFIX_PATH": c.path}))
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Fatalf("got %v, want %q", err, c.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if p.distro != c.want || list(p.sourced...) != c.sourced {
				t.Errorf("got %s from %q, want %s from %q", p.distro, p.sourced, c.want, c.sourced)
			}
		})
	}
}

// TestReleases: setup has a list of wheels for each release that it installs, and says until when one is supported.
func TestReleases(t *testing.T) {
	for _, r := range releases {
		_, err := os.Stat("requirements-" + r.name + ".txt")
		if r.wheels != (err == nil) {
			t.Errorf("%s: setup can install it: %v, but: %v", r.name, r.wheels, err)
		}
		last, err := time.Parse(time.DateOnly, r.until)
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
		for today, want := range map[time.Time]string{last: "ends on", last.AddDate(0, 0, 1): "ended on"} {
			if got := r.support(today); got != "; its support "+want+" "+r.until {
				t.Errorf("%s on %v: got %q", r.name, today, got)
			}
		}
	}
	if got := releaseOf("rolling").support(time.Now()); got != "" {
		t.Errorf("an unknown release: got %q", got)
	}
}

// TestReadmeNamesTheReleases: the table of the README has the same releases, in the same order.
func TestReadmeNamesTheReleases(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| (\w+) \| ([0-9.]+) \| (\d{4}-\d\d-\d\d) \| (.+) \|$`)
	rows := row.FindAllStringSubmatch(string(text), -1)
	if len(rows) != len(releases) {
		t.Fatalf("the README has %d rows, want %d", len(rows), len(releases))
	}
	for k, r := range releases {
		name, rcl, until, way := rows[k][1], rows[k][2], rows[k][3], rows[k][4]
		if strings.ToLower(name) != r.name || until != r.until || strings.Contains(way, "`make` installs it") != r.wheels {
			t.Errorf("the README says %q of %+v", rows[k][0], r)
		}
		if r.wheels {
			list, err := os.ReadFile("requirements-" + r.name + ".txt")
			if pin := "ros-" + r.name + "-rcl==" + rcl + "."; err != nil || !strings.Contains(string(list), pin) {
				t.Errorf("%s: there is no %s: %v", r.name, pin, err)
			}
		}
	}
}

func TestFindRoot(t *testing.T) {
	root := t.TempDir()
	writeFile(t, filepath.Join(root, "go.mod"), "module rstate\n")
	writeFile(t, filepath.Join(root, sources, "package.xml"), "")
	nested := filepath.Join(root, "rclgo", "pkg")
	writeFile(t, filepath.Join(root, "rclgo", "go.mod"), "module other\n")
	writeFile(t, filepath.Join(nested, "x.go"), "")

	for _, from := range []string{root, nested} {
		if got, err := findRoot(from); err != nil || got != root {
			t.Errorf("from %s: got %q, %v, want %q", from, got, err, root)
		}
	}
	if got, err := findRoot(t.TempDir()); err == nil {
		t.Errorf("outside: got %q", got)
	}
}

// completed returns a place whose two folders look as after a complete setup.
func completed(t *testing.T) place {
	t.Helper()
	p := place{root: t.TempDir(), distro: "jazzy"}
	writeFile(t, p.requirements(), "ros-rcl==1\n")
	writeFile(t, filepath.Join(p.root, "setup", "unity.cmake"), "")
	writeFile(t, filepath.Join(p.root, sources, "msg", "State.msg"), "uint8 id\n")
	writeFile(t, p.python(), "")
	writeFile(t, filepath.Join(p.overlay(), "share", "x"), "")
	for _, s := range []stamp{p.prefixStamp(), p.overlayStamp()} {
		if err := s.write(); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestMissing(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, p *place)
		want   string // empty: everything is ready
	}{
		{"nothing", func(*testing.T, *place) {}, ""},
		{"an interrupted installation", func(t *testing.T, p *place) { remove(t, p.prefix(), stampName) },
			"it was not made yet"},
		{"a broken stamp", func(t *testing.T, p *place) { writeFile(t, filepath.Join(p.prefix(), stampName), "{") },
			"cannot be read"},
		{"other versions", func(t *testing.T, p *place) { writeFile(t, p.requirements(), "ros-rcl==2\n") },
			"has changed"},
		{"its Python was removed", func(t *testing.T, p *place) { remove(t, p.python()) }, "is gone"},
		{"an interrupted build", func(t *testing.T, p *place) { remove(t, p.overlay(), stampName) },
			"the interfaces are not built"},
		{"a changed interface", func(t *testing.T, p *place) {
			writeFile(t, filepath.Join(p.root, sources, "msg", "State.msg"), "uint16 id\n")
		}, "the interfaces are not built (what it is made of has changed)"},
		{"a renamed interface", func(t *testing.T, p *place) {
			msgs := filepath.Join(p.root, sources, "msg")
			if err := os.Rename(filepath.Join(msgs, "State.msg"), filepath.Join(msgs, "Other.msg")); err != nil {
				t.Fatal(err)
			}
		}, "the interfaces are not built"},
		{"a moved checkout", func(t *testing.T, p *place) {
			moved := filepath.Join(t.TempDir(), "moved")
			if err := os.Rename(p.root, moved); err != nil {
				t.Fatal(err)
			}
			p.root = moved
		}, "it was made at "},
		{"another ROS 2 was sourced", func(t *testing.T, p *place) { p.sourced = []string{fakeROS(t)} },
			"the interfaces are not built"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := completed(t)
			c.change(t, &p)
			got := p.missing()
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func remove(t *testing.T, elements ...string) {
	t.Helper()
	if err := os.Remove(filepath.Join(elements...)); err != nil {
		t.Fatal(err)
	}
}

func TestUpgradeOfTheSourcedROSIsSeen(t *testing.T) {
	ros := fakeROS(t)
	p := completed(t)
	p.sourced = []string{ros}
	writeFile(t, filepath.Join(p.overlay(), "share", "x"), "")
	if err := p.overlayStamp().write(); err != nil {
		t.Fatal(err)
	}
	if why := p.missing(); why != "" {
		t.Fatalf("before: %s", why)
	}
	writeFile(t, filepath.Join(ros, "lib", "librcl.so"), "a newer one")
	if p.missing() == "" {
		t.Error("the interfaces still count as built")
	}
}

func TestRemoveFolderTakesTheStampToo(t *testing.T) {
	p := completed(t)
	if err := removeFolder(p.prefix()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(p.prefix()); !os.IsNotExist(err) {
		t.Errorf("still there: %v", err)
	}
	if err := removeFolder(p.prefix()); err != nil {
		t.Errorf("a second time: %v", err)
	}
}
