package service

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	packaged = "../../packaging/systemd"
	// mostExposed is the highest exposure that systemd-analyze may see, in tenths; 100 is a service
	// without any limit. Versions weigh the limits differently: judged is the one whose number docs/service.md has, and others
	// may see more, up to mostElsewhere.
	judged, mostExposed, mostElsewhere = 252, 17, 25
	// offline is the first version that judges a unit that is not installed.
	offline = 250
	wrapper = "/usr/lib/rstate/with-ros"
)

// unit is the settings of a unit file, by section and name, in their order.
type unit map[string][]string

// units returns the units that are packaged, by file name.
func units(t *testing.T) map[string]unit {
	t.Helper()
	found := map[string]unit{}
	files, err := filepath.Glob(packaged + "/*.service")
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		found[filepath.Base(file)] = read(t, file)
	}
	return found
}

func read(t *testing.T, file string) unit {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	u, section := unit{}, ""
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		name, value, is := strings.Cut(line, "=")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			section = strings.Trim(line, "[]")
		case !is || section == "":
			t.Errorf("%s, line %d: %q is no setting", file, n+1, line)
		default:
			u[section+"."+name] = append(u[section+"."+name], value)
		}
	}
	return u
}

func (u unit) is(t *testing.T, name, key string, want ...string) {
	t.Helper()
	if got := u[key]; !slices.Equal(got, want) {
		t.Errorf("%s: %s is %q, want %q", name, key, got, want)
	}
}

// TestS11UnitsStopInOrder: what the daemon needs of its manager. The exit codes that end the
// restarts are those of bad input and of a taken name; GOTRACEBACK keeps a crash apart from them.
func TestS11UnitsStopInOrder(t *testing.T) {
	all := units(t)
	for name, u := range all {
		u.is(t, name, "Service.Type", "notify")
		u.is(t, name, "Service.NotifyAccess", "main")
		u.is(t, name, "Service.KillMode", "mixed")
		u.is(t, name, "Service.KillSignal", "SIGTERM")
		u.is(t, name, "Service.User", "rstate")
		u.is(t, name, "Service.StateDirectory", "rstate")
		u.is(t, name, "Service.RuntimeDirectoryPreserve", "yes")
		if e := strings.Fields(strings.Join(u["Service.Environment"], " ")); !slices.Contains(e, "GOTRACEBACK=crash") ||
			!slices.Contains(e, "ROS_HOME=/var/lib/rstate") || !slices.Contains(e, "XDG_RUNTIME_DIR=/run/rstate") {
			t.Errorf("%s: the environment is %q", name, e)
		}
		if start := u["Service.ExecStart"]; len(start) != 1 || !strings.HasPrefix(start[0], wrapper+" rstate ") {
			t.Errorf("%s starts with %q", name, start)
		}
		if len(u["Service.WatchdogSec"]) != 1 || len(u["Unit.Wants"]) != 1 || u["Unit.Wants"][0] != u["Unit.After"][0] {
			t.Errorf("%s has no watchdog, or does not come after what it wants: %v", name, u)
		}
	}
	all["rstate@.service"].is(t, "rstate@", "Service.Restart", "on-failure")
	all["rstate@.service"].is(t, "rstate@", "Service.RestartPreventExitStatus", "2 3")
	guard := all["rstate-guard@.service"]
	guard.is(t, "rstate-guard@", "Service.Restart", "always")
	guard.is(t, "rstate-guard@", "Unit.StartLimitIntervalSec", "0")
	guard.is(t, "rstate-guard@", "Unit.Before", "rstate@%i.service")
	for _, key := range []string{"Unit.Requires", "Unit.BindsTo", "Unit.PartOf"} {
		guard.is(t, "rstate-guard@", key)
	}
}

