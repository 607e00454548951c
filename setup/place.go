package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// sources is the folder of our interfaces, below the root.
const sources = "msgs/rstate_msgs"

// testSources is the folder of interfaces that only tests use.
const testSources = "test/simulation_interfaces"

// distros are the distributions that setup has wheels for, the default first.
var distros = []string{"kilted", "jazzy"}

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
		p.distro = distros[0]
	}
	for _, known := range distros {
		if p.distro == known {
			return p, nil
		}
	}
	return p, fmt.Errorf("cannot set up ROS 2 %q: there are wheels for %s; source an installation of it, or set ROS_DISTRO to one of these",
		p.distro, strings.Join(distros, " and "))
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
