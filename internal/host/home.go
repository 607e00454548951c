package host

import (
	"fmt"
	"os"
	"os/user"
	"strings"
)

// ExpandHome replaces a leading ~ or ~user by the home folder. A shell does so for a word of its
// own, but not in network:=~/robot.yaml.
func ExpandHome(path string) (string, error) {
	if !strings.HasPrefix(path, "~") {
		return path, nil
	}
	name, rest, _ := strings.Cut(path[1:], "/")
	home, err := "", error(nil)
	if name == "" {
		home, err = os.UserHomeDir()
	} else if u, e := user.Lookup(name); e != nil {
		err = e
	} else {
		home = u.HomeDir
	}
	if err != nil {
		return "", fmt.Errorf("cannot find the home folder in %q: %w; write the whole path", path, err)
	}
	return strings.TrimSuffix(home, "/") + strings.TrimSuffix("/"+rest, "/"), nil
}
