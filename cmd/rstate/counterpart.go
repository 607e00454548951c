//go:build !ros

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A program without ROS is what a user starts where several distributions may be sourced. Where one is, and rstate is
// installed for it, the program replaces itself by that one, whatever the verb is: check then knows the installed types,
// and why asks the daemon. The program for a distribution is in one of two places:
//
//	PREFIX/lib/rstate/rstate              PREFIX in AMENT_PREFIX_PATH: a workspace or a Debian package
//	../lib/rstate/DISTRIBUTION            beside this program in a bin folder, a prefix: a wheel or make install

// handedOver is the variable with the id of the process that a program without ROS has handed over. A process keeps its
// id when it replaces its program, and its children have others. A user sets it to "no" to keep this program.
const handedOver = "RSTATE_HANDED_OVER"

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
	pid    int    // of this process
}

func here() surroundings {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		self = "" // then nothing is beside it
	}
	return surroundings{os.Getenv, self, "/opt/ros", os.Getpid()}
}

// handOver replaces this process by the counterpart. It returns if there is none.
func handOver(args []string) {
	m := here()
	c, ok := m.counterpart()
	if !ok || m.unusable() != "" {
		return
	}
	// If it cannot be started, verbs that need no ROS still work here, and the others say so.
	mark := handedOver + "=" + strconv.Itoa(m.pid)
	_ = syscall.Exec(c.file, args, withVariables(os.Environ(), append(c.variables, mark)))
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
	prefixes := m.prefixes()
	for _, prefix := range prefixes {
		if file := programIn(prefix); m.isOther(file) {
			return counterpart{file: file}, true
		}
	}
	distro := m.getenv("ROS_DISTRO")
	folder, ok := m.beside()
	if !ok || distro == "" || len(prefixes) == 0 || filepath.Base(distro) != distro {
		return counterpart{}, false
	}
	prefix := filepath.Join(folder, distro)
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

// prefixes returns the absolute elements of AMENT_PREFIX_PATH. Of a relative one, the working directory would decide which
// program starts.
func (m surroundings) prefixes() []string {
	return slices.DeleteFunc(filepath.SplitList(m.getenv("AMENT_PREFIX_PATH")), func(prefix string) bool {
		return !filepath.IsAbs(prefix)
	})
}

// beside returns the folder with the prefixes that came with this program. A program outside of a bin folder was not
// installed: what lies around it, such as /tmp/lib, may belong to any user.
func (m surroundings) beside() (folder string, ok bool) {
	bin := filepath.Dir(m.self)
	return filepath.Join(filepath.Dir(bin), "lib", "rstate"), filepath.Base(bin) == "bin"
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

// unusable says why no program for ROS 2 is started. Without librcl, the loader would end it before it can say anything.
func (m surroundings) unusable() string {
	if reason := m.stays(); reason != "" {
		return reason
	}
	for _, folder := range filepath.SplitList(m.getenv("LD_LIBRARY_PATH")) {
		if _, err := os.Stat(filepath.Join(folder, "librcl.so")); err == nil {
			return ""
		}
	}
	return "LD_LIBRARY_PATH has no folder with librcl.so; source the setup file of ROS 2 again"
}

// stays says why this program hands over to no other, whatever is sourced. Two programs without ROS in two prefixes would
// hand over to each other without end.
func (m surroundings) stays() string {
	switch m.getenv(handedOver) {
	case "no":
		return handedOver + " is \"no\"; unset it to start the program for ROS 2"
	case strconv.Itoa(m.pid):
		return fmt.Sprintf("%s was started as the program for ROS 2, and is built without ROS; install rstate for ROS 2 there",
			m.self)
	}
	return ""
}

// installed returns the distributions for which there is a program.
func (m surroundings) installed() []string {
	var names []string
	folders := []string{m.opt}
	if folder, ok := m.beside(); ok {
		folders = append(folders, folder)
	}
	for _, folder := range folders {
		prefixes, _ := filepath.Glob(filepath.Join(folder, "*")) // a path with a bracket finds nothing
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
	sourced := distro != "" && len(m.prefixes()) > 0
	known := strings.Join(names, " and ")
	switch c, ok := m.counterpart(); {
	case m.stays() != "":
		return m.stays()
	case ok && m.unusable() != "":
		return m.unusable()
	case ok:
		return fmt.Sprintf("%s does not start on this machine; install rstate again", c.file)
	case !sourced && len(names) == 0:
		return "no ROS 2 is sourced; source one that has rstate (docs/install.md says how to install it)"
	case !sourced:
		return fmt.Sprintf("no ROS 2 is sourced; this rstate works with %s: source %s/%s/setup.bash", known, m.opt, names[0])
	case len(names) == 0:
		return fmt.Sprintf("ROS 2 %s is sourced, and this rstate has no program for it; install ros-%[1]s-rstate, or run "+
			"make install in a clone of rstate", distro)
	default:
		return fmt.Sprintf("ROS 2 %s is sourced, and this rstate works with %s only; source %[2]s, install ros-%[1]s-rstate, or run "+
			"make install in a clone of rstate", distro, known)
	}
}
