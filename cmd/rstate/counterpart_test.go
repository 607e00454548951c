//go:build !ros

package main

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// beRstate makes the test's own binary rstate itself.
const beRstate = "RSTATE_TEST_BE_RSTATE"

func TestMain(m *testing.M) {
	if os.Getenv(beRstate) != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestC11TheProgramForTheSourcedROSIsFound: which program is chosen, or why none is.
func TestC11TheProgramForTheSourcedROSIsFound(t *testing.T) {
	const ros, usr = "/opt/ros/", "/usr/"
	for _, c := range []struct {
		name     string
		there    []string // programs, and libraries
		self     string   // this program; empty: /usr/bin/rstate
		distro   string
		prefixes string
		handed   string // the value of RSTATE_HANDED_OVER
		want     string // the program
		why      string // of none
	}{
		{name: "nothing is sourced", why: "no ROS 2 is sourced; source one that has rstate"},
		{name: "nothing is sourced, and two could be",
			there: []string{usr + "lib/rstate/jazzy/lib/rstate/rstate", ros + "kilted/lib/rstate/rstate"},
			why:   "this rstate works with jazzy and kilted: source ROOT/opt/ros/jazzy/setup.bash"},
		{name: "a wheel", there: []string{usr + "lib/rstate/jazzy/lib/rstate/rstate", ros + "jazzy/lib/librcl.so"},
			distro: "jazzy", prefixes: ros + "jazzy", want: usr + "lib/rstate/jazzy/lib/rstate/rstate"},
		{name: "a Debian package before a wheel",
			there: []string{usr + "lib/rstate/jazzy/lib/rstate/rstate", ros + "jazzy/lib/rstate/rstate",
				ros + "jazzy/lib/librcl.so"},
			distro: "jazzy", prefixes: ros + "jazzy", want: ros + "jazzy/lib/rstate/rstate"},
		{name: "another distribution", there: []string{usr + "lib/rstate/jazzy/lib/rstate/rstate", ros + "kilted/lib/librcl.so"},
			distro: "kilted", prefixes: ros + "kilted",
			why: "ROS 2 kilted is sourced, and this rstate works with jazzy only; source jazzy, install ros-kilted-rstate"},
		{name: "none at all", there: []string{ros + "kilted/lib/librcl.so"}, distro: "kilted", prefixes: ros + "kilted",
			why: "has no program for it; install ros-kilted-rstate"},
		{name: "ROS 2 is half sourced", there: []string{usr + "lib/rstate/jazzy/lib/rstate/rstate"}, distro: "jazzy",
			prefixes: ros + "jazzy", want: usr + "lib/rstate/jazzy/lib/rstate/rstate", why: "no folder with librcl.so"},
		{name: "a name that leads elsewhere", there: []string{"/usr/evil/lib/rstate/rstate", ros + "jazzy/lib/librcl.so"},
			distro: "../../evil", prefixes: ros + "jazzy", why: "has no program for it"},
		{name: "this program itself", there: []string{usr + "bin/rstate", ros + "jazzy/lib/librcl.so"}, distro: "jazzy",
			prefixes: ros + "jazzy", why: "has no program for it"},
		{name: "a program outside of bin has nothing beside it",
			there: []string{"/tmp/lib/rstate/jazzy/lib/rstate/rstate", ros + "jazzy/lib/librcl.so"}, self: "/tmp/mine/rstate",
			distro: "jazzy", prefixes: ros + "jazzy", why: "has no program for it"},
		{name: "it was handed over already",
			there:  []string{ros + "jazzy/lib/rstate/rstate", ros + "jazzy/lib/librcl.so"},
			distro: "jazzy", prefixes: ros + "jazzy", handed: "17", want: ros + "jazzy/lib/rstate/rstate",
			why: "rstate was started as the program for ROS 2, and is built without ROS"},
		{name: "the user wants this program",
			there:  []string{ros + "jazzy/lib/rstate/rstate", ros + "jazzy/lib/librcl.so"},
			distro: "jazzy", prefixes: ros + "jazzy", handed: "no", want: ros + "jazzy/lib/rstate/rstate",
			why: `RSTATE_HANDED_OVER is "no"; unset it`},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			self := cmp.Or(c.self, usr+"bin/rstate")
			for _, file := range append(c.there, self) {
				at := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, nil, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			variables := map[string]string{"ROS_DISTRO": c.distro, handedOver: c.handed}
			if c.prefixes != "" {
				variables["AMENT_PREFIX_PATH"] = root + c.prefixes
				variables["LD_LIBRARY_PATH"] = root + c.prefixes + "/lib"
			}
			m := surroundings{func(name string) string { return variables[name] }, root + self, root + "/opt/ros", 17}
			got, ok := m.counterpart()
			if ok != (c.want != "") || ok && got.file != root+c.want {
				t.Errorf("%+v, %v", got, ok)
			}
			if why := strings.ReplaceAll(c.why, "ROOT", root); why != "" && !strings.Contains(m.why(), why) {
				t.Errorf("it says: %s", m.why())
			}
			if strings.HasPrefix(c.want, usr) && !slices.Contains(got.variables,
				"AMENT_PREFIX_PATH="+root+usr+"lib/rstate/jazzy:"+root+ros+"jazzy") {
				t.Errorf("its environment has %q", got.variables)
			}
		})
	}
}

