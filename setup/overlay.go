package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"time"
)

// interfaces are packages of interfaces that setup builds in one go.
type interfaces struct {
	sources string // the folder, below the root
	into    string // where they are installed
	name    string // of the build, in the names of its log and its folders
}

// ours are the interfaces of the project.
func (p place) ours() interfaces { return interfaces{sources, p.overlay(), p.build()} }

// forTests returns interfaces that only tests use, by their word: packages that users install.
func (p place) forTests(word string) (one interfaces, ok bool) {
	for _, from := range testSources {
		if path.Base(from) == word {
			name := word + "-" + p.build()
			return interfaces{from, filepath.Join(p.dir(), name), name}, true
		}
	}
	return interfaces{}, false
}

// several reports whether the folder has packages below it, and is none itself.
func (p place) several(one interfaces) bool {
	_, err := os.Stat(filepath.Join(p.root, one.sources, "package.xml"))
	return err != nil
}

// buildInterfaces builds a package of interfaces and installs it when it is complete: until then the
// old one keeps working.
func buildInterfaces(p place, one interfaces, notes io.Writer) error {
	stamp := p.stampOf(one)
	if stamp.differs() == "" {
		return nil
	}
	build := filepath.Join(p.dir(), "build-"+one.name)
	stage := filepath.Join(p.dir(), "stage-"+one.name)
	for _, dir := range []string{build, stage} { // left by an interrupted run
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("cannot remove %q: %w", dir, err)
		}
	}
	fmt.Fprintf(notes, "setup: building %s for ROS 2 %s (about a minute)\n", filepath.Base(one.sources), p.distro)
	log := filepath.Join(p.dir(), "build-"+one.name+".log")
	if err := os.WriteFile(log, nil, 0o644); err != nil {
		return err
	}
	env := p.buildEnvironment()
	if !p.isSourced() { // another generator may parse in another way
		parsed, err := parseOnce(p, build)
		if err != nil {
			return err
		}
		env = append(env, parsed)
	}
	configure, err := configureCommand(p, one, build)
	if err != nil {
		return err
	}
	for _, s := range []step{
		{what: "configure the interfaces", args: configure, env: env},
		{what: "build the interfaces", args: []string{configure[0], "--build", build, "--parallel", "--target",
			"install"},
			env: append(env, "DESTDIR="+stage)},
	} {
		s.log, s.limit = log, 15*time.Minute
		if err := s.run(); err != nil {
			return err
		}
	}
	if err := replaceFolder(filepath.Join(stage, one.into), one.into); err != nil {
		return err
	}
	if err := stamp.write(); err != nil {
		return err
	}
	for _, dir := range []string{build, stage} {
		_ = os.RemoveAll(dir) // this only frees space: the next build begins by removing them
	}
	return nil
}

// parseOnce returns the variable by which the generators of a build parse each interface once.
func parseOnce(p place, build string) (variable string, err error) {
	text, err := os.ReadFile(filepath.Join(p.root, "setup", parser))
	if err != nil {
		return "", err
	}
	folder := filepath.Join(build, "parsed")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	return "PYTHONPATH=" + folder, os.WriteFile(filepath.Join(folder, parser), text, 0o644)
}

// parser changes the parser of interfaces. Python imports a module of this name when it starts.
const parser = "sitecustomize.py"

// configureCommand returns the CMake command. A sourced ROS 2 has no CMake, so the machine's is
// used.
func configureCommand(p place, one interfaces, build string) ([]string, error) {
	cmake, ninja := filepath.Join(p.prefix(), "bin", "cmake"), filepath.Join(p.prefix(), "bin", "ninja")
	if p.isSourced() {
		var err error
		if cmake, err = exec.LookPath("cmake"); err != nil {
			return nil, fmt.Errorf("cannot find CMake, which the sourced ROS 2 builds with: install it (Debian: apt-get install cmake)")
		}
		ninja, _ = exec.LookPath("ninja")
	}
	args := []string{cmake, "-S", filepath.Join(p.root, one.sources), "-B", build,
		"-DCMAKE_INSTALL_PREFIX=" + one.into, "-DBUILD_TESTING=OFF", "-DPython3_EXECUTABLE=" + p.python()}
	if ninja != "" {
		args = append(args, "-G", "Ninja", "-DCMAKE_MAKE_PROGRAM="+ninja)
	}
	if !p.isSourced() && !p.several(one) {
		args = append(args, "-DCMAKE_PROJECT_"+filepath.Base(one.sources)+"_INCLUDE="+
			filepath.Join(p.root, "setup", "unity.cmake"))
	}
	return args, nil
}

// buildEnvironment is the environment of the underlay: the build must not find older interfaces of
// ours.
func (p place) buildEnvironment() []string {
	env := withoutPython(os.Environ())
	for _, v := range p.variables(p.underlay(), os.Getenv) {
		if v.name != "PYTHONPATH" || p.isSourced() { // the wheels' Python is complete, and other modules may conflict
			env = append(env, v.name+"="+v.value)
		}
	}
	return env
}

func replaceFolder(from, to string) error {
	if err := removeFolder(to); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("cannot put the interfaces in place: %w", err)
	}
	return nil
}
