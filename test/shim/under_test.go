//go:build ros

package shim

import (
	"fmt"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// program is a package whose tests run under faults.
type program struct {
	module, folder string // the folder of the module, and that of the package in it, from this one
}

var (
	rclgo   = program{"../../rclgo", "pkg/rclgo"}
	ros     = program{"../..", "test/ros"}
	command = program{"../..", "cmd/rstate"}
	peers   = program{"../..", "test/peers"}
)

// noticed is every fault that rstate can notice, and all of them.
var noticed = []string{"no_events", "silent_events", "lying_events", "other_gids", "hidden_requests", "take_401",
	"all"}

// holds is what must hold under faults: tests that pass with the installed middleware.
var holds = []struct {
	program program
	faults  []string
	tests   []string
}{
	{rclgo, []string{"no_events", "silent_events", "other_gids", "hidden_requests", "take_401", "all"}, []string{
		"TestOriginalServiceAndClient", "TestOriginalActionExecution", "TestOriginalActionCanceling",
		"TestGoalOutcomes", "TestLifecycleWholeLife",
		"TestSendGoalsToRclpy", "TestRclpySendsGoals", "TestCallRclpy", "TestRclpyCalls", "TestPublishToRclpy",
		"TestSubscribeToRclpy", "TestLatchedMessageReachesLateRclpy",
	}},
	// It takes once, and so would meet a take that takes nothing.
	{rclgo, []string{"no_events", "other_gids", "hidden_requests"}, []string{"TestOriginalPubSub"}},
	// It looks for the prefixes of topics too.
	{rclgo, []string{"no_events", "other_gids", "take_401"}, []string{"TestGraphQueries"}},
	{rclgo, []string{"take_401", "no_extras"}, []string{
		"TestMatchedEvents", "TestDeadlineEvents", "TestIncompatibleQosIsReported",
	}},
	{ros, noticed, []string{
		"TestALifeOverTheRealAction", "TestP1AChangeIsMirroredAndNotSaidAgain",
		"TestP7ArmingAndDisarmingAreMirrored", "TestRockReportsInAHook", "TestA8AStoppedDaemonComesBackDisarmed",
	}},
	// Data in lockstep, where a message does not name its publisher.
	{ros, []string{"other_gids"}, []string{"TestL11TwoRunsGiveTheSameData"}},
	// A stranger publishes on the topic of reports: only the GIDs of the graph tell it from the node.
	{ros, []string{"no_events", "scattered_gids", "hidden_requests", "take_401"}, []string{"TestS6SubStatesOfANode"}},
	// The graph tells a guard whose word it hears.
	{ros, []string{"scattered_gids"}, []string{
		"TestA7GuardDisarmsWhenTheDaemonIsGone", "TestA7GuardDisarmsWhenTheDaemonFreezes",
		"TestA7GuardLeavesAnOrderlyDisarmAlone",
	}},
	{ros, []string{"half_events"}, []string{"TestP7ARequiredPeerThatGoesDisarms/killed"}},
	{ros, noticed, []string{"TestA2DeathDisarms/reports", "TestP7ARequiredPeerThatGoesDisarms/killed"}},
	{command, []string{"no_events", "lying_events", "half_events", "hidden_requests", "all"}, []string{
		"TestDoctorOfANetwork", "TestWatchSaysALineForEachChangeAndGoesOnWithANewDaemon",
	}},
	{command, []string{"all"}, []string{"TestDemosGoAsExpected/rstate"}},
	{peers, []string{"all"}, []string{"TestDemoOfTwoHostsGoesAsExpected"}},
}

// broken is what does not hold yet, and what is seen instead. A row whose test passes fails, so that it is removed.
var broken = []struct{ fault, test, seen string }{}

func known(fault, test string) (seen string, ok bool) {
	for _, row := range broken {
		if row.fault == fault && row.test == test {
			return row.seen, true
		}
	}
	return "", false
}

// atOnce is how many programs run at a time.
const atOnce = 2

// TestUnderFaults runs tests of other packages under each fault. A program is built when the first row of it runs, so
// that a run of a few rows builds no others.
func TestUnderFaults(t *testing.T) {
	folder := t.TempDir()
	binary := sync.OnceValues(func() (string, error) { return daemon.Build(folder) })
	built := map[program]*sync.Once{}
	places := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	defer all.Wait()
	for k, row := range holds {
		file := filepath.Join(folder, strings.ReplaceAll(row.program.folder, "/", "_")+".test")
		if built[row.program] == nil {
			built[row.program] = &sync.Once{}
		}
		once := built[row.program]
		for _, fault := range row.faults {
			all.Go(func() {
				places <- struct{}{}
				defer func() { <-places }()
				t.Run(fmt.Sprintf("%s in %s, row %d", fault, path.Base(row.program.folder), k+1), func(t *testing.T) {
					once.Do(func() {
						build(t, row.program.module, "test", "-c", "-tags", "ros", "-o", file, "./"+row.program.folder)
					})
					var env []string
					if row.program != rclgo {
						file, err := binary()
						if err != nil {
							t.Fatal(err)
						}
						env = append(env, "RSTATE_BINARY="+file)
					}
					underFault(t, fault, row.program, file, env, row.tests)
				})
			})
		}
	}
}

// build runs the go command for a module.
func build(t *testing.T, folder string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// verdict is the line of a test in the output of a test program.
var verdict = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+)`)

// underFault runs tests of a program under a fault, and reports each as a test of its own.
func underFault(t *testing.T, fault string, of program, file string, env, tests []string) {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join(of.module, of.folder))
	if err != nil {
		t.Fatal(err)
	}
	p := bed.StartCommand(t, fault, bed.Command{
		Args: []string{file, "-test.v", "-test.timeout", "4m", "-test.run", pattern(tests)},
		Env:  append(Environment(library, fault), env...), Dir: folder,
	})
	<-p.Done()
	verdicts := map[string]string{}
	for _, found := range verdict.FindAllStringSubmatch(p.Log(), -1) {
		verdicts[found[2]] = found[1]
	}
	failed := p.Wait(t) != 0
	for _, test := range tests {
		t.Run(test, func(t *testing.T) {
			seen, broken := known(fault, test)
			switch got := verdicts[test]; {
			case got == "PASS" && broken:
				t.Errorf("it holds now: remove its row from the table broken, which says that %s", seen)
			case got == "PASS":
			case got == "FAIL" && broken:
				failed = false
				t.Logf("known: %s", seen)
			case got == "":
				t.Error("it has not run to its end")
			default:
				t.Errorf("%s under %s", got, fault)
			}
		})
	}
	if failed && !t.Failed() {
		t.Error("the program has failed although its tests have not")
	}
}

// pattern selects exactly these tests. Of a test that is named with a part, only that part runs.
func pattern(tests []string) string {
	heads, parts := map[string]bool{}, map[string]bool{}
	for _, test := range tests {
		head, part, _ := strings.Cut(test, "/")
		heads[head] = true
		if part != "" {
			parts[part] = true
		}
	}
	all := fmt.Sprintf("^(%s)$", strings.Join(slices.Sorted(maps.Keys(heads)), "|"))
	if len(parts) > 0 {
		all += fmt.Sprintf("/^(%s)$", strings.Join(slices.Sorted(maps.Keys(parts)), "|"))
	}
	return all
}
