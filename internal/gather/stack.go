package gather

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"rstate/internal/doctor"
	"rstate/internal/middleware"
)

// Stack fills in which ROS this process has loaded. It may be called when a context has been tried.
func Stack(f *doctor.Facts) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for _, line := range strings.Split(string(maps), "\n") {
		if at := strings.Index(line, "/"); at >= 0 && strings.HasPrefix(filepath.Base(line[at:]), "librcl.so") {
			f.Stack.Prefix = filepath.Dir(filepath.Dir(line[at:]))
			f.Stack.Distro = distroOf(f.Stack.Prefix)
		}
	}
	f.Stack.RMW = middleware.Loaded(string(maps), os.Getenv("RMW_IMPLEMENTATION"))
}

// routerIn is how long a router may take to accept a connection.
const routerIn = 300 * time.Millisecond

// Router looks for the router that the middleware needs, if it needs one. It may be called before ROS is used.
func Router(f *doctor.Facts, env func(string) string) {
	if !middleware.Of(env("RMW_IMPLEMENTATION"), env, os.ReadFile).Router {
		return
	}
	for _, at := range middleware.Routers(env, os.ReadFile) {
		f.Router.At = append(f.Router.At, at)
		if c, err := net.DialTimeout("tcp", at, routerIn); err == nil {
			_ = c.Close() // nothing was sent
			f.Router.Found = true
			return
		}
	}
}

// releases maps versions of rcl to ROS releases. The environment is not a reliable source.
var releases = []struct{ version, distro string }{{"9.2.", "jazzy"}, {"10.1.", "kilted"}, {"10.4.", "lyrical"}}

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
