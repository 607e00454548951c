package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// gather reads the programs that a command line names, and asks them for their version and their pages.
func gather(r request) (sources, error) {
	s := sources{programs: map[string][]byte{}}
	var err error
	if s.root, err = os.Getwd(); err != nil {
		return s, err
	}
	if s.at, err = epoch(); err != nil {
		return s, err
	}
	teller := "" // the program that runs here and knows most
	for _, p := range r.programs {
		target, file, ok := strings.Cut(p, "=")
		if !ok {
			return s, fmt.Errorf("-program is %q: write linux/amd64=FILE", p)
		}
		if s.programs[target], err = os.ReadFile(file); err != nil {
			return s, err
		}
		if target == host() {
			teller = file
		}
	}
	if teller == "" {
		return s, fmt.Errorf("there is no -program %s=FILE, which is asked for the version", host())
	}
	if s.version, err = versionOf(teller); err != nil {
		return s, err
	}
	for _, p := range r.ros {
		if teller, err = s.addROS(p); err != nil {
			return s, err
		}
	}
	return s, s.tell(teller)
}

// addROS reads the program for a distribution and returns its file.
func (s *sources) addROS(named string) (file string, err error) {
	name, files, _ := strings.Cut(named, "=")
	file, overlay, ok := strings.Cut(files, ",")
	if !ok {
		return "", fmt.Errorf("-ros is %q: write jazzy=FILE,OVERLAY", named)
	}
	program, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	// A file that appeared in the clone between the builds makes one of them dirty.
	clean := func(version string) string { return strings.TrimSuffix(version, ".dirty") }
	version, err := versionOf(file)
	if err != nil {
		return "", err
	}
	if clean(version) != clean(s.version) {
		return "", fmt.Errorf("%s is version %q, and the program without ROS %q: build both again", file, version, s.version)
	}
	if program, err = portable(program); err != nil {
		return "", fmt.Errorf("cannot pack %s: %w", file, err)
	}
	s.ros = append(s.ros, distribution{name: name, program: program, overlay: overlay})
	return file, nil
}

// host is this machine as a target.
func host() string { return runtime.GOOS + "/" + runtime.GOARCH }

// plainEnv is an environment in which a program is itself: without a ROS 2 that it would hand over to.
func plainEnv() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "ROS_DISTRO=") || strings.HasPrefix(v, "AMENT_PREFIX_PATH=")
	})
}

// versionOf asks a program.
func versionOf(program string) (string, error) {
	cmd := exec.Command(program, "version", "-o", "json")
	cmd.Env = plainEnv()
	out, err := cmd.Output()
	var told struct{ Version string }
	if err == nil {
		err = json.Unmarshal(out, &told)
	}
	if err != nil {
		return "", fmt.Errorf("cannot ask %s for its version: %w", program, err)
	}
	return told.Version, nil
}

// tell has a program write its man pages and completion scripts. Their date is that of the version.
func (s *sources) tell(program string) error {
	folder, err := os.MkdirTemp("", "rstate-man-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	do := func(words ...string) ([]byte, error) {
		cmd := exec.Command(program, words...)
		cmd.Env = append(plainEnv(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", s.at.Unix()))
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("%s %s: %w", program, strings.Join(words, " "), err)
		}
		return out, err
	}
	if _, err := do("man", folder); err != nil {
		return err
	}
	if err := s.manuals.addFolder(".", folder, anything); err != nil {
		return err
	}
	for shell, file := range map[string]string{"bash": "share/bash-completion/completions/rstate",
		"zsh": "share/zsh/site-functions/_rstate", "fish": "share/fish/vendor_completions.d/rstate.fish"} {
		text, err := do("completion", shell)
		if err != nil {
			return err
		}
		s.shells.add(file, 0o644, text)
	}
	return nil
}

// pack writes all packages that the sources allow, and their checksums.
func pack(s sources, folder string, out io.Writer) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var made []string
	write := func(name string, data []byte) error {
		made = append(made, name)
		fmt.Fprintf(out, "%6.1f MB  %s\n", float64(len(data))/1e6, name)
		return os.WriteFile(filepath.Join(folder, name), data, 0o644)
	}
	for _, target := range slices.Sorted(maps.Keys(s.programs)) {
		w, err := s.wheel(target)
		if err != nil {
			return err
		}
		data, err := w.bytes(s.at)
		if err != nil {
			return err
		}
		if err := write(w.fileName(), data); err != nil {
			return err
		}
		d, err := s.debian(target)
		if err != nil {
			return err
		}
		if data, err = d.bytes(s.at); err != nil {
			return err
		}
		if err := write(d.fileName(), data); err != nil {
			return err
		}
	}
	for _, one := range s.ros {
		d, err := s.debianROS(one)
		if err != nil {
			return err
		}
		data, err := d.bytes(s.at)
		if err != nil {
			return err
		}
		if err := write(d.fileName(), data); err != nil {
			return err
		}
	}
	return s.sums(folder, made)
}

