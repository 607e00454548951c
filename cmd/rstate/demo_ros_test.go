//go:build ros

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"rstate/config"
	"rstate/internal/network"
	"rstate/internal/recording"
	"rstate/test/bed"
	"rstate/test/bed/stall"
)

// stock removes the middleware settings of the bed, so that the demo uses its own. It returns the
// folder for temporary files, which must be empty at the end.
func stock(t *testing.T) (scratch string) {
	t.Helper()
	for _, name := range []string{"FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE"} {
		t.Setenv(name, "") // so that it is back after the test
		os.Unsetenv(name)
	}
	scratch = t.TempDir()
	t.Setenv("TMPDIR", scratch)
	return scratch
}

// leavesNothing fails the test if a demo that has ended has left a process or a file.
func leavesNothing(t *testing.T, procs []string, scratch string) {
	t.Helper()
	for _, proc := range procs {
		if !gone(proc) {
			t.Errorf("%s is left", proc)
		}
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestDemosGoAsExpected plays every demo. The scenes at which the test looks for processes are each within the deadline
// of a condition.
func TestDemosGoAsExpected(t *testing.T) {
	for _, d := range demos() {
		t.Run(d.name, func(t *testing.T) {
			scratch := stock(t)
			t.Setenv(demoFiles, patientDemos(t))
			var procs []string
			p, code := playsUnlessItStands(t, func() *bed.Process {
				p := rstate(t, "demo", d.name, "--pace", "0s")
				reaches(t, p, "\n2. ")
				procs = children(t, p)
				// where more of them start, or end
				late := strings.Contains(p.Log(), "\n3. ") || strings.Contains(p.Log(), "UNEXPECTED: ")
				network, err := demoFile(d.network)
				if err != nil {
					t.Fatal(err)
				}
				if want := strings.Count(network, "\n  /") + 1; len(procs) != want && !late {
					t.Errorf("it has started %v, want %d: the nodes and a daemon", procs, want)
				}
				for _, scene := range []string{"\n5. ", "\n7. ", "\n8. "} {
					reaches(t, p, scene)
					procs = append(procs, children(t, p)...)
				}
				return p
			})
			n := scenesOf(t, &d)
			if code != exitDone || !strings.HasSuffix(p.Log(), fmt.Sprintf("%d of %d scenes as expected\n", n, n)) {
				t.Errorf("it ended with %d; it said:\n%s", code, p.Log())
			}
			if d.recorded {
				takesRecording(t, p.Log(), scratch)
			}
			leavesNothing(t, procs, scratch)
		})
	}
}

// reaches waits until a demo says a text, or has ended.
func reaches(t *testing.T, p *bed.Process, text string) {
	t.Helper()
	bed.Eventually(t, p.Name+" says "+text, func() (string, bool) {
		return p.Log(), strings.Contains(p.Log(), text) || hasEnded(p)
	})
}

// playsUnlessItStands plays a demo to its end. It plays it again if it did not go as expected and its daemon says that
// it did not run for a while, which is no part of any story.
func playsUnlessItStands(t *testing.T, plays func() *bed.Process) (p *bed.Process, code int) {
	t.Helper()
	bed.Eventually(t, "the daemon of the demo runs as long as it has to", func() (string, bool) {
		p = plays()
		code = p.Wait(t)
		return p.Log(), !strings.Contains(p.Log(), "UNEXPECTED: ") || !stall.Said(p.Log())
	})
	return p, code
}

// scenesOf counts the scenes of a demo.
func scenesOf(t *testing.T, d *demonstration) int {
	t.Helper()
	n := len(d.scenes)
	if d.story == "" {
		return n
	}
	story, err := demoFile("rehearsals/demos/" + d.story)
	if err != nil {
		t.Fatal(err)
	}
	return n + strings.Count(story, "\n      - title: ")
}

// takesRecording removes the recording that a demo has kept, and fails the test unless its output names it.
func takesRecording(t *testing.T, log, scratch string) {
	t.Helper()
	kept, err := filepath.Glob(filepath.Join(scratch, "*.mcap"))
	if err != nil || len(kept) != 1 || !strings.Contains(log, "plotjuggler -d "+kept[0]+"\n") {
		t.Fatalf("it has kept %v, %v; it said:\n%s", kept, err, log)
	}
	list, err := recording.Read(kept[0], []string{"/pilot/wave"})
	if err != nil || len(list) != 1 || len(list[0].Values) != 500 {
		t.Errorf("the recording has %+v, %v; want a number for each of 500 steps", list, err)
	}
	if err := os.Remove(kept[0]); err != nil {
		t.Error(err)
	}
}

// TestADemoThatGoesWrongSaysSo: a demo whose nodes do not fail as its story says ends with 1 and a count.
func TestADemoThatGoesWrongSaysSo(t *testing.T) {
	stock(t)
	p := rstate(t, "demo", "rock", "--pace", "0s")
	says(t, p, "\n2. ")
	for _, proc := range children(t, p) {
		if cmd, err := os.ReadFile(proc + "/cmdline"); err == nil && strings.Contains(string(cmd), "/camera") {
			pid, _ := strconv.Atoi(filepath.Base(proc))
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if code := p.Wait(t); code != exitFailed || !strings.Contains(p.Log(), "UNEXPECTED: ") ||
		!strings.HasSuffix(p.Log(), " of 10 scenes as expected\n") {
		t.Errorf("it ended with %d; it said:\n%s", code, p.Log())
	}
}

// TestADemoWhoseStoryIsWrongSaysSo: a demo does what its script says. At an expectation that does not hold it ends with
// 1 and a count.
func TestADemoWhoseStoryIsWrongSaysSo(t *testing.T) {
	for _, c := range []struct{ name, story, right, wrong, says, count string }{
		{"a goal", "rock", "goals: {configure: aborted restored}", "goals: {configure: succeeded}",
			`configure ended as "aborted restored", not "succeeded"`, "1 of 10"},
		{"what a node is asked", "nrp", "legal: [stopped]", "not_asked: [activate /world]",
			"a node was asked to activate /world", "2 of 11"},
	} {
		t.Run(c.name, func(t *testing.T) {
			scratch := stock(t)
			otherStory(t, c.story, c.right, c.wrong)
			p, code := playsUnlessItStands(t, func() *bed.Process { return rstate(t, "demo", c.story, "--pace", "0s") })
			if code != exitFailed || !strings.Contains(p.Log(), "UNEXPECTED: ") ||
				!strings.Contains(p.Log(), c.says) || !strings.HasSuffix(p.Log(), c.count+" scenes as expected\n") {
				t.Errorf("it ended with %d; it said:\n%s", code, p.Log())
			}
			leavesNothing(t, nil, scratch)
		})
	}
}

// otherStory changes the script of a demo.
func otherStory(t *testing.T, story, right, wrong string) {
	t.Helper()
	files := patientDemos(t)
	inFile(t, filepath.Join(files, "rehearsals", "demos", story+".yaml"), right, wrong)
	t.Setenv(demoFiles, files)
}

// patientDemos copies the files of the demos, for a machine that is busy with other tests. One of the network files has
// a node that is armed.
func patientDemos(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, config.Files); err != nil {
		t.Fatal(err)
	}
	inFile(t, filepath.Join(dir, "small_robot.yaml"), "\nsimulation: ", "\nproof: 10s\nsimulation: ")
	return dir
}

// inFile replaces what is once in a file.
func inFile(t *testing.T, file, before, after string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil || strings.Count(string(text), before) != 1 {
		t.Fatalf("%v: want %q once in\n%s", err, before, text)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), before, after, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestADemoOfAnotherStoryDoesNotBegin: a demo that cannot do what its script says starts no process.
func TestADemoOfAnotherStoryDoesNotBegin(t *testing.T) {
	scratch := stock(t)
	otherStory(t, "rstate", "/slam: {configure: {does: refuse, times: 1}}", "/camera: {configure: fatal}")
	said := do(t, exitFailed, "demo", "rstate", "--pace", "0s")
	if !strings.Contains(said, "no demo node can do what the script says of /camera: configure fatal") ||
		strings.Contains(said, "\n1. ") {
		t.Errorf("it said:\n%s", said)
	}
	leavesNothing(t, nil, scratch)
}

// TestDemosNameTheirFiles: the hint at the end of a demo names the network file that it has shown.
func TestDemosNameTheirFiles(t *testing.T) {
	for _, d := range demos() {
		file := "config/" + d.network
		if _, err := network.Load(filepath.Join("..", "..", filepath.FromSlash(file))); err != nil ||
			!strings.Contains(d.hint, file) {
			t.Errorf("demo %s tells of %q, which is not its %s: %v", d.name, d.hint, file, err)
		}
	}
}

func TestCtrlCEndsTheDemoAtAnyPoint(t *testing.T) {
	for _, point := range []string{"\n1. ", "  configuring", "/arm_driver is armed", "$ kill"} {
		t.Run(strings.TrimSpace(point), func(t *testing.T) {
			scratch := stock(t)
			t.Setenv(demoFiles, patientDemos(t))
			var procs []string
			p, code := playsUnlessItStands(t, func() *bed.Process {
				p := rstate(t, "demo", "--pace", "100ms")
				reaches(t, p, point)
				procs = children(t, p)
				p.Signal(syscall.SIGINT)
				return p
			})
			if code != exitCancelled ||
				!strings.Contains(p.Log(), "Ending everything: it got interrupt") ||
				!strings.HasSuffix(p.Log(), " scenes as expected\n") {
				t.Errorf("it ended with %d; it said:\n%s", code, p.Log())
			}
			leavesNothing(t, procs, scratch)
		})
	}
}

func TestWhatTheDemoStartedEndsWithItWhenItIsKilled(t *testing.T) {
	stock(t)
	p := rstate(t, "demo", "--pace", "0s")
	says(t, p, "\n2. ")
	procs := children(t, p)
	p.Signal(syscall.SIGKILL)
	for _, proc := range procs {
		bed.Eventually(t, proc+" ends", func() (string, bool) { return "", gone(proc) })
	}
}

// TestDemoKeepsOutOfAStrangersDomain: the domain that the user has set has nodes with names of the demo.
func TestDemoKeepsOutOfAStrangersDomain(t *testing.T) {
	bed.StartHost(t).Node(bed.NodeSpec{Name: "/lidar"})
	t.Setenv(looksLong, "yes")
	said := do(t, exitBadInput, "demo", "--pace", "0s")
	if !strings.Contains(said, "there is /lidar") || !strings.Contains(said, "unset ROS_DOMAIN_ID") {
		t.Errorf("it said:\n%s", said)
	}
}

func TestOptionsOfDemo(t *testing.T) {
	for _, args := range [][]string{{"--pace", "1h"}, {"--pace", "-1s"}, {"--pace", "soon"}, {"file.yaml"},
		{"nrp", "rock"}} {
		if code, out, errs := invoke(append([]string{"demo"}, args...)...); code != exitBadInput || out != "" ||
			errs == "" {
			t.Errorf("%v: code %d, %q, %q", args, code, out, errs)
		}
	}
}
