//go:build ros

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"rstate/config"
	"rstate/internal/client"
	"rstate/test/bed"
	"rstate/test/bed/stall"
)

// beRstate makes the test's own binary rstate itself, for itself and for what it starts.
const beRstate = "RSTATE_TEST_BE_RSTATE"

// demoFiles is a folder in place of config.Files, for what the test's own binary does as rstate.
const demoFiles = "RSTATE_TEST_DEMO_FILES"

// looksLong lets a demo look for a long time for the nodes of other programs.
const looksLong = "RSTATE_TEST_LOOKS_LONG"

func TestMain(m *testing.M) {
	if os.Getenv(beRstate) != "" {
		if dir := os.Getenv(demoFiles); dir != "" {
			config.Files = os.DirFS(dir)
		}
		if os.Getenv(looksLong) != "" {
			meetIn = 10 * time.Second
		}
		main()
	}
	lookFor = 50 * time.Millisecond // in this process, whose tests have no daemon
	os.Exit(bed.Main(m))
}

// rstate starts a command line as a process.
func rstate(t *testing.T, args ...string) *bed.Process {
	t.Helper()
	return bed.StartCommand(t, "rstate "+args[0], bed.Command{
		Args: append([]string{os.Args[0]}, args...), Env: []string{beRstate + "=1"},
	})
}

// do runs a command line to its end.
func do(t *testing.T, want int, args ...string) (said string) {
	t.Helper()
	var code int
	timely(t, args, func() (int, string) {
		p := rstate(t, args...)
		code = p.Wait(t)
		said = p.Log()
		return code, said
	})
	if code != want {
		t.Errorf("rstate %s: code %d, want %d; it said:\n%s", strings.Join(args, " "), code, want, said)
	}
	return said
}

// timely runs a command line. It sends a command again that failed because the daemon got no time from this machine.
func timely(t *testing.T, args []string, run func() (code int, said string)) {
	t.Helper()
	stall.Again(t, "rstate "+strings.Join(args, " "), func() string {
		if code, said := run(); (args[0] == "send" || args[0] == "sim") && code != exitDone {
			return said
		}
		return ""
	}, func(command string) {
		lower := []string{"send", command}
		if k := slices.Index(args, "--node"); k > 0 {
			lower = append(lower, args[k:k+2]...)
		}
		rstate(t, lower...).Wait(t)
	})
}

// unlessItStands does something that fails if the daemon does not run for a while, and does it again if that was so.
// It returns what is wrong; still reports whether the daemon has stood still since it began.
func unlessItStands(t *testing.T, daemon *bed.Process, does func(still func() bool) (wrong string)) {
	t.Helper()
	bed.Eventually(t, "the daemon runs as long as it has to", func() (string, bool) {
		before := stall.Count(daemon.Log())
		still := func() bool { return stall.Count(daemon.Log()) > before }
		wrong := does(still)
		if wrong != "" && (still() || stall.Refused(wrong)) {
			t.Logf("it is done again, since the daemon did not run for a while: %s", wrong)
			return wrong, false
		}
		if wrong != "" {
			t.Error(wrong)
		}
		return wrong, true
	})
}

// begins waits until the daemon says a text more often than before, or the client has ended.
func begins(t *testing.T, daemon, client *bed.Process, text string, before int) {
	t.Helper()
	bed.Eventually(t, daemon.Name+" says "+text, func() (string, bool) {
		return "", strings.Count(daemon.Log(), text) > before || hasEnded(client)
	})
}

// hasEnded reports whether a process has ended.
func hasEnded(p *bed.Process) bool {
	select {
	case <-p.Done():
		return true
	default:
		return false
	}
}

// staysArmed waits until a daemon that was armed shows a node that is armed, and returns what it shows. It arms again
// if the daemon says that it has disarmed because it did not run for a while.
func staysArmed(t *testing.T, name, armed string) (status string) {
	t.Helper()
	bed.Eventually(t, name+" is armed", func() (string, bool) {
		status = do(t, exitDone, "status", "--node", name)
		is := strings.Contains(status, ", armed")
		if !is && stall.Said(status) {
			do(t, exitDone, "send", armed, "--node", name)
		}
		return status, is
	})
	return status
}