// TestUnitsAreHardenedAlike: what one unit may not do, no other may.
func TestUnitsAreHardenedAlike(t *testing.T) {
	hard := regexp.MustCompile(`^Service\.(Protect|Private|Restrict[A-Z]|System|No|Cap|Ambient|Lock|Memory|Device|` +
		`Keyring|UMask)`)
	not := []string{"Service.RestartPreventExitStatus", "Service.RestartSec"}
	limits := func(u unit) string {
		var lines []string
		for key, values := range u {
			if hard.MatchString(key) && !slices.Contains(not, key) {
				lines = append(lines, key+"="+strings.Join(values, " "))
			}
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	all := units(t)
	want := limits(all["rstate@.service"])
	if len(strings.Split(want, "\n")) < 20 {
		t.Fatalf("only these limits were found:\n%s", want)
	}
	for name, u := range all {
		if got := limits(u); got != want {
			t.Errorf("%s has the limits\n%s\nand rstate@ has\n%s", name, got, want)
		}
		// A process of another user that is hidden, or a user namespace of its own, would keep the daemon
		// from noticing the end of nodes (internal/procs).
		for _, key := range []string{"Service.ProtectProc", "Service.ProcSubset", "Service.PrivateUsers",
			"Service.PrivateNetwork"} {
			u.is(t, name, key)
		}
	}
}

// leaveOut leaves a test out by name. In CI that is an error.
func leaveOut(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip("left out: " + why)
}

// analyze asks systemd-analyze, and returns what it says.
func analyze(t *testing.T, args ...string) (said string, err error) {
	t.Helper()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		leaveOut(t, "there is no systemd-analyze, which is in Debian's package systemd")
	}
	out, err := exec.Command("systemd-analyze", args...).CombinedOutput()
	return string(out), err
}

// here copies a unit, as an instance where it is a template, with the wrapper of this tree, and
// returns the copy. systemd looks whether a unit's program is there.
func here(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(packaged, name))
	if err != nil {
		t.Fatal(err)
	}
	own, err := filepath.Abs(packaged + "/with-ros")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), wrapper); n != 1 {
		t.Fatalf("%s names %s %d times", name, wrapper, n)
	}
	copied := filepath.Join(folder, strings.Replace(filepath.Base(name), "@.", "@cart.", 1))
	if err := os.WriteFile(copied, []byte(strings.Replace(string(text), wrapper, own, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return copied
}

// TestUnitsAreVerified by systemd: each key, section and value is one that it knows, and the order
// has no cycle.
func TestUnitsAreVerified(t *testing.T) {
	folder := t.TempDir()
	args := []string{"verify", "--man=no"}
	for name := range units(t) {
		args = append(args, here(t, folder, name))
	}
	hook, err := os.ReadFile(packaged + "/examples/rstate-hook.service")
	if err != nil {
		t.Fatal(err)
	}
	own, _ := filepath.Abs(packaged + "/with-ros")
	copied := filepath.Join(folder, "rstate-hook.service")
	if err := os.WriteFile(copied, []byte(strings.Replace(string(hook), wrapper, own, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := analyze(t, append(args, copied)...); err != nil || strings.Contains(said, folder) ||
		strings.Contains(said, "rstate") {
		t.Errorf("%v\n%s", err, said)
	}
}

// TestUnitsAreLittleExposed, as systemd judges it.
func TestUnitsAreLittleExposed(t *testing.T) {
	version, most := systemd(t), mostElsewhere
	switch {
	case version < offline:
		leaveOut(t, fmt.Sprintf("systemd-analyze is of version %d, and judges no unit that is not installed", version))
	case version == judged:
		most = mostExposed
	}
	folder := t.TempDir()
	for name := range units(t) {
		said, err := analyze(t, "security", "--offline=yes", "--no-pager", fmt.Sprintf("--threshold=%d", most), here(t, folder, name))
		if err != nil || !strings.Contains(said, "Overall exposure level") {
			t.Errorf("%s, as systemd %d judges it: %v\n%s", name, version, err, said)
		}
	}
}

// systemd returns the version of systemd-analyze.
func systemd(t *testing.T) int {
	t.Helper()
	said, err := analyze(t, "--version")
	version := regexp.MustCompile(`^systemd (\d+)`).FindStringSubmatch(said)
	if err != nil || version == nil {
		t.Fatalf("systemd-analyze says %q, %v", said, err)
	}
	n, err := strconv.Atoi(version[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestS11AStopSendsNothingToADaemonThatIsGone: systemd runs ExecStop of docs/service.md also after the daemon has ended,
// without MAINPID. If the line failed then, a daemon that was shut down would start again.
func TestS11AStopSendsNothingToADaemonThatIsGone(t *testing.T) {
	text, err := os.ReadFile("../../docs/service.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^ExecStop=(.*)$`).FindAllStringSubmatch(string(text), -1)
	if len(lines) != 1 {
		t.Fatalf("docs/service.md has %q", lines)
	}
	program := filepath.Join(t.TempDir(), "with-ros")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$@\"; exit 4\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	line := strings.Replace(lines[0][1], wrapper, program, 1)
	for main, want := range map[string]string{"": "", "MAINPID=17": "rstate send shutdown\n"} {
		cmd := exec.Command("sh", "-c", line) // it splits and quotes as systemd does
		cmd.Env = []string{main}
		out, _ := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); string(out) != want || (code == 0) != (want == "") {
			t.Errorf("with %q it says %q, and ends with %d; want %q", main, out, code, want)
		}
	}
}

// TestAnUpgradeKeepsTheEnvironment: the lines of docs/service.md that install the units also upgrade them.
func TestAnUpgradeKeepsTheEnvironment(t *testing.T) {
	text, err := os.ReadFile("../../docs/service.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^.*packaging/systemd/environment$`).FindString(string(text))
	if !strings.Contains(line, "/etc/rstate") {
		t.Fatalf("docs/service.md has the line %q", line)
	}
	etc := t.TempDir()
	file := filepath.Join(etc, "rstate/environment")
	install := func() string {
		t.Helper()
		cmd := exec.Command("sh", "-c", strings.ReplaceAll(line, "/etc/", etc+"/"))
		cmd.Dir = "../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got := install(); !strings.Contains(got, "#RSTATE_OPTIONS=") {
		t.Errorf("it installs %q", got)
	}
	if err := os.WriteFile(file, []byte("ROS_DOMAIN_ID=42\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := install(); got != "ROS_DOMAIN_ID=42\n" {
		t.Errorf("an upgrade makes of it %q", got)
	}
}

// TestTheUserOfTheUnitsIsMade by systemd-sysusers.
func TestTheUserOfTheUnitsIsMade(t *testing.T) {
	text, err := os.ReadFile(packaged + "/rstate.sysusers")
	if err != nil || !regexp.MustCompile(`(?m)^u rstate - "[^"]+" /var/lib/rstate$`).Match(text) {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestTheEnvironmentFileIsAnExample: every line is a comment or a variable in a comment, so that it
// changes nothing as it is.
func TestTheEnvironmentFileIsAnExample(t *testing.T) {
	text, err := os.ReadFile(packaged + "/environment")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if line != "" && !regexp.MustCompile(`^#( |$|[A-Z_]+=)`).MatchString(line) {
			t.Errorf("%q sets something", line)
		}
	}
	used := regexp.MustCompile(`\$(RSTATE_[A-Z_]+)`)
	for name, u := range units(t) {
		for _, m := range used.FindAllStringSubmatch(strings.Join(u["Service.ExecStart"], " "), -1) {
			if !strings.Contains(string(text), "#"+m[1]+"=") {
				t.Errorf("%s uses %s, which the environment file does not show", name, m[1])
			}
		}
	}
}
