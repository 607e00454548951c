package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// targets are the machines for which there is a program without ROS.
var targets = []string{"linux/amd64", "linux/arm64"}

// bill is the file with the bill of materials, and sumsFile the one with the checksums.
const (
	bill     = "rstate.cdx.json"
	sumsFile = "SHA256SUMS"
)

// makeAll builds what there is to build on this machine, and packs it into an empty folder.
func makeAll(r request, out io.Writer) error {
	if err := empty(r.out); err != nil {
		return err
	}
	missing, err := buildAll(&r, out)
	if err != nil {
		return err
	}
	s, err := gather(r)
	if err != nil {
		return err
	}
	if err := writeBill(filepath.Join(r.out, bill), s.version); err != nil {
		return err
	}
	if err := pack(s, r.out, out); err != nil {
		return err
	}
	for _, d := range s.ros {
		if !d.develops(s.root) {
			fmt.Fprintf(out, "without what Python and C++ need of rstate_msgs on %s: the interfaces were not built with the Python "+
				"of its Debian packages\n", d.name)
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(out, "without ROS 2 %s: not set up here\n", strings.Join(missing, ", "))
	}
	fmt.Fprintf(out, "rstate %s for %s is in %s\n", s.version, strings.Join(targets, ", "), r.out)
	return nil
}

// empty makes a folder if it is not there, and removes what an earlier make has written into it. It removes nothing if
// anything else is there: -out may name a folder of the user by mistake.
func empty(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, f := range files {
		if !f.Type().IsRegular() || !isPacked(f.Name()) {
			return fmt.Errorf("cannot write packages into %s: it has %s, which is no package; name another folder with -out",
				folder, f.Name())
		}
	}
	for _, f := range files {
		if err := os.Remove(filepath.Join(folder, f.Name())); err != nil {
			return err
		}
	}
	return nil
}

// isPacked reports whether make writes a file of that name.
func isPacked(name string) bool {
	return slices.ContainsFunc([]string{bill, sumsFile, "rstate-*.whl", "rstate_*.deb", "ros-*-rstate_*.deb"},
		func(pattern string) bool {
			is, err := path.Match(pattern, name)
			return err == nil && is
		})
}

// buildAll builds the programs and adds them to the request. It returns the distributions that are not set up here.
func buildAll(r *request, out io.Writer) (missing []string, err error) {
	told, err := version()
	if err != nil {
		return nil, err
	}
	for _, target := range targets {
		file := filepath.Join("bin", "static", strings.ReplaceAll(target, "/", "-"), "rstate")
		system, cpu, _ := strings.Cut(target, "/")
		fmt.Fprintf(out, "building rstate for %s\n", target)
		if err := build(told, file, []string{"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + cpu}); err != nil {
			return nil, err
		}
		r.programs = append(r.programs, target+"="+file)
	}
	for _, name := range []string{"jazzy", "kilted", "lyrical"} {
		env, overlay, err := environment(name)
		if err != nil {
			missing = append(missing, name)
			continue
		}
		file := filepath.Join("bin", "dist-"+name, "rstate")
		fmt.Fprintf(out, "building rstate for ROS 2 %s\n", name)
		if err := build(told, file, env, "-tags", "ros"); err != nil {
			return nil, err
		}
		r.ros = append(r.ros, name+"="+file+","+overlay)
	}
	return missing, nil
}

// build makes a program without paths of this machine. It is the same for every clone of a commit.
func build(version, file string, env []string, more ...string) error {
	args := append([]string{"build", "-trimpath", "-ldflags", "-s -w -X main.given=" + version, "-o", file}, more...)
	cmd := exec.Command("go", append(args, "./cmd/rstate")...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("cannot build %s: %w", file, err)
	}
	return nil
}

var release = regexp.MustCompile(`(?m)^const release = "([0-9.]+)"$`)

// version returns what a program that is built now says of itself: 0.1.0 if the commit has the tag v0.1.0, else with the
// commit behind it. Go notes the same, except in a worktree and with -buildvcs=false.
func version() (string, error) {
	text, err := os.ReadFile(filepath.Join("cmd", "rstate", "version.go"))
	if err != nil {
		return "", err
	}
	m := release.FindSubmatch(text)
	if m == nil {
		return "", errors.New("cmd/rstate/version.go names no release")
	}
	git := func(words ...string) string {
		out, _ := exec.Command("git", append([]string{"describe"}, words...)...).Output() // without git, nothing is known
		return strings.TrimSpace(string(out))
	}
	if git("--tags", "--exact-match", "--dirty") == "v"+string(m[1]) {
		return string(m[1]), nil
	}
	commit := git("--always", "--dirty=.dirty", "--exclude=*", "--abbrev=8")
	if commit == "" {
		return string(m[1]) + "+unknown", nil
	}
	return string(m[1]) + "+g" + commit, nil
}

var exported = regexp.MustCompile(`(?m)^export ([A-Z_]+)='(.*)'$`)

// environment asks setup for that of a distribution. If another one is sourced, setup answers for that, and this one is
// missing. The folder of the interfaces is the first prefix.
func environment(name string) (env []string, overlay string, err error) {
	cmd := exec.Command("go", "run", "./setup", "env")
	if sourced := os.Getenv("AMENT_PREFIX_PATH"); sourced == "" {
		cmd.Env = append(os.Environ(), "ROS_DISTRO="+name)
	}
	text, err := cmd.Output()
	if err != nil {
		return nil, "", err
	}
	found := map[string]string{}
	for _, m := range exported.FindAllStringSubmatch(string(text), -1) {
		found[m[1]] = strings.ReplaceAll(m[2], `'\''`, "'")
		env = append(env, m[1]+"="+found[m[1]])
	}
	if found["ROS_DISTRO"] != name {
		return nil, "", fmt.Errorf("setup answers for %s", found["ROS_DISTRO"])
	}
	overlay = strings.Split(found["AMENT_PREFIX_PATH"], ":")[0]
	if overlay == "" {
		return nil, "", errors.New("setup names no prefix")
	}
	return env, overlay, nil
}

// writeBill has tools/sbom write the bill of materials.
func writeBill(file, version string) error {
	var out bytes.Buffer
	cmd := exec.Command("go", "run", "./tools/sbom", version)
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("cannot write the bill of materials: %w", err)
	}
	return os.WriteFile(file, out.Bytes(), 0o644)
}
