//go:build !ros

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// A program without ROS is what a user starts where several distributions may be sourced. Where one is, and rstate is
// installed for it, the program replaces itself by that one, whatever the verb is: check then knows the installed types,
// and why asks the daemon. The program for a distribution is in one of two places:
//
//	PREFIX/lib/rstate/rstate              PREFIX in AMENT_PREFIX_PATH: a workspace or a Debian package
//	../lib/rstate/DISTRIBUTION            beside this program, a prefix: a wheel or make install

// counterpart is the program for the ROS 2 that is sourced.
type counterpart struct {
	file      string
	variables []string // that it needs in its environment
}

// surroundings is what the choice depends on.
type surroundings struct {
	getenv func(string) string
	self   string // this program, without links
	opt    string // where distributions are installed
}

func here() surroundings {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		self = "" // then nothing is beside it
	}
	return surroundings{os.Getenv, self, "/opt/ros"}
}

// handOver replaces this process by the counterpart. It returns if there is none.
func handOver(args []string) {
	m := here()
	c, ok := m.counterpart()
	if !ok || m.unusable() != "" {
		return
	}
	// If it cannot be started, verbs that need no ROS still work here, and the others say so.
	_ = syscall.Exec(c.file, args, withVariables(os.Environ(), c.variables))
}

// withVariables returns an environment in which variables replace those of the same name: of two, getenv finds the first.
func withVariables(environment, variables []string) []string {
	replaced := func(old string) bool {
		name, _, _ := strings.Cut(old, "=")
		return slices.ContainsFunc(variables, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	}
	return append(slices.DeleteFunc(slices.Clone(environment), replaced), variables...)
}

// counterpart returns the program for the distribution that is sourced.
func (m surroundings) counterpart() (counterpart, bool) {
	prefixes := filepath.SplitList(m.getenv("AMENT_PREFIX_PATH"))
	for _, prefix := range prefixes {
		if file := programIn(prefix); m.isOther(file) {
			return counterpart{file: file}, true
		}
	}
	distro := m.getenv("ROS_DISTRO")
	if m.self == "" || distro == "" || len(prefixes) == 0 || filepath.Base(distro) != distro {
		return counterpart{}, false
	}
	prefix := filepath.Join(m.beside(), distro)
	file := programIn(prefix)
	if !m.isOther(file) {
		return counterpart{}, false
	}
	front := func(name, folder string) string {
		return strings.TrimRight(name+"="+folder+string(filepath.ListSeparator)+m.getenv(name), string(filepath.ListSeparator))
	}
	return counterpart{file, []string{front("AMENT_PREFIX_PATH", prefix),
		front("LD_LIBRARY_PATH", filepath.Join(prefix, "lib"))}}, true
}

func programIn(prefix string) string { return filepath.Join(prefix, "lib", "rstate", "rstate") }

// beside is the folder with the prefixes that came with this program.
func (m surroundings) beside() string {
	return filepath.Join(filepath.Dir(filepath.Dir(m.self)), "lib", "rstate")
}

// isOther reports whether a file is a program, and not this one.
func (m surroundings) isOther(file string) bool {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return false
	}
	own, err := os.Stat(m.self)
	return err != nil || !os.SameFile(own, info)
}

// unusable says why a program for ROS 2 would not start: the loader ends it before it can say anything.
func (m surroundings) unusable() string {
	for _, folder := range filepath.SplitList(m.getenv("LD_LIBRARY_PATH")) {
		if _, err := os.Stat(filepath.Join(folder, "librcl.so")); err == nil {
			return ""
		}
	}
	return "LD_LIBRARY_PATH has no folder with librcl.so; source the setup file of ROS 2 again"
}

// installed returns the distributions for which there is a program.
func (m surroundings) installed() []string {
	var names []string
	for _, pattern := range []string{filepath.Join(m.beside(), "*"), filepath.Join(m.opt, "*")} {
		prefixes, _ := filepath.Glob(pattern) // a path with a bracket finds nothing
		for _, prefix := range prefixes {
			if m.isOther(programIn(prefix)) {
				names = append(names, filepath.Base(prefix))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// whyNoROS says why this program is not the one that the user needs, and what to do.
func whyNoROS() string { return here().why() }

func (m surroundings) why() string {
	distro, names := m.getenv("ROS_DISTRO"), m.installed()
	prefixes := m.getenv("AMENT_PREFIX_PATH")
	known := strings.Join(names, " and ")
	switch c, ok := m.counterpart(); {
	case ok && m.unusable() != "":
		return m.unusable()
	case ok:
		return fmt.Sprintf("%s does not start on this machine; install rstate again", c.file)
	case (distro == "" || prefixes == "") && len(names) == 0:
		return "no ROS 2 is sourced; source one that has rstate (docs/install.md says how to install it)"
	case distro == "" || prefixes == "":
		return fmt.Sprintf("no ROS 2 is sourced; this rstate works with %s: source %s/%s/setup.bash", known, m.opt, names[0])
	case len(names) == 0:
		return fmt.Sprintf("ROS 2 %s is sourced, and this rstate has no program for it; install ros-%[1]s-rstate, or run "+
			"make install in a clone of rstate", distro)
	default:
		return fmt.Sprintf("ROS 2 %s is sourced, and this rstate works with %s only; source %[2]s, install ros-%[1]s-rstate, or run "+
			"make install in a clone of rstate", distro, known)
	}
}