// sums writes SHA256SUMS of what was made, and of the bill of materials if it is there.
func (s sources) sums(folder string, made []string) error {
	if _, err := os.Stat(filepath.Join(folder, bill)); err == nil {
		made = append(made, bill)
	}
	slices.Sort(made)
	var text bytes.Buffer
	for _, name := range made {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(data), name)
	}
	return os.WriteFile(filepath.Join(folder, sumsFile), text.Bytes(), 0o644)
}

// debian is the package rstate: what needs no ROS, and the services.
func (s sources) debian(target string) (debian, error) {
	_, arch, _ := strings.Cut(target, "/")
	t, err := s.common()
	if err != nil {
		return debian{}, err
	}
	t.add("bin/rstate", 0o755, s.programs[target])
	t = t.under("usr")
	pages, err := s.documents("usr/share/doc/rstate")
	if err != nil {
		return debian{}, err
	}
	units, conffiles, err := s.units("/usr/lib/rstate")
	if err != nil {
		return debian{}, err
	}
	t = slices.Concat(t, pages, units)
	if err := t.addFile("usr/share/doc/rstate/copyright", filepath.Join(s.root, "LICENSE")); err != nil {
		return debian{}, err
	}
	d := debian{name: "rstate", version: s.version, arch: arch, files: t, conffiles: conffiles,
		summary: "coordinator of ROS 2 lifecycle nodes",
		description: "rstate brings up, arms and shuts down all lifecycle nodes of a robot with one command.\n" +
			"This package has the verbs that need no ROS 2, the pages and the services.\n" +
			"The verbs that need ROS 2 are in ros-DISTRIBUTION-rstate.",
	}
	if slices.ContainsFunc(units, func(e entry) bool { return strings.HasPrefix(e.path, "usr/lib/sysusers.d/") }) {
		d.postinst = "#!/bin/sh\nset -e\n" +
			"if [ \"$1\" = configure ] && command -v systemd-sysusers >/dev/null; then systemd-sysusers rstate.conf; fi\n"
	}
	return d, nil
}

// debianROS is the package of one distribution, in its prefix, where its setup file finds it.
func (s sources) debianROS(one distribution) (debian, error) {
	t, err := s.prefix(one)
	if err != nil {
		return debian{}, err
	}
	newest := glibc(t)
	t.addLink("bin/rstate", "../lib/rstate/rstate")
	t = t.under("opt/ros/" + one.name)
	name := "ros-" + one.name + "-rstate"
	if err := t.addFile("usr/share/doc/"+name+"/copyright", filepath.Join(s.root, "LICENSE")); err != nil {
		return debian{}, err
	}
	depends, recommends, err := s.needed(one.name)
	if err != nil {
		return debian{}, err
	}
	own := []string{fmt.Sprintf("libc6 (>= 2.%d)", newest), "libgcc-s1", "libstdc++6", fmt.Sprintf("rstate (= %s)", s.version)}
	return debian{name: name, version: s.version, arch: runtime.GOARCH, files: t, depends: append(own, depends...),
		recommends: recommends, summary: "coordinator of ROS 2 lifecycle nodes, for " + one.name,
		description: "rstate brings up, arms and shuts down all lifecycle nodes of a robot with one command.\n" +
			"This package has the daemon, its clients, its interfaces rstate_msgs and its launch files.",
	}, nil
}

// wheel is the package of pip: the program without ROS, and those of the distributions, for this processor.
func (s sources) wheel(target string) (wheel, error) {
	license, err := os.ReadFile(filepath.Join(s.root, "LICENSE"))
	if err != nil {
		return wheel{}, err
	}
	w := wheel{version: s.version, program: s.programs[target], license: license, readme: wheelReadme}
	if w.data, err = s.common(); err != nil {
		return wheel{}, err
	}
	if err := w.modules.addFolder("rstate", filepath.Join(s.root, "ros", "rstate", "rstate"), notForGo); err != nil {
		return wheel{}, err
	}
	var needs tree
	if target == host() {
		for _, d := range s.ros {
			t, err := s.bundled(d)
			if err != nil {
				return wheel{}, err
			}
			needs = append(needs, t...)
		}
		w.data = append(w.data, needs...)
	}
	w.tags, err = platforms(target, glibc(needs))
	return w, err
}

// platforms names the machines on which a wheel runs. A program without ROS needs no C library. minor is the release 2.x
// of glibc that the others need.
func platforms(target string, minor int) ([]string, error) {
	cpu := map[string]string{"linux/amd64": "x86_64", "linux/arm64": "aarch64"}[target]
	switch {
	case cpu == "":
		return nil, fmt.Errorf("there is no wheel for %s: add its name to platforms", target)
	case minor > 0:
		return []string{fmt.Sprintf("manylinux_2_%d_%s", max(minor, 17), cpu)}, nil
	}
	return []string{"manylinux_2_17_" + cpu, "musllinux_1_1_" + cpu}, nil
}

const wheelReadme = `# rstate

rstate brings up, arms and shuts down all lifecycle nodes of a ROS 2 robot with one command.

This package has the verbs that need no ROS 2 (rstate check, graph, plan, rehearse, why, history, plot) and, on Linux on
x86_64, those that need one, for the distributions that it names with ` + "`rstate run`" + ` in a terminal without ROS 2.
Source a ROS 2, then use them. Example networks are in share/rstate/config of the Python environment.
`
