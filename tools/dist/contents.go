package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// sources is what packages are made of.
type sources struct {
	root     string // the clone
	version  string
	at       time.Time
	programs map[string][]byte // without ROS, by target: linux/amd64
	ros      []distribution
	manuals  tree // below man1
	shells   tree // completion scripts, below share
}

// distribution is rstate for one distribution of ROS 2.
type distribution struct {
	name    string
	program []byte // portable
	overlay string // the folder with the built interfaces
}

// pythons are the Pythons of the Debian packages of a distribution.
var pythons = map[string]string{"jazzy": "3.12", "kilted": "3.12"}

func (d distribution) modules() string {
	if v := pythons[d.name]; v != "" {
		return "lib/python" + v + "/site-packages"
	}
	found, _ := filepath.Glob(filepath.Join(d.overlay, "lib", "python3*")) // the pattern is well-formed
	if len(found) == 0 {
		return "lib/python3/site-packages"
	}
	return "lib/" + filepath.Base(found[0]) + "/site-packages"
}

// develops reports whether the interfaces were built by the distribution's own Python and for no folder of the clone:
// then what C++ and Python need of them can be packed too.
func (d distribution) develops(root string) bool {
	if _, err := os.Stat(filepath.Join(d.overlay, d.modules(), "rstate_msgs")); err != nil {
		return false
	}
	texts, _ := filepath.Glob(filepath.Join(d.overlay, "share", "rstate_msgs", "cmake", "*.cmake")) // well-formed
	return len(texts) > 0 && !slices.ContainsFunc(texts, func(file string) bool {
		text, err := os.ReadFile(file)
		return err != nil || bytes.Contains(text, []byte(root))
	})
}

func anything(string) bool { return true }

// config is the example networks and launch the launch files, without what Go and Python keep beside them.
func notForGo(name string) bool {
	return !strings.HasSuffix(name, ".go") && !strings.Contains(name, "__pycache__")
}

// prefix returns an ament prefix with the packages rstate and rstate_msgs of a distribution.
func (s sources) prefix(d distribution) (tree, error) {
	var t tree
	t.add("lib/rstate/rstate", 0o755, d.program)
	// Under the name of nav2's executable, for its launch files. A wheel has no links.
	t.add("lib/rstate/lifecycle_manager", 0o755, []byte("#!/bin/sh\nexec \"$(dirname \"$0\")/rstate\" nav2 \"$@\"\n"))
	own := filepath.Join(s.root, "ros", "rstate")
	for _, name := range []string{"launch", "config"} {
		if err := t.addFolder("share/rstate/"+name, filepath.Join(s.root, name), notForGo); err != nil {
			return nil, err
		}
	}
	for from, to := range map[string]string{"examples": "share/rstate/examples", "include": "include/rstate",
		"rstate": d.modules() + "/rstate"} {
		if err := t.addFolder(to, filepath.Join(own, from), notForGo); err != nil {
			return nil, err
		}
	}
	examples, err := filepath.Glob(filepath.Join(own, "examples", "*.py"))
	if err != nil || len(examples) == 0 {
		return nil, errors.Join(err, fmt.Errorf("%s has no examples", own))
	}
	for _, file := range examples { // ros2 run finds programs there
		if err := t.addFile("lib/rstate/"+filepath.Base(file), file); err != nil {
			return nil, err
		}
	}
	if err := t.addFile("share/rstate/package.xml", filepath.Join(own, "package.xml")); err != nil {
		return nil, err
	}
	t.add(index+"/packages/rstate", 0o644, nil)
	if err := t.addFolder(".", d.overlay, ofInterfaces(d.develops(s.root))); err != nil {
		return nil, fmt.Errorf("cannot pack the interfaces of %s: %w; run ROS_DISTRO=%[1]s make setup", d.name, err)
	}
	return t, nil
}

const index = "share/ament_index/resource_index"

// running and developing are what programs need of the built interfaces, and what is needed to write programs.
var (
	running = []string{"lib/librstate_msgs__", index + "/packages/", index + "/rosidl_interfaces/",
		index + "/package_run_dependencies/", "share/rstate_msgs/package.xml", "share/rstate_msgs/msg/", "share/rstate_msgs/srv/",
		"share/rstate_msgs/action/"}
	developing = []string{"share/rstate_msgs/cmake/", "include/", "lib/python"}
)

// ofInterfaces returns whether a file of the built interfaces is packed. What is left out names folders of this machine.
func ofInterfaces(develops bool) func(string) bool {
	return func(name string) bool {
		begins := func(with string) bool { return strings.HasPrefix(name, with) }
		if strings.HasSuffix(name, "__rosidl_generator_py.so") || slices.ContainsFunc(developing, begins) {
			return develops
		}
		return slices.ContainsFunc(running, begins)
	}
}