// TestC11AProgramNeverHandsOverToItself: a program that handed over to itself would never end.
func TestC11AProgramNeverHandsOverToItself(t *testing.T) {
	root := t.TempDir()
	file := programIn(root)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	m := surroundings{func(string) string { return root }, file, root, 17}
	if c, ok := m.counterpart(); ok {
		t.Errorf("it hands over to %s, which it is", c.file)
	}
}

// TestC11AProgramHandsOverOnce: the child of a process that was handed over has the mark of its parent, and hands over too.
func TestC11AProgramHandsOverOnce(t *testing.T) {
	for mark, stays := range map[string]bool{"": false, "16": false, "17": true, "no": true} {
		m := surroundings{func(string) string { return mark }, "/usr/bin/rstate", "/opt/ros", 17}
		if told := m.stays(); (told != "") != stays {
			t.Errorf("process 17 with the mark %q: %q", mark, told)
		}
	}
}

// TestC11TwoProgramsWithoutROSDoNotAlternate: each of two prefixes has a program without ROS. One of them answers.
func TestC11TwoProgramsWithoutROSDoNotAlternate(t *testing.T) {
	root := t.TempDir()
	text, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	var prefixes []string
	for _, name := range []string{"a", "b"} {
		prefix := filepath.Join(root, name)
		prefixes = append(prefixes, prefix)
		if err := os.MkdirAll(filepath.Dir(programIn(prefix)), 0o755); err != nil {
			t.Fatal(err)
		}
		for file, data := range map[string][]byte{programIn(prefix): text, filepath.Join(prefix, "lib", "librcl.so"): nil} {
			if err := os.WriteFile(file, data, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "status")
	cmd.Env = []string{beRstate + "=1", "ROS_DISTRO=jazzy", "AMENT_PREFIX_PATH=" + strings.Join(prefixes, ":"),
		"LD_LIBRARY_PATH=" + filepath.Join(prefixes[0], "lib")}
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != exitNoROS || !strings.Contains(string(out), "install rstate for ROS 2 there") {
		t.Errorf("it ended with %v, and said %s", cmd.ProcessState, out)
	}
}

// TestC11TheWorkingDirectoryDecidesNothing: an empty or relative element of AMENT_PREFIX_PATH is no prefix, though the
// working directory has a program there.
func TestC11TheWorkingDirectoryDecidesNothing(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	for _, prefix := range []string{".", "install"} {
		if err := os.MkdirAll(filepath.Dir(programIn(prefix)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(programIn(prefix), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{":/opt/ros/none", "/opt/ros/none::/opt/ros/none", ".", "install", "./install:"} {
		m := surroundings{func(name string) string {
			return map[string]string{"AMENT_PREFIX_PATH": path}[name]
		}, "/usr/bin/rstate", "/opt/ros", 17}
		if c, ok := m.counterpart(); ok {
			t.Errorf("with AMENT_PREFIX_PATH=%s it starts %s", path, c.file)
		}
	}
}

func TestC11VariablesAreReplacedAndNotAdded(t *testing.T) {
	got := withVariables([]string{"PATH=/bin", "AMENT_PREFIX_PATH=/opt/ros/jazzy", "AMENT=1"}, []string{"AMENT_PREFIX_PATH=/a"})
	if want := []string{"PATH=/bin", "AMENT=1", "AMENT_PREFIX_PATH=/a"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
