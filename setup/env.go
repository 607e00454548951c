package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// variable is one line of the environment.
type variable struct{ name, value string }

// libraries are the libraries that our Go code calls. middleware adds one that the prefix has.
var libraries = []string{"rcl", "rcl_action", "rcl_lifecycle", "rcl_yaml_param_parser", "rmw", "rcutils",
	"rosidl_runtime_c"}

// environment returns all variables for building and running, with our interfaces first.
func (p place) environment(getenv func(string) string) []variable {
	prefixes := append([]string{p.overlay()}, p.underlay()...)
	return append(p.variables(prefixes, getenv),
		variable{"CGO_CFLAGS", cgoCFlags(prefixes)},
		variable{"CGO_LDFLAGS", cgoLDFlags(prefixes)})
}

// variables returns the variables that every ROS 2 tool knows. The shell's entries stay after ours,
// except those that an earlier setup has added.
func (p place) variables(prefixes []string, getenv func(string) string) []variable {
	bin, python := existing(prefixes, "bin"), pythonFolders(prefixes)
	if !p.isSourced() {
		python = pythonFolders(prefixes[:len(prefixes)-1]) // the prefix's own Python already searches its own folder
	}
	vars := []variable{
		{"ROS_DISTRO", p.distro},
		{"AMENT_PREFIX_PATH", front(prefixes, getenv("AMENT_PREFIX_PATH"))},
		{"CMAKE_PREFIX_PATH", front(prefixes, getenv("CMAKE_PREFIX_PATH"))},
		{"LD_LIBRARY_PATH", front(libraryFolders(prefixes), getenv("LD_LIBRARY_PATH"))},
		{"PATH", front(bin, getenv("PATH"))},
		{"PYTHONPATH", front(python, getenv("PYTHONPATH"))},
	}
	if !p.isSourced() { // the wheels include this one, and are linked to it
		vars = append(vars, variable{"RMW_IMPLEMENTATION", "rmw_fastrtps_cpp"})
	}
	return vars
}

// front puts our entries before those of a path variable, each once, without entries of other
// prefixes of setup.
func front(ours []string, held string) string {
	list := append([]string(nil), ours...)
	seen := map[string]bool{"": true}
	for _, dir := range ours {
		seen[dir] = true
	}
	for _, dir := range filepath.SplitList(held) {
		if !seen[dir] && !isOurs(dir) {
			seen[dir] = true
			list = append(list, dir)
		}
	}
	return strings.Join(list, string(filepath.ListSeparator))
}

// existing returns the folder of that name in each prefix that has it.
func existing(prefixes []string, pattern string) []string {
	var found []string
	for _, prefix := range prefixes {
		matches, _ := filepath.Glob(filepath.Join(prefix, pattern)) // the patterns are constants, and well-formed
		for _, path := range matches {
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				found = append(found, path)
			}
		}
	}
	return found
}

func libraryFolders(prefixes []string) []string {
	var found []string
	for _, prefix := range prefixes {
		one := []string{prefix}
		found = append(append(found, existing(one, "lib")...), existing(one, "lib/*-linux-gnu")...)
	}
	return found
}

// pythonFolders knows both layouts: the common one, and Debian's.
func pythonFolders(prefixes []string) []string {
	var found []string
	for _, prefix := range prefixes {
		for _, pattern := range []string{"lib/python3*/site-packages", "lib/python3*/dist-packages",
			"local/lib/python3*/dist-packages"} {
			found = append(found, existing([]string{prefix}, pattern)...)
		}
	}
	return found
}

// cgoCFlags has one include root for each package, which is the layout of ROS 2 headers.
func cgoCFlags(prefixes []string) string {
	flags := []string{"-O2", "-g"}
	for _, dir := range existing(prefixes, "include/*") {
		if !strings.HasPrefix(filepath.Base(dir), "python") {
			flags = append(flags, quoteFlag("-I"+dir))
		}
	}
	return strings.Join(flags, " ")
}

// cgoLDFlags lets a program find its libraries without sourcing. It must set DT_RPATH: the loader
// does not follow the newer DT_RUNPATH for the dependencies of a library.
func cgoLDFlags(prefixes []string) string {
	folders := libraryFolders(prefixes)
	var flags []string
	for _, dir := range folders {
		flags = append(flags, quoteFlag("-L"+dir))
	}
	flags = append(flags, "-Wl,--disable-new-dtags")
	for _, dir := range folders {
		flags = append(flags, quoteFlag("-Wl,-rpath,"+dir))
	}
	for _, name := range append(libraries, middleware(folders)) {
		flags = append(flags, "-l"+name)
	}
	return strings.Join(flags, " ")
}

// middleware returns the library that chooses a middleware at run time, if there is one; the wheels
// are linked to Fast DDS only.
func middleware(folders []string) string {
	for _, dir := range folders {
		if _, err := os.Stat(filepath.Join(dir, "librmw_implementation.so")); err == nil {
			return "rmw_implementation"
		}
	}
	return "rmw_fastrtps_cpp"
}

// quoteFlag follows the go command's rule for flags with spaces.
func quoteFlag(flag string) string {
	if strings.ContainsAny(flag, " \t'\"") {
		return `"` + flag + `"`
	}
	return flag
}

// shellExports formats variables for a POSIX shell's eval.
func shellExports(vars []variable) string {
	var text strings.Builder
	for _, v := range vars {
		fmt.Fprintf(&text, "export %s='%s'\n", v.name, strings.ReplaceAll(v.value, "'", `'\''`))
	}
	return text.String()
}
