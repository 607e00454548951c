package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// sources is the folder of our interfaces, below the root.
const sources = "msgs/rstate_msgs"

// testSources are the folders of interfaces that only tests use. The word for one is its last element.
var testSources = []string{"test/simulation_interfaces", "test/nav2_interfaces"}

// release is a distribution of ROS 2 that rstate knows.
type release struct {
	name   string
	until  string // the last day of its support
	wheels bool   // setup can install it
}

// releases are those that are supported, the default first.
var releases = []release{
	{"jazzy", "2029-05-31", true},
	{"kilted", "2026-12-31", true},
	{"lyrical", "2031-05-31", false},
}

// releaseOf returns the release of that name. Of an unknown one it returns only the name.
func releaseOf(name string) release {
	for _, r := range releases {
		if r.name == name {
			return r
		}
	}
	return release{name: name}
}

// support says when the support of a release ends, or has ended; nothing of an unknown one.
func (r release) support(today time.Time) string {
	switch {
	case r.until == "":
		return ""
	case today.Format(time.DateOnly) > r.until:
		return "; its support ended on " + r.until
	default:
		return "; its support ends on " + r.until
	}
}

// withWheels returns the names of the releases that setup can install.
func withWheels() []string {
	var names []string
	for _, r := range releases {
		if r.wheels {
			names = append(names, r.name)
		}
	}
	return names
}

// place describes the ROS 2 in use, and the folders of all its parts.
type place struct {
	root   string
	distro string
	// sourced lists the prefixes of an installation that the shell has sourced, nearest first.
	// Empty: use wheels.
	sourced []string
}

// choose selects the sourced ROS 2 if there is one, else the wheels of $ROS_DISTRO, else the
// default wheels.
func choose(root string, getenv func(string) string) (place, error) {
	p := place{root: root, distro: getenv("ROS_DISTRO"), sourced: sourcedPrefixes(getenv("AMENT_PREFIX_PATH"))}
	if p.isSourced() {
		if p.distro == "" {
			p.distro = "local"
		}
		return p, nil
	}
	if p.distro == "" {
		p.distro = releases[0].name
	}
	r := releaseOf(p.distro)
	if r.wheels {
		return p, nil
	}
	names := strings.Join(withWheels(), " or ")
	if r.until != "" {
		return p, fmt.Errorf("cannot install ROS 2 %s: there are no wheels of it; source an installation of it "+
			"(expected to work, not tried), or set ROS_DISTRO to %s", r.name, names)
	}
	return p, fmt.Errorf("cannot set up ROS 2 %q: it is none of those that setup installs; source an installation of it, "+
		"or set ROS_DISTRO to %s", p.distro, names)
}

func (p place) isSourced() bool { return len(p.sourced) > 0 }

func (p place) String() string {
	if p.isSourced() {
		return fmt.Sprintf("ROS 2 %s, sourced from %s,", p.distro, rclPrefix(p.sourced))
	}
	return fmt.Sprintf("ROS 2 %s in %s", p.distro, p.prefix())
}

func (p place) dir() string     { return filepath.Join(p.root, ".ros") }
func (p place) prefix() string  { return filepath.Join(p.dir(), p.distro) }
func (p place) overlay() string { return filepath.Join(p.dir(), "overlay-"+p.build()) }
func (p place) requirements() string {
	return filepath.Join(p.root, "setup", "requirements-"+p.distro+".txt")
}

// buildRequirements lists what a package without a wheel is built with.
func (p place) buildRequirements() string {
	return filepath.Join(p.root, "setup", "requirements-build.txt")
}

// build names the build: an installation and the wheels of one distribution are separate, so that a
// shell that has sourced one does not remove what another shell builds on.
func (p place) build() string {
	if p.isSourced() {
		return p.distro + "-sourced"
	}
	return p.distro
}

// log returns the file for the output of one kind of step.
func (p place) log(step string) string { return filepath.Join(p.dir(), step+"-"+p.build()+".log") }

// underlay returns the prefixes that our interfaces are built on.
func (p place) underlay() []string {
	if p.isSourced() {
		return p.sourced
	}
	return []string{p.prefix()}
}

// python returns the interpreter of the ROS 2 in use.
func (p place) python() string {
	if !p.isSourced() {
		return filepath.Join(p.prefix(), "bin", "python")
	}
	if path, err := exec.LookPath("python3"); err == nil {
		return path
	}
	return "python3"
}

// missing describes what is not ready; empty if all is.
func (p place) missing() string {
	if !p.isSourced() {
		if why := p.prefixStamp().differs(); why != "" {
			return fmt.Sprintf("ROS 2 %s is not set up (%s)", p.distro, why)
		}
		if _, err := os.Stat(p.python()); err != nil { // the venv's link is dangling: its Python was removed
			return fmt.Sprintf("the Python of %s is gone", p.prefix())
		}
	}
	if why := p.overlayStamp().differs(); why != "" {
		return fmt.Sprintf("the interfaces are not built (%s)", why)
	}
	return ""
}

// sourcedPrefixes returns the entries of an AMENT_PREFIX_PATH that are not ours, if they include a
// whole ROS 2.
func sourcedPrefixes(path string) []string {
	var kept []string
	for _, dir := range filepath.SplitList(path) {
		if dir != "" && !isOurs(dir) {
			kept = append(kept, filepath.Clean(dir))
		}
	}
	if rclPrefix(kept) == "" {
		return nil
	}
	return kept
}

// rclPrefix returns the first prefix with rcl to build against and to run, or an empty string.
func rclPrefix(prefixes []string) string {
	for _, dir := range prefixes {
		_, headers := os.Stat(filepath.Join(dir, "include", "rcl"))
		_, library := os.Stat(filepath.Join(dir, "lib", "librcl.so"))
		if headers == nil && library == nil {
			return dir
		}
	}
	return ""
}

// isOurs reports whether a path is in a prefix that setup has made, in this checkout or in another
// one.
func isOurs(path string) bool {
	const deepest = 5 // <prefix>/local/lib/python3.12/dist-packages
	for range deepest {
		if _, err := os.Stat(filepath.Join(path, stampName)); err == nil {
			return true
		}
		path = filepath.Dir(path)
	}
	return false
}
