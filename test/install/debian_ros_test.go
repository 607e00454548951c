//go:build ros

package install

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/stall"
)

// machine is a fresh Debian: a folder that is / for what runs in it. Programs and libraries are those of this machine,
// through links that lead to its /, which is mounted at /.host and cannot be written. The list of installed packages is its
// own, and has what ROS 2 brings.
type machine struct {
	folder string
	distro string
	under  []string // the prefixes of ROS 2, as seen inside
}

// inside mounts what the machine needs in a namespace of its own, which ends with the program, and runs the program.
const inside = `set -eu
mount --make-rprivate /
mount --rbind / "$1/.host"
mount -o remount,bind,ro "$1/.host"
mount --rbind /proc "$1/proc"
mount --rbind /dev "$1/dev"
exec chroot "$@"
`

func newMachine(t *testing.T) *machine {
	t.Helper()
	if os.Getuid() != 0 {
		needs(t, "root", errors.New("only root may change the root folder of a process"))
	}
	for _, program := range []string{"dpkg", "unshare", "mount", "chroot"} {
		_, err := exec.LookPath(program)
		needs(t, program, err)
	}
	needs(t, "namespaces of mounts", exec.Command("unshare", "-m", "true").Run())

	m := &machine{folder: t.TempDir(), distro: os.Getenv("ROS_DISTRO")}
	folders := []string{".host", "proc", "dev", "tmp", "run", "etc", "root", "opt", "usr/bin", "usr/lib", "usr/share",
		"var/log", "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"}
	for _, dir := range folders {
		if err := os.MkdirAll(filepath.Join(m.folder, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// What packages write must not be a link to this machine.
	own := []string{"opt", "systemd", "sysusers.d", "rstate", "doc", "man", "bash-completion", "fish", "zsh",
		"systemd-sysusers"} // it would make users, which stay
	m.link(t, "/", own)
	for _, dir := range []string{"/usr", "/usr/bin", "/usr/lib", "/usr/share"} {
		m.link(t, dir, own)
	}
	prefixes := filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH"))
	if len(prefixes) < 2 {
		t.Fatalf("AMENT_PREFIX_PATH is %q, without ROS 2 below our interfaces", prefixes)
	}
	packages := []string{"base-files", "libc6", "libgcc-s1", "libstdc++6"}
	for _, prefix := range prefixes[1:] {
		m.under = append(m.under, "/.host"+prefix)
		manifests, err := filepath.Glob(prefix + "/share/*/package.xml")
		if err != nil || len(manifests) == 0 {
			t.Fatalf("%s has no packages, %v", prefix, err)
		}
		for _, file := range manifests {
			packages = append(packages,
				"ros-"+m.distro+"-"+strings.ReplaceAll(filepath.Base(filepath.Dir(file)), "_", "-"))
		}
	}
	libc, err := exec.Command("getconf", "GNU_LIBC_VERSION").Output()
	needs(t, "getconf", err)
	var status strings.Builder
	for _, name := range packages {
		version := "1"
		if name == "libc6" {
			version = strings.Fields(string(libc))[1]
		}
		fmt.Fprintf(&status, "Package: %s\nStatus: install ok installed\nArchitecture: %s\nVersion: %s\n"+
			"Maintainer: tests <tests@rstate.example>\nDescription: part of the machine\n\n", name, runtime.GOARCH, version)
		m.write(t, "var/lib/dpkg/info/"+name+".list", "")
	}
	m.write(t, "var/lib/dpkg/info/base-files.list", "/.\n/"+strings.Join(folders, "\n/")+"\n")
	m.write(t, "var/lib/dpkg/status", status.String())
	m.write(t, "etc/passwd", "root:x:0:0:root:/root:/bin/sh\n")
	return m
}

// link gives a folder of the machine what this machine has there, without what is there already or is its own.
func (m *machine) link(t *testing.T, dir string, own []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		at, to := filepath.Join(m.folder, dir, e.Name()), filepath.Join("/.host", dir, e.Name())
		if _, err := os.Lstat(at); err == nil || slices.Contains(own, e.Name()) {
			continue
		}
		if e.Type()&os.ModeSymlink != 0 { // /lib leads to usr/lib, which is the machine's own
			if to, err = os.Readlink(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(to, at); err != nil {
			t.Fatal(err)
		}
	}
}

func (m *machine) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(m.folder, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// command is a command line that runs words on the machine, in an environment of their own.
func (m *machine) command(env []string, words ...string) []string {
	before := append([]string{"unshare", "-m", "sh", "-c", inside, "inside", m.folder, "/usr/bin/env", "-i"}, env...)
	return append(before, words...)
}

// plain is the environment of a user who has sourced nothing.
func (m *machine) plain() []string {
	return []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8",
		"ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST", "ROS_DOMAIN_ID=" + os.Getenv("ROS_DOMAIN_ID"),
		"FASTDDS_BUILTIN_TRANSPORTS=" + os.Getenv("FASTDDS_BUILTIN_TRANSPORTS"), "DEBIAN_FRONTEND=noninteractive"}
}

// sourced is the environment of a user who has sourced ROS 2, of which the prefix in /opt/ros is a part.
func (m *machine) sourced(distro string) []string {
	prefixes := append([]string{"/opt/ros/" + distro}, m.under...)
	env := append(m.plain(), "ROS_DISTRO="+distro, "AMENT_PREFIX_PATH="+strings.Join(prefixes, ":"),
		"LD_LIBRARY_PATH="+strings.Join(prefixes, "/lib:")+"/lib")
	env[0] = "PATH=/opt/ros/" + distro + "/bin:" + strings.TrimPrefix(env[0], "PATH=")
	return env
}

// do runs words on the machine to their end.
func (m *machine) do(t *testing.T, code int, env []string, words ...string) string {
	t.Helper()
	line := m.command(env, words...)
	return run(t, code, os.Environ(), line[0], line[1:]...)
}

// TestDebianPackagesOnAFreshMachine: the packages are installed with what they depend on and nothing else, the daemon
// runs where ROS 2 is sourced, the program says what is missing elsewhere, and removing them leaves nothing.
func TestDebianPackagesOnAFreshMachine(t *testing.T) {
	m := newMachine(t)
	program, err := daemon.Build(folder)
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH"))[0]
	out := t.TempDir()
	runDist(t, "pack", "-out", out, "-program", host()+"="+withoutROS(t), "-ros", m.distro+"="+program+","+overlay)
	packages := []string{}
	for _, name := range []string{"rstate", "ros-" + m.distro + "-rstate"} {
		file := only(t, out+"/"+name+"_*.deb")
		copied(t, file, filepath.Join(m.folder, "tmp", name+".deb"))
		packages = append(packages, "/tmp/"+name+".deb")
	}
	ignored := func(name string) bool {
		switch name {
		case ".host", "proc", "dev", "tmp", "var/lib/dpkg", "var/log", "root":
			return true
		}
		return false
	}
	before := files(t, m.folder, ignored)
	dpkg := append([]string{"dpkg", "--force-unsafe-io", "-i"}, packages...)
	m.do(t, 0, m.plain(), dpkg...)

	const file = "/usr/share/rstate/config/demo.yaml"
	m.do(t, 0, m.plain(), "rstate", "rehearse", file)
	told := m.do(t, 4, m.plain(), "rstate", "run", file)
	if !strings.Contains(told, "this rstate works with "+m.distro+": source /opt/ros/"+m.distro+"/setup.bash") {
		t.Errorf("without ROS 2, run printed\n%s", told)
	}
	told = m.do(t, 4, m.sourced("other"), "rstate", "run", file)
	if !strings.Contains(told, "ROS 2 other is sourced, and this rstate works with "+m.distro+" only") {
		t.Errorf("where another distribution is sourced, run printed\n%s", told)
	}

	env := m.sourced(m.distro)
	if told := m.do(t, 0, env, "rstate", "version"); !strings.Contains(told, "built with ROS") {
		t.Errorf("where ROS 2 is sourced, there is\n%s", told)
	}
	// Where only the libraries are found, and PATH leads to the program without ROS, that one hands over.
	if told := m.do(t, 0, env, "/usr/bin/rstate", "version"); !strings.Contains(told, "built with ROS") {
		t.Errorf("/usr/bin/rstate does not hand over:\n%s", told)
	}
	for _, words := range []string{"/lidar /slam /camera", "/arm_driver --arm"} {
		bed.StartCommand(t, "nodes "+words,
			bed.Command{Args: m.command(env, append([]string{"rstate", "node"}, strings.Fields(words)...)...)})
	}
	p := bed.StartCommand(t, "rstate run", bed.Command{Args: m.command(env, "rstate", "run", file, "--log", "json")})
	m.do(t, 0, env, "rstate", "watch", "--wait", "--until", "unconfigured", "--for", "30s")
	send := func(command string) (string, error) {
		args := m.command(env, "rstate", "send", command)
		told, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		return string(told), err
	}
	stall.Again(t, "a command", func() string {
		if told, err = send("active"); err != nil {
			return told
		}
		return ""
	}, func(lower string) { _, _ = send(lower) })
	if err != nil {
		t.Fatalf("send active: %v\n%s", err, told)
	}
	// The doctor looks once. If a node answers late, that is a fault, but not one of the package.
	doctor := m.command(env, "rstate", "doctor")
	findings, err := exec.Command(doctor[0], doctor[1:]...).CombinedOutput()
	if exit := new(exec.ExitError); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) ||
		!strings.Contains(string(findings), m.distro) {
		t.Errorf("the doctor: %v, and it said\n%s", err, findings)
	}
	p.Signal(syscall.SIGTERM)
	if code := p.Wait(t); code != 0 {
		t.Errorf("run ended with exit code %d\n%s", code, p.Log())
	}
	m.do(t, 0, m.plain(), "dpkg", "--force-unsafe-io", "-r", "ros-"+m.distro+"-rstate", "rstate")
	m.do(t, 0, m.plain(), "dpkg", "--force-unsafe-io", "-P", "ros-"+m.distro+"-rstate", "rstate")
	if after := files(t, m.folder, ignored); !slices.Equal(before, after) {
		t.Errorf("it left %v, and took %v", without(after, before), without(before, after))
	}
}

// TestAPrefixOfItsOwnWorksWithTheSourcedROS: what make install writes, a wheel has too. The program beside which the one
// for ROS 2 lies starts it, with the interfaces that came with it, and uninstalling leaves nothing.
func TestAPrefixOfItsOwnWorksWithTheSourcedROS(t *testing.T) {
	program, err := daemon.Build(folder)
	if err != nil {
		t.Fatal(err)
	}
	prefixes := filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH"))
	destdir, distro := t.TempDir(), os.Getenv("ROS_DISTRO")
	where := []string{"-prefix", "/robot", "-destdir", destdir}
	runDist(t, append([]string{"install", "-program", host() + "=" + withoutROS(t),
		"-ros", distro + "=" + program + "," + prefixes[0]}, where...)...)

	env := os.Environ()
	for _, name := range []string{"AMENT_PREFIX_PATH", "LD_LIBRARY_PATH"} {
		kept := slices.DeleteFunc(filepath.SplitList(os.Getenv(name)), func(one string) bool {
			return one == prefixes[0] || strings.HasPrefix(one, prefixes[0]+"/")
		})
		env = append(env, name+"="+strings.Join(kept, ":")) // os/exec takes the last one
	}
	env = append(env, "ROS_HOME="+t.TempDir())
	rstate := destdir + "/robot/bin/rstate"
	bed.StartCommand(t, "rstate run", bed.Command{Args: []string{rstate, "run", destdir + "/robot/share/rstate/config/demo.yaml"},
		Env: env})
	bed.Eventually(t, "the daemon answers", func() (string, bool) {
		cmd := exec.Command(rstate, "status")
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		return string(out), err == nil
	})
	runDist(t, append([]string{"uninstall"}, where...)...)
	if left := files(t, destdir, func(string) bool { return false }); len(left) != 2 { // the folder, and the prefix
		t.Errorf("it left %v", left)
	}
}

func copied(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
