package gen

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// libraries are the libraries that the client library links.
var libraries = []string{"rcl", "rcl_action", "rcl_lifecycle", "rcl_yaml_param_parser", "rmw", "rcutils",
	"rosidl_runtime_c"}

// middlewares implement rmw. The first that a prefix has is linked. A ROS 2 installation has
// rmw_implementation, which loads the one that the user chooses.
var middlewares = []string{"rmw_implementation", "rmw_fastrtps_cpp"}

// Flags are what cgo needs to build the client library.
type Flags struct {
	C, LD   []string
	Missing string // first library that no prefix has; empty if all were found
}

// CGOFlags returns the flags for install prefixes; earlier prefixes take precedence.
func CGOFlags(prefixes []string) Flags {
	f := Flags{C: []string{"-O2", "-g"}}
	var folders, links []string
	found := map[string]bool{}
	for _, prefix := range prefixes {
		headers, _ := filepath.Glob(filepath.Join(prefix, "include", "*")) // fails only for a bad pattern
		slices.Sort(headers)
		for _, dir := range headers {
			if isDir(dir) {
				f.C = append(f.C, "-I"+dir)
			}
		}
		lib := filepath.Join(prefix, "lib")
		if !isDir(lib) {
			continue
		}
		folders = append(folders, lib)
		for _, name := range slices.Concat(libraries, middlewares) {
			if _, err := os.Stat(filepath.Join(lib, "lib"+name+".so")); err == nil {
				found[name] = true
			}
		}
	}
	for _, name := range libraries {
		if found[name] {
			links = append(links, "-l"+name)
		} else if f.Missing == "" {
			f.Missing = name
		}
	}
	if i := slices.IndexFunc(middlewares, func(name string) bool { return found[name] }); i >= 0 {
		links = append(links, "-l"+middlewares[i])
	} else if f.Missing == "" {
		f.Missing = middlewares[0]
	}
	for _, dir := range folders {
		f.LD = append(f.LD, "-L"+dir)
	}
	if len(folders) > 0 {
		// The loader follows DT_RPATH, but not DT_RUNPATH, for the dependencies of librcl.
		f.LD = append(f.LD, "-Wl,--disable-new-dtags")
	}
	for _, dir := range folders {
		f.LD = append(f.LD, "-Wl,-rpath,"+dir)
	}
	f.LD = append(f.LD, links...)
	return f
}

// Shell returns shell commands that set the variables of cgo.
func (f Flags) Shell() string {
	return "export CGO_CFLAGS=" + quote(f.C) + "\nexport CGO_LDFLAGS=" + quote(f.LD) + "\n"
}

// quote returns flags as one word of a shell.
func quote(flags []string) string {
	return "'" + strings.ReplaceAll(strings.Join(flags, " "), "'", `'\''`) + "'"
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
