package gather

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"rstate/internal/doctor"
)

// Stack fills in which ROS this process has loaded. It may be called when a context has been tried.
func Stack(f *doctor.Facts) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for _, line := range strings.Split(string(maps), "\n") {
		at := strings.Index(line, "/")
		if at < 0 {
			continue
		}
		file := line[at:]
		switch name := filepath.Base(file); {
		case strings.HasPrefix(name, "librcl.so"):
			f.Stack.Prefix = filepath.Dir(filepath.Dir(file))
			f.Stack.Distro = distroOf(f.Stack.Prefix)
		case middleware.MatchString(name):
			f.Stack.RMW = middleware.FindStringSubmatch(name)[1]
		}
	}
}

// middleware is the library of one; rmw_implementation only loads it, and the shared parts are no whole one.
var middleware = regexp.MustCompile(`^lib(rmw_(?:fastrtps(?:_dynamic)?|cyclonedds|connextdds|zenoh)_?(?:cpp)?)\.so`)

// releases maps versions of rcl to ROS releases. The environment is not a reliable source.
var releases = []struct{ version, distro string }{{"9.2.", "jazzy"}, {"10.1.", "kilted"}}

var packageVersion = regexp.MustCompile(`<version>\s*([0-9.]+)`)

// distroOf returns the release that is installed there; empty if it is none that is known.
func distroOf(prefix string) string {
	text, err := os.ReadFile(filepath.Join(prefix, "share", "rcl", "package.xml"))
	if err != nil {
		return ""
	}
	version := packageVersion.FindSubmatch(text)
	if version == nil {
		return ""
	}
	for _, r := range releases {
		if strings.HasPrefix(string(version[1]), r.version) {
			return r.distro
		}
	}
	return ""
}