// bundled is a prefix as a wheel and a folder of the user's choice have it: lib/rstate/DISTRIBUTION, where the program
// without ROS finds it. What needs to find it too sources its local_setup.bash.
func (s sources) bundled(d distribution) (tree, error) {
	t, err := s.prefix(d)
	if err != nil {
		return nil, err
	}
	t.add("local_setup.bash", 0o644, []byte(`# Source this after the setup file of ROS 2 `+d.name+`: ros2, launch and Python then find rstate and rstate_msgs.
_rstate_prefix="$(cd "$(dirname "${BASH_SOURCE[0]:-$0}")" && pwd)"
export AMENT_PREFIX_PATH="$_rstate_prefix${AMENT_PREFIX_PATH:+:$AMENT_PREFIX_PATH}"
export LD_LIBRARY_PATH="$_rstate_prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PYTHONPATH="$_rstate_prefix/`+d.modules()+`${PYTHONPATH:+:$PYTHONPATH}"
unset _rstate_prefix
`))
	return t.under("lib/rstate/" + d.name), nil
}

// common returns what does not depend on ROS and on the processor, below a prefix like /usr.
func (s sources) common() (tree, error) {
	t := slices.Clone(s.shells)
	for _, e := range s.manuals {
		t.add("share/man/man1/"+e.path+".gz", 0o644, gzipped(e.data))
	}
	return t, t.addFolder("share/rstate/config", filepath.Join(s.root, "config"), notForGo)
}

// documents returns the pages, below a folder.
func (s sources) documents(folder string) (tree, error) {
	var t tree
	for _, name := range []string{"README.md", "CHANGELOG.md", "SECURITY.md"} {
		if err := t.addFile(path.Join(folder, name), filepath.Join(s.root, name)); err != nil {
			return nil, err
		}
	}
	if err := t.addFolder(folder+"/docs", filepath.Join(s.root, "docs"), anything); err != nil {
		return nil, err
	}
	// Dashboards and the like are copied from here. The services have places of their own.
	return t, t.addFolder(folder+"/packaging", filepath.Join(s.root, "packaging"), func(name string) bool {
		return !strings.HasPrefix(name, "systemd/")
	})
}

// units returns the services of packaging/systemd, and which of their files a user may change. wrapper is the folder of
// the program with which they begin.
func (s sources) units(wrapper string) (t tree, conffiles []string, err error) {
	folder := filepath.Join(s.root, "packaging", "systemd")
	err = filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && file == folder {
			return filepath.SkipAll
		}
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		to := ""
		switch name = filepath.ToSlash(name); {
		case strings.HasPrefix(name, "examples/"):
			to = "usr/share/doc/rstate/" + name
		case strings.HasSuffix(name, ".service"):
			to = "usr/lib/systemd/system/" + name
		case strings.HasSuffix(name, ".sysusers"):
			to = "usr/lib/sysusers.d/" + strings.TrimSuffix(name, ".sysusers") + ".conf"
		case name == "environment":
			to = "etc/rstate/environment"
			conffiles = append(conffiles, to)
		case name == "with-ros":
			to = strings.TrimPrefix(wrapper, "/") + "/with-ros"
		default:
			return fmt.Errorf("tools/dist does not know where %s belongs: add it to units", file)
		}
		return t.addFile(to, file)
	})
	for k := range t {
		t[k].data = bytes.ReplaceAll(t[k].data, []byte("/usr/lib/rstate/with-ros"), []byte(wrapper+"/with-ros"))
	}
	return t, conffiles, err
}

var dependency = regexp.MustCompile(`<(depend|exec_depend)>([a-z0-9_]+)</`)

// needed returns the packages of ROS 2 that the program needs, and those that only launch files and examples need.
func (s sources) needed(distro string) (depends, recommends []string, err error) {
	optional := []string{"launch", "launch_ros", "launch_xml", "launch_yaml", "ros2launch", "rclpy"}
	for _, file := range []string{"ros/rstate/package.xml", "msgs/rstate_msgs/package.xml"} {
		text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file)))
		if err != nil {
			return nil, nil, err
		}
		for _, m := range dependency.FindAllStringSubmatch(string(text), -1) {
			if m[2] == "rstate_msgs" {
				continue // it is in the same package
			}
			name := "ros-" + distro + "-" + strings.ReplaceAll(m[2], "_", "-")
			if slices.Contains(optional, m[2]) {
				recommends = append(recommends, name)
			} else {
				depends = append(depends, name)
			}
		}
	}
	slices.Sort(depends)
	slices.Sort(recommends)
	return slices.Compact(depends), slices.Compact(recommends), nil
}
