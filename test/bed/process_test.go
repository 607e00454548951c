package bed

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestEnvironmentKeepsTestsApart(t *testing.T) {
	for name, want := range environment(shared.folder, shared.folder+"/fast-discovery.xml") {
		if got := os.Getenv(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if _, err := strconv.Atoi(os.Getenv("ROS_DOMAIN_ID")); err != nil {
		t.Errorf("no domain: %v", err)
	}
	p := Start(t, "child", "sh", "-c", `cat "$FASTDDS_DEFAULT_PROFILES_FILE"; echo domain $ROS_DOMAIN_ID`)
	if code := p.Wait(t); code != 0 || p.Log() != fastProfile(usualLease)+"domain "+os.Getenv("ROS_DOMAIN_ID")+"\n" {
		t.Errorf("a child: got %d and %s", code, p.Log())
	}
}

// If the system allows a process to have a private shared memory, this one has, and it began empty.
func TestSharedMemoryIsOurOwn(t *testing.T) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 && !strings.Contains(string(text), " "+sharedMemory+" rw") {
		t.Errorf("it is not:\n%s", text)
	}
	outer, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/mnt", os.Getppid()))
	if err != nil {
		t.Skip("left out: the parent process cannot be inspected: " + err.Error())
	}
	if inner, err := os.Readlink("/proc/self/ns/mnt"); err != nil || inner == outer {
		t.Errorf("mounts are shared with the parent process: %v %v", inner, err)
	}
}

// In a private network there is only lo, and it works.
func TestNetworkIsOurOwn(t *testing.T) {
	if !apart {
		t.Skip("left out: this system does not let a process have a network of its own")
	}
	interfaces, err := net.Interfaces()
	if err != nil || len(interfaces) != 1 || interfaces[0].Flags&net.FlagUp == 0 || interfaces[0].Name != "lo" {
		t.Errorf("interfaces are %+v, %v", interfaces, err)
	}
}

func TestChildAndWhatItStartedAreGoneAfterTheTest(t *testing.T) {
	var child, grandchild int
	t.Run("inner", func(t *testing.T) {
		p := Start(t, "parent", "sh", "-c", "sleep 300 & echo $!; wait")
		Eventually(t, "the grandchild is named", func() (string, bool) {
			return p.Log(), strings.HasSuffix(p.Log(), "\n")
		})
		child = p.Pid()
		var err error
		if grandchild, err = strconv.Atoi(strings.TrimSpace(p.Log())); err != nil {
			t.Fatal(err)
		}
		if !alive(child) || !alive(grandchild) {
			t.Fatal("the processes do not run")
		}
	})
	if alive(child) {
		t.Error("the child still runs")
	}
	Eventually(t, "the grandchild has ended",
		func() (string, bool) { return strconv.Itoa(grandchild), !running(grandchild) })
}

// running is false for a zombie, which only waits for its parent.
func running(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(after, "Z")
}

func TestGuardEndsWhatAKilledRunLeaves(t *testing.T) {
	left := exec.Command("sleep", "300")
	left.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	ended := exec.Command("sleep", "300")
	ended.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	for _, cmd := range []*exec.Cmd{left, ended} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	}
	keeper := exec.Command("sh", "-c", guardScript)
	keeper.Stdin = strings.NewReader("+ " + strconv.Itoa(left.Process.Pid) + "\n+ " + strconv.Itoa(ended.Process.Pid) +
		"\n- " +
		strconv.Itoa(ended.Process.Pid) + "\n") // followed by EOF, as if the run was killed
	if out, err := keeper.CombinedOutput(); err != nil && len(out) > 0 {
		t.Fatalf("%v: %s", err, out)
	}
	Eventually(t, "the process that was left is killed", func() (string, bool) {
		return "", !running(left.Process.Pid)
	})
	if !running(ended.Process.Pid) {
		t.Error("a process was killed whose end was reported: another process may have its id by then")
	}
}

func TestFreezeAndThaw(t *testing.T) {
	p := Start(t, "sleeper", "sleep", "300")
	state := func(want string) func() (string, bool) {
		return func() (string, bool) {
			text, err := os.ReadFile("/proc/" + strconv.Itoa(p.Pid()) + "/stat")
			if err != nil {
				return err.Error(), false
			}
			_, after, _ := strings.Cut(string(text), ") ")
			return after[:1], after[:1] == want
		}
	}
	p.Freeze()
	Eventually(t, "it is stopped", state("T"))
	p.Thaw()
	Eventually(t, "it goes on", state("S"))
	p.Signal(syscall.SIGTERM)
	if code := p.Wait(t); code != -1 {
		t.Errorf("got %d", code)
	}
	p.Signal(syscall.SIGTERM) // has no effect
}

func TestPollLooksUntilTheEnd(t *testing.T) {
	looks := 0
	rest := func() { time.Sleep(time.Millisecond) }
	seen, ok := poll(50*time.Millisecond, rest, func() (string, bool) { looks++; return strconv.Itoa(looks), false })
	if ok || looks < 2 || seen != strconv.Itoa(looks) {
		t.Errorf("got %q, %v after %d looks", seen, ok, looks)
	}
	looks = 0
	if seen, ok := poll(Deadline, rest, func() (string, bool) { looks++; return strconv.Itoa(looks), looks == 3 }); !ok || seen != "3" {
		t.Errorf("got %q, %v", seen, ok)
	}
}

func TestReportHasWhatTheTestsProcessesSaid(t *testing.T) {
	p := Start(t, "talker", "sh", "-c", "echo here it is")
	p.Wait(t)
	if report := logs(t); !strings.Contains(report, "--- talker said:\nhere it is\n") {
		t.Errorf("got %s", report)
	}
}

func TestUniqueNamesDiffer(t *testing.T) {
	if a, b := Unique(t, "x"), Unique(t, "x"); a == b {
		t.Errorf("twice %s", a)
	}
}
