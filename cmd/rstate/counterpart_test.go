//go:build !ros

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestC11TheProgramForTheSourcedROSIsFound: which program is chosen, or why none is.
func TestC11TheProgramForTheSourcedROSIsFound(t *testing.T) {
	const ros, usr = "/opt/ros/", "/usr/"
	for _, c := range []struct {
		name     string
		there    []string // programs, and libraries
		distro   string
		prefixes string
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
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			for _, file := range append(c.there, usr+"bin/rstate") {
				at := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, nil, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			variables := map[string]string{"ROS_DISTRO": c.distro}
			if c.prefixes != "" {
				variables["AMENT_PREFIX_PATH"] = root + c.prefixes
				variables["LD_LIBRARY_PATH"] = root + c.prefixes + "/lib"
			}
			m := surroundings{func(name string) string { return variables[name] }, root + usr + "bin/rstate", root + "/opt/ros"}
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
	m := surroundings{func(string) string { return root }, file, root}
	if c, ok := m.counterpart(); ok {
		t.Errorf("it hands over to %s, which it is", c.file)
	}
}

func TestC11VariablesAreReplacedAndNotAdded(t *testing.T) {
	got := withVariables([]string{"PATH=/bin", "AMENT_PREFIX_PATH=/opt/ros/jazzy", "AMENT=1"}, []string{"AMENT_PREFIX_PATH=/a"})
	if want := []string{"PATH=/bin", "AMENT=1", "AMENT_PREFIX_PATH=/a"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