// comesToSay runs a command line until it ends with the code and says all the parts: what it looks for may answer late.
func comesToSay(t *testing.T, want int, parts []string, args ...string) {
	t.Helper()
	bed.Eventually(t, fmt.Sprintf("rstate %s says %q", strings.Join(args, " "), parts), func() (string, bool) {
		p := rstate(t, args...)
		code, said := p.Wait(t), p.Log()
		missed := slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(said, part) })
		return fmt.Sprint(code, "\n", said), code == want && !missed
	})
}

func says(t *testing.T, p *bed.Process, text string) {
	t.Helper()
	bed.Eventually(t, p.Name+" says "+text, func() (string, bool) { return "", strings.Contains(p.Log(), text) })
}

// twoNodes writes the file of a network of two nodes with unique names.
func twoNodes(t *testing.T) (file, lidar, arm string) {
	t.Helper()
	lidar, arm = "/"+bed.Unique(t, "lidar"), "/"+bed.Unique(t, "arm")
	return networkFile(t, fmt.Sprintf("simulation: %s\nproof: 10s\nnodes:\n  %s: {}\n  %s: {after: [%s], arm: {}}\n",
		bed.Unique(t, "demo"), lidar, arm, lidar)), lidar, arm
}

// children lists the processes that p has started.
func children(t *testing.T, p *bed.Process) []string {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended meanwhile
		}
		after := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if after[1] == strconv.Itoa(p.Pid()) {
			list = append(list, filepath.Dir(file))
		}
	}
	return list
}

// gone reports whether a process has ended. A zombie counts as ended.
func gone(proc string) bool {
	text, err := os.ReadFile(proc + "/stat")
	return err != nil || strings.Contains(string(text[strings.LastIndexByte(string(text), ')'):]), " Z ")
}

func TestUpTakesCommandsAndEndsInOrder(t *testing.T) {
	for name, signal := range map[string]func(*bed.Process){
		"Ctrl-C reaches the whole group": func(p *bed.Process) { _ = syscall.Kill(-p.Pid(), syscall.SIGINT) },
		"SIGINT to it alone":             func(p *bed.Process) { p.Signal(syscall.SIGINT) },
		"SIGTERM to it alone":            func(p *bed.Process) { p.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			file, _, arm := twoNodes(t)
			daemon := bed.Unique(t, "rstate")
			up := rstate(t, "up", file, "--ros-args", "-r", "__node:="+daemon)
			says(t, up, "send arm --node /"+daemon)
			for _, command := range []string{"active", "arm"} {
				do(t, exitDone, "send", command, "--node", daemon)
			}
			bed.Eventually(t, "a rejected command says what is legal while the network is armed", func() (string, bool) {
				status := staysArmed(t, daemon, "armed")
				said := do(t, exitRejected, "send", "configure", "--node", daemon)
				return status + said, strings.Contains(status, "active, armed") && strings.Contains(said, "legal now: disarm")
			})
			nodes := children(t, up)
			signal(up)
			if code := up.Wait(t); code != exitDone {
				t.Errorf("it ended with %d; it said:\n%s", code, up.Log())
			}
			for _, proc := range nodes {
				if !gone(proc) {
					t.Errorf("%s is left", proc)
				}
			}
			disarmed := strings.Index(up.Log(), arm+"  disarmed")
			if ended := strings.Index(up.Log(), "the process has ended"); disarmed < 0 || ended < disarmed {
				t.Errorf("the nodes ended before %s was disarmed:\n%s", arm, up.Log())
			}
		})
	}
}

// The middleware as people have it: its own transports, and no profile but the one that we bring.
func TestStockSettings(t *testing.T) {
	scratch := t.TempDir()
	ownSettings(t)
	t.Setenv("TMPDIR", scratch)
	file, _, _ := twoNodes(t)
	daemon := bed.Unique(t, "rstate")
	up := rstate(t, "up", file, "--ros-args", "-r", "__node:="+daemon)
	says(t, up, "send arm")
	do(t, exitDone, "send", "armed", "--node", daemon)
	if said := staysArmed(t, daemon, "armed"); !strings.Contains(said, "active, armed") {
		t.Errorf("status said:\n%s", said)
	}
	up.Signal(syscall.SIGINT)
	if code := up.Wait(t); code != exitDone || strings.Contains(up.Log(), "XML") {
		t.Errorf("it ended with %d; it said:\n%s", code, up.Log())
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestWhatUpStartedEndsWithItWhenItIsKilled(t *testing.T) {
	file, _, _ := twoNodes(t)
	up := rstate(t, "up", file, "--ros-args", "-r", "__node:="+bed.Unique(t, "rstate"))
	says(t, up, "send arm")
	procs := children(t, up)
	if len(procs) != 3 {
		t.Fatalf("it has started %v", procs)
	}
	up.Signal(syscall.SIGKILL)
	for _, proc := range procs {
		bed.Eventually(t, proc+" ends", func() (string, bool) { return "", gone(proc) })
	}
}

// startNetwork starts a daemon, and its nodes with the options in one process.
func startNetwork(t *testing.T, options ...string) (daemonName string, daemon *bed.Process) {
	t.Helper()
	file, lidar, arm := twoNodes(t)
	daemonName = bed.Unique(t, "rstate")
	rstate(t, append([]string{"node", lidar, arm, "--arm", "--lease", "/" + daemonName + "/arm_lease", "--log", "text"},
		options...)...)
	daemon = rstate(t, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+daemonName)
	says(t, daemon, "the network is unconfigured")
	return daemonName, daemon
}

func TestSendSaysWhichNodeRefused(t *testing.T) {
	name, _ := startNetwork(t, "--fail", "activate")
	do(t, exitDone, "send", "configure", "--node", name)
	if said := do(t, exitFailed, "send", "activate", "--node", name); !strings.Contains(said, "activate refused") {
		t.Errorf("it said:\n%s", said)
	}
}

func TestSendPrintsTheResultAsJSON(t *testing.T) {
	name, _ := startNetwork(t)
	said := do(t, exitDone, "send", "configure", "--node", name, "-o", "json")
	var result struct {
		Success bool
		State   struct{ Label string }
		Nodes   []struct{ Name, Verdict string }
	}
	if err := json.Unmarshal([]byte(said[strings.Index(said, "{"):]), &result); err != nil {
		t.Fatalf("%v in:\n%s", err, said)
	}
	if !result.Success || result.State.Label != "inactive" || len(result.Nodes) != 2 {
		t.Errorf("got %+v", result)
	}
}

func TestCtrlCOnSendCancelsAndWaitsForTheUndo(t *testing.T) {
	name, daemon := startNetwork(t, "--configure-delay", "5s")
	const began = "configure: from unconfigured"
	unlessItStands(t, daemon, func(func() bool) (wrong string) {
		comesToSay(t, exitDone, nil, "send", "unconfigured", "--node", name)
		before := strings.Count(daemon.Log(), began)
		p := rstate(t, "send", "configure", "--node", name)
		begins(t, daemon, p, began, before)
		p.Signal(syscall.SIGINT)
		if code := p.Wait(t); code != exitCancelled {
			return fmt.Sprintf("it ended with %d; it said:\n%s", code, p.Log())
		}
		if said := do(t, exitDone, "status", "--node", name); !strings.Contains(said, name+" (simulation") ||
			!strings.Contains(said, ": unconfigured") {
			return "status said:\n" + said
		}
		return ""
	})
}

// TestSendWithAnIDThatWasUsed: a disarm disarms, whatever its id was used for, and a raising command says why it does
// not run again.
func TestSendWithAnIDThatWasUsed(t *testing.T) {
	name, _ := startNetwork(t)
	disarmed := func() {
		t.Helper()
		if said := do(t, exitDone, "status", "--node", name, "-o", "json"); strings.Contains(said, `"label": "armed"`) {
			t.Errorf("it is armed; status said:\n%s", said)
		}
	}
	do(t, exitDone, "send", "armed", "--node", name, "--id", "up")
	do(t, exitDone, "send", "disarm", "--node", name, "--id", "stop")
	do(t, exitDone, "send", "arm", "--node", name)
	staysArmed(t, name, "armed")
	do(t, exitDone, "send", "disarm", "--node", name, "--id", "stop")
	disarmed()
	if said := do(t, exitRejected, "send", "armed", "--node", name, "--id", "up"); !strings.Contains(said,
		"id used before, and the state has changed since") {
		t.Errorf("it said:\n%s", said)
	}
	disarmed()
}

// TestCtrlCOnSendDoesNotCancelALowering: the client ends, and the command goes on. --cancel cancels it, and a client
// that is ended by another signal cancels nothing.
func TestCtrlCOnSendDoesNotCancelALowering(t *testing.T) {
	lowers, raises := []string{"--deactivate-delay", "5s"}, []string{"--activate-delay", "5s"}
	for name, c := range map[string]struct {
		nodes                 []string
		first, command, began string
		options               []string
		signal                syscall.Signal
		code                  int
		said, ends            string
	}{
		"a command": {lowers, "active", "deactivate", "deactivate: from active", nil, syscall.SIGINT, exitFailed,
			"deactivate goes on", ": inactive"},
		"a lower state": {lowers, "active", "inactive", "deactivate: from active", nil, syscall.SIGINT, exitFailed,
			"inactive goes on", ": inactive"},
		"with --cancel": {lowers, "active", "deactivate", "deactivate: from active", []string{"--cancel"},
			syscall.SIGINT, exitCancelled, "cancelling", ": active"},
		"SIGTERM, upwards": {raises, "inactive", "activate", "activate: from inactive", nil, syscall.SIGTERM, exitFailed,
			"activate goes on", ": active"},
		"an id of 300 byte": {lowers, "active", "deactivate", "deactivate: from active",
			[]string{"--id", strings.Repeat("x", 300)}, syscall.SIGINT, exitFailed, "deactivate goes on", ": inactive"},
	} {
		t.Run(name, func(t *testing.T) {
			daemonName, daemon := startNetwork(t, c.nodes...)
			unlessItStands(t, daemon, func(still func() bool) (wrong string) {
				comesToSay(t, exitDone, nil, "send", "unconfigured", "--node", daemonName)
				do(t, exitDone, "send", c.first, "--node", daemonName)
				begun := strings.Count(daemon.Log(), c.began)
				p := rstate(t, append([]string{"send", c.command, "--node", daemonName}, c.options...)...)
				begins(t, daemon, p, c.began, begun)
				p.Signal(c.signal)
				if code := p.Wait(t); code != c.code || !strings.Contains(p.Log(), c.said) {
					return fmt.Sprintf("it ended with %d; it said:\n%s", code, p.Log())
				}
				var said string
				bed.Eventually(t, "the network is"+c.ends, func() (string, bool) {
					said = do(t, exitDone, "status", "--node", daemonName)
					return said, strings.Contains(said, c.ends) || still()
				})
				if !strings.Contains(said, c.ends) {
					return "status said:\n" + said
				}
				return ""
			})
		})
	}
}

func TestSendNoticesThatItsDaemonDied(t *testing.T) {
	name, daemon := startNetwork(t, "--configure-delay", "60s")
	p := rstate(t, "send", "configure", "--node", name)
	says(t, daemon, "configure: from unconfigured")
	daemon.Kill()
	if code := p.Wait(t); code != exitNoROS || !strings.Contains(p.Log(), "fallen silent, its process has died") {
		t.Errorf("it ended with %d; it said:\n%s", code, p.Log())
	}
}

// TestSendFromAnotherContainer: the client shares the files and the network of the daemon's host, but does not see
// which process holds a lock.
func TestSendFromAnotherContainer(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("left out: only root may give a process process ids of its own")
	}
	name, _ := startNetwork(t, "--configure-delay", "1500ms")
	inside := []string{"sh", "-c", `mount --make-rprivate / && mount -t proc none /proc && exec "$@"`, "container",
		os.Args[0], "send", "configure", "--node", name}
	code, said := exitFailed, ""
	timely(t, []string{"send", "configure", "--node", name}, func() (int, string) {
		p := bed.StartCommand(t, "rstate send", bed.Command{
			Args: inside, Env: []string{beRstate + "=1"}, Namespaces: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS,
		})
		code = p.Wait(t)
		said = p.Log()
		return code, said
	})
	if code != exitDone {
		t.Errorf("it ended with %d; it said:\n%s", code, said)
	}
}

// TestSendWaitsForABusyDaemon: the client waits for a daemon that is in the graph but does not answer, and says so. The
// daemon takes the goal when it answers again. The goal is a shutdown, because of A8 a goal that raises waits for the
// reads.
func TestSendWaitsForABusyDaemon(t *testing.T) {
	name, daemon := startNetwork(t)
	daemon.Signal(syscall.SIGSTOP)
	p := rstate(t, "send", "shutdown", "--node", name, "--timeout", "25s")
	says(t, p, fmt.Sprintf("/%s runs on this host as process %d, but has not answered for 2s", name, daemon.Pid()))
	daemon.Signal(syscall.SIGCONT)
	if code := p.Wait(t); code != exitDone {
		t.Errorf("it ended with %d; it said:\n%s", code, p.Log())
	}
}

// TestSendGivesUpInTheTimeThatItIsGiven, and says that it is a matter of waiting.
func TestSendGivesUpInTheTimeThatItIsGiven(t *testing.T) {
	name, daemon := startNetwork(t)
	daemon.Signal(syscall.SIGSTOP)
	for _, args := range [][]string{{"send", "configure"}, {"status"}} {
		if said := do(t, exitNoROS, append(args, "--node", name, "--timeout", "1s")...); !strings.Contains(said,
			"has not answered for 1s") || !strings.Contains(said, "--timeout") {
			t.Errorf("%s said:\n%s", args[0], said)
		}
	}
}

// TestSendFollowsABusyDaemon: one that stands still in the middle of a goal is waited for, too.
func TestSendFollowsABusyDaemon(t *testing.T) {
	name, daemon := startNetwork(t, "--configure-delay", "60s")
	p := rstate(t, "send", "configure", "--node", name, "--timeout", "25s")
	says(t, daemon, "configure: from unconfigured")
	daemon.Signal(syscall.SIGSTOP)
	says(t, p, "/"+name+" is in the graph, but has given no sign of life for 2s")
	daemon.Signal(syscall.SIGCONT)
	if code := p.Wait(t); code != exitFailed { // what it had begun before it stood still has ended (A8)
		t.Errorf("it ended with %d; it said:\n%s", code, p.Log())
	}
}

// TestSendFindsTheOneThatTookItsPlace: a daemon that was killed a moment ago is still in the graph when its successor
// takes the goal.
func TestSendFindsTheOneThatTookItsPlace(t *testing.T) {
	file, lidar, arm := twoNodes(t)
	rstate(t, "node", lidar, arm, "--arm", "--log", "text")
	name := bed.Unique(t, "rstate")
	run := []string{"run", file, "--log", "text", "--ros-args", "-r", "__node:=" + name}
	first := rstate(t, run...)
	says(t, first, "the network is unconfigured")
	first.Kill()
	p := rstate(t, "send", "configure", "--node", name, "--timeout", "25s")
	second := rstate(t, run...)
	code, said := p.Wait(t), p.Log()
	if code == exitRejected || stall.Refused(said) { // it was found before it had heard of both nodes, or it stood still
		says(t, second, "the network is unconfigured")
		do(t, exitDone, "send", "unconfigured", "--node", name)
		code, said = exitDone, do(t, exitDone, "send", "configure", "--node", name)
	}
	if code != exitDone || strings.Count(said, "the network is inactive") != 1 {
		t.Errorf("it ended with %d; it said:\n%s", code, said)
	}
}

func TestNobodyToSendTo(t *testing.T) {
	for _, verb := range [][]string{{"send", "active"}, {"status"}} {
		said := do(t, exitNoROS, append(verb, "--node", "/nobody")...)
		if strings.Count(said, "\n") != 1 || !strings.Contains(said, "rstate run FILE") {
			t.Errorf("it said:\n%s", said)
		}
	}
}

func TestDaemonEndsWithTheNetwork(t *testing.T) {
	name, daemon := startNetwork(t)
	do(t, exitDone, "send", "shutdown", "--node", name)
	if code := daemon.Wait(t); code != exitDone {
		t.Errorf("it ended with %d", code)
	}
}

func TestOptionsOfROSVerbs(t *testing.T) {
	file, _, _ := twoNodes(t)
	for name, c := range map[string]struct {
		args []string
		errs string
	}{
		"run without a file":           {[]string{"run"}, "no network file is given"},
		"run of no file":               {[]string{"run", "/nowhere.yaml"}, "there is no such file"},
		"up of no file":                {[]string{"up", "/nowhere.yaml"}, "there is no such file"},
		"a log level that is none":     {[]string{"run", file, "--log-level", "loud"}, "write one of info"},
		"ROS arguments that are none":  {[]string{"run", file, "--ros-args", "-r", "x"}, "--ros-args"},
		"send without a command":       {[]string{"send"}, "COMMAND is missing"},
		"send with two commands":       {[]string{"send", "a", "b"}, "is too much"},
		"an option that is misspelt":   {[]string{"send", "a", "--reson", "x"}, "did you mean --reason?"},
		"a form that is none":          {[]string{"status", "-o", "xml"}, "write one of table"},
		"a node without a name":        {[]string{"node"}, "NAME… is missing"},
		"a node that fails at nothing": {[]string{"node", "/a", "--fail", "sing"}, "write one of configure"},
		"no nodes at all":              {[]string{"node", "/a", "--count", "0"}, "1 or more"},
		"a delay that is none":         {[]string{"node", "/a", "--configure-delay", "soon"}, "configure-delay"},
	} {
		t.Run(name, func(t *testing.T) {
			if code, _, errs := invoke(c.args...); code != exitBadInput || !strings.Contains(errs, c.errs) {
				t.Errorf("code %d, %q, want %q", code, errs, c.errs)
			}
		})
	}
}

func TestInterruptedIsCancelled(t *testing.T) {
	var said strings.Builder
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	conn, err := client.New("/nobody", nil, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = conn.State(ctx)
	if code := codeOf(&env{err: &said}, err); code != exitCancelled ||
		!strings.Contains(said.String(), `before "/nobody" was found`) {
		t.Errorf("got %d and %s", code, said.String())
	}
}

func TestSignalsInARowAreOneWish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		raw, wishes := make(chan os.Signal), make(chan os.Signal, 4)
		go distinct(raw, wishes)
		raw <- syscall.SIGINT
		raw <- syscall.SIGTERM
		time.Sleep(again / 2)
		raw <- syscall.SIGINT
		time.Sleep(again)
		raw <- syscall.SIGTERM
		close(raw)
		synctest.Wait()
		if len(wishes) != 2 || <-wishes != syscall.SIGINT || <-wishes != syscall.SIGTERM {
			t.Error("want the first SIGINT and the last SIGTERM")
		}
	})
}

// TestDomainThatCannotBe: the middleware would end the process over it, without a word.
func TestDomainThatCannotBe(t *testing.T) {
	for _, domain := range []string{"233", "-1", "x"} {
		t.Setenv("ROS_DOMAIN_ID", domain)
		for _, args := range [][]string{{"status"}, {"node", "/x"}, {"run", "../../config/demo.yaml"}} {
			if code, _, errs := invoke(args...); code != exitBadInput ||
				!has(errs, "ROS_DOMAIN_ID is \""+domain+"\"") || !has(errs, "0 to 101") {
				t.Errorf("%v in domain %s: code %d, %q", args, domain, code, errs)
			}
		}
	}
}
