package rehearse

import (
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/junit"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

var update = flag.Bool("update", false, "write the golden files")

const config = "../../config/"

func load(t *testing.T, file string) *network.Network {
	t.Helper()
	net, err := network.Load(config + file)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

func parse(t *testing.T, net *network.Network, text string) *Script {
	t.Helper()
	s, err := Parse("faults.yaml", []byte(text), net)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The scripts beside the example networks hold.
func TestRehearsalsOfTheExamples(t *testing.T) {
	scripts, _ := filepath.Glob(config + "rehearsals/*.yaml")
	if len(scripts) == 0 {
		t.Fatal("no script is found")
	}
	for _, path := range scripts {
		net := load(t, filepath.Base(path))
		s, err := Load(path, net)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range Play(net, s).Results {
			if !r.Met() {
				t.Errorf("%s: %s: %v %v\n%v", path, r.Case.Name, r.Missed, r.Broken, r.Life)
			}
		}
	}
}

// The story of each demo is met on simulated nodes: what `rstate demo` shows is what a rehearsal predicts.
func TestStoriesOfTheDemos(t *testing.T) {
	scripts, _ := filepath.Glob(config + "rehearsals/demos/*.yaml")
	if len(scripts) < 5 {
		t.Fatalf("only these stories are found: %q", scripts)
	}
	for _, path := range scripts {
		file := filepath.Base(path)
		if file == "rstate.yaml" {
			file = "small_robot.yaml"
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "\n#   rstate rehearse config/"+file+" config/rehearsals/demos/"+
			filepath.Base(path)+"\n") {
			t.Errorf("%s does not name the command that plays it: %v", path, err)
		}
		net := load(t, file)
		s, err := Load(path, net)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range Play(net, s).Results {
			if !r.Met() || len(r.Case.Scenes) == 0 || len(r.Scenes) != len(r.Case.Scenes) {
				t.Errorf("%s: %s: %d of %d scenes, %v %v\n%v", path, r.Case.Name, len(r.Scenes), len(r.Case.Scenes),
					r.Missed, r.Broken, r.Life)
			}
		}
	}
}

// TestEveryFaultOfTheExamples: each fault happens, with each machine. A command that is rejected would play none.
func TestEveryFaultOfTheExamples(t *testing.T) {
	for name, most := range map[string]int{"nrp.yaml": 75, "rock.yaml": 75, "delivery_cart.yaml": 79, "demo.yaml": 104,
		"cle.yaml": 30, "roscle.yaml": 30, "cloe.yaml": 60} {
		report := Every(load(t, name))
		if len(report.Results) != most {
			t.Errorf("%s has %d single faults, want %d", name, len(report.Results), most)
		}
		for _, r := range report.Results {
			if !r.Met() {
				t.Errorf("%s: %s: %v %v", name, r.Case.Name, r.Missed, r.Broken)
			}
			if r.Took == 0 && r.Fault != RefuseIt && r.Fault != ErrIn {
				t.Errorf("%s: %s took no time", name, r.Case.Name)
			}
		}
	}
}

// Each expectation fails if it is not met, and names what was found.
func TestEveryExpectationCanFail(t *testing.T) {
	net := load(t, "demo.yaml")
	for expect, want := range map[string]string{
		"state: active":                              "the network is unconfigured, not active",
		"intact: false":                              "the network is intact, but must not be",
		"nodes: {/lidar: inactive}":                  "/lidar is unconfigured, not inactive",
		"nodes: {/lidar: gone}":                      "/lidar is unconfigured, not gone",
		"goals: {configure: succeeded}":              `configure ended as "aborted restored", not "succeeded"`,
		"goals: {configure: abort}":                  `configure ended as "aborted restored", not "abort"`,
		`goals: {"configure #2": succeeded}`:         `configure #2 ended as "never asked", not "succeeded"`,
		"says: /camera":                              "without \"/camera\"",
		"exit: 0":                                    "the daemon has not ended, with code 0 or any other",
		"asked: [configure /slam, configure /lidar]": "configure /lidar was not asked, or not in this order",
		"not_asked: [cleanup /lidar, configure /arm_driver, cleanup /slam]": "a node was asked to cleanup /lidar",
		"legal: [shutdown]":                   "legal is configure, shutdown, not shutdown",
		"step: 3":                             "the loop rests after step 0, not 3",
		"cause: /camera":                      `the cause is "configure failed: /slam answered no to configure`,
		"journal: [configure failed, active]": `the journal does not say "active", or not in this order`,
		"journal: [the network is unconfigured, configure failed, the network is unconfigured, configure failed]": `the journal does not say "configure failed"`,
	} {
		text := "cases: {one: {nodes: {/slam: {configure: refuse}}, do: [send: configure], expect: {" + expect + "}}}"
		report := Play(net, parse(t, net, text))
		if r := report.Results[0]; len(r.Missed) != 1 || !strings.Contains(r.Missed[0], want) || report.Met() != 0 {
			t.Errorf("%s: missed %q, want %q", expect, r.Missed, want)
		}
	}
	exits := Play(net, parse(t, net, "cases: {one: {do: [send: shutdown], expect: {exit: 5}}}")).Results[0]
	if len(exits.Missed) != 1 || !strings.HasPrefix(exits.Missed[0], "the daemon ended with code 0, not 5") {
		t.Errorf("exit: missed %q", exits.Missed)
	}
	given := Play(net, parse(t, net, "cases: {one: {given: active, nodes: {/slam: {activate: refuse}}, do: [wait: 1s], expect: {state: inactive}}}")).Results[0]
	if len(given.Missed) != 1 || !strings.HasPrefix(given.Missed[0],
		"the network did not reach active, where the case begins") {
		t.Errorf("given: missed %q", given.Missed)
	}
}

// A scene begins when what the one before expects holds, also if that takes a while. One that never ends is named, and
// those behind it are not played.
func TestScenes(t *testing.T) {
	net := load(t, "demo.yaml")
	s := parse(t, net, `
cases:
  it goes on:
    nodes: {/slam: {configure: {does: refuse, times: 1}}, /camera: {appears: 20s}}
    scenes:
      - title: Up it goes.
        do: [send: active, send: active]
        expect: {state: active, goals: {active: aborted restored, "active #2": succeeded}, asked: [configure /slam, configure /slam, activate /slam]}
        result: It is up.
      - title: The camera comes late.
        expect: {nodes: {/camera: active}, asked: [activate /camera], not_asked: [activate /slam]}
      - title: Down it goes.
        do: [{send: cleanup}, {send: inactive, after: 1s}, {send: inactive}]
        expect: {state: inactive, goals: {inactive: succeeded done, "inactive #2": succeeded already}, says: already}
  it does not:
    scenes:
      - {title: Up it goes., do: [send: active], expect: {state: active}}
      - {title: Nobody kills it., do: [wait: 1s], expect: {intact: false, state: inactive}}
      - {title: Down it goes., do: [send: inactive], expect: {state: inactive}}
  a moment does not come:
    scenes:
      - {title: Up it goes., do: [send: active], expect: {state: active}}
      - {title: Nobody configures it., do: [{kill: /slam, in: configure /slam}, {wait: 1s}], expect: {}}
`)
	report := Play(net, s)
	var text strings.Builder
	if err := report.Text(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/scenes.txt", text.String())
	for k, want := range []int{3, 1, 1} {
		if r := report.Results[k]; len(r.Scenes) != want || r.Met() != (k == 0) || len(r.Broken) > 0 {
			t.Errorf("%s: %d scenes, %q %q\n%v", r.Case.Name, len(r.Scenes), r.Missed, r.Broken, r.Life)
		}
	}
}

// A scene waits until a killed daemon is back, and its nodes fit.
func TestASceneIsNotMetByADeadDaemon(t *testing.T) {
	net := load(t, "demo.yaml")
	for _, down := range []string{"10s", "1h", "3h"} {
		r := Play(net, parse(t, net, `
cases:
  one:
    scenes:
      - {title: Up it goes., do: [send: active], expect: {state: active}}
      - {title: The daemon is killed., do: [restart: `+down+`], expect: {state: active, intact: true}}
`)).Results[0]
		for _, m := range r.Missed {
			t.Error(m)
		}
		wait, err := time.ParseDuration(down)
		if err != nil || len(r.Scenes) != 2 || r.Scenes[1].At-r.Scenes[0].At < wait {
			t.Errorf("down for %s: %+v %v", down, r.Scenes, err)
		}
	}
}

// A scene ends the case at once if waiting does not help, with what does not hold then.
func TestASceneThatIsLost(t *testing.T) {
	net, loop := load(t, "demo.yaml"), load(t, "cle.yaml")
	for _, c := range []struct {
		net    *network.Network
		scenes string
		ended  int
		missed []string
	}{
		{net, "{title: It must not come up., do: [{send: active}, {kill: /slam}], expect: {intact: true, goals: {active: aborted}}}", 0,
			[]string{`scene 1: active ended as "succeeded done", not "aborted"`}},
		{net, "{title: It comes up., do: [send: active], expect: {}}, {title: It ends., do: [{send: shutdown}], expect: {exit: 5}}, {title: On., expect: {}}",
			1, []string{"scene 2: the daemon ended with code 0, not 5: the network is finalized"}},
		{net, "{title: It must not configure., do: [{send: active, after: 1s}, {wait: 1ms, in: configure /slam}], expect: {intact: false, not_asked: [configure /slam]}}",
			0, []string{"scene 1: the network is intact, but must not be", "scene 1: a node was asked to configure /slam"}},
		{loop, "{title: The loop runs., do: [send: start], expect: {goals: {start: open}}}, {title: It runs on., do: [send: run_step], expect: {says: nothing}}",
			1, []string{`scene 2: the last goal was told`}},
	} {
		given := "given: unconfigured, "
		if c.net == loop {
			given = "given: stopped, "
		}
		r := Play(c.net, parse(t, c.net, "cases: {one: {"+given+"scenes: ["+c.scenes+"]}}")).Results[0]
		if len(r.Scenes) != c.ended || len(r.Missed) != len(c.missed) || len(r.Broken) > 0 {
			t.Errorf("%s: %d scenes, missed %q, want %q; broken %q", c.scenes, len(r.Scenes), r.Missed, c.missed, r.Broken)
			continue
		}
		for k, want := range c.missed {
			if !strings.HasPrefix(r.Missed[k], want) {
				t.Errorf("%s: missed %q, want %q", c.scenes, r.Missed[k], want)
			}
		}
		if trace := r.Life.(*simnet.Trace); trace.End > time.Minute {
			t.Errorf("%s: it waited until %v", c.scenes, trace.End)
		}
	}
}

// A script names steps of a loop, and the argument of a command that runs them.
func TestStepsOfALoop(t *testing.T) {
	net := load(t, "cle.yaml")
	for expect, want := range map[string]string{
		"{step: 5, state: stopped}": "",
		"{step: 4}":                 "the loop rests after step 5, not 4",
		"{says: failed in step_begin of cycle 5, step: 5, goals: {run_step: aborted}}": `run_step ended as "succeeded done"`,
	} {
		r := Play(net, parse(t, net, "cases: {one: {given: stopped, do: [{send: run_step, argument: '5'}], expect: "+expect+
			"}}")).Results[0]
		if r.Met() != (want == "") || !strings.Contains(strings.Join(r.Missed, "; "), want) {
			t.Errorf("%s: %q %q", expect, r.Missed, r.Broken)
		}
	}
	for _, text := range []string{
		"nodes: {/brain: {fail_step: 5}}, do: [{send: run_step, argument: '9'}], expect: {step: 5, intact: false, says: /brain failed in step_begin of cycle 5, goals: {run_step: aborted}}",
		"nodes: {/brain: {fail_step: 5}}, do: [{send: run_step, argument: '9'}, {send: reset, after: 1s}, {send: run_step, argument: '9'}], expect: {step: 9, goals: {'run_step #2': succeeded}}",
		"scenes: [{title: It runs., do: [send: start], expect: {step: 20, goals: {start: open}}}, {title: It stops., do: [send: stop], expect: {state: stopped, goals: {start: succeeded}}}]",
	} {
		if r := Play(net, parse(t, net, "cases: {one: {given: stopped, "+text+"}}")).Results[0]; !r.Met() {
			t.Errorf("%s: %q %q\n%v", text, r.Missed, r.Broken, r.Life)
		}
	}
}

// A step whose moment does not come is a missed expectation, and no broken rule. Every step after it is left out.
func TestAStepWhoseMomentDoesNotCome(t *testing.T) {
	net := load(t, "demo.yaml")
	for _, c := range []struct{ do, want string }{
		{"{send: configure}, {kill: /slam, in: activate /slam}",
			"do[1] is not done: /slam did not begin activate after do[0]"},
		{"{send: configure}, {kill: /slam, in: activate /slam}, {send: shutdown}, {wait: 1s}",
			"do[1] and the steps after it are not done: /slam did not begin activate after do[0]"},
		{"{kill: /slam, in: configure /slam}", "do[0] is not done: /slam did not begin configure"},
		{"{send: configure}, {kill: /slam, in: disarm /arm_driver}",
			"do[1] is not done: /arm_driver did not begin disarm after do[0]"},
		{"{send: configure}, {wait: 1s, in: configure /slam}, {kill: /lidar, in: configure /lidar}",
			"do[2] is not done: /lidar did not begin configure after do[1]"},
		{"{send: shutdown}, {kill: /slam, in: configure /slam}",
			"do[1] is not done: /slam did not begin configure after do[0]"},
	} {
		text := "cases: {one: {do: [" + c.do + "], expect: {intact: true}}}"
		r := Play(net, parse(t, net, text)).Results[0]
		missed := slices.DeleteFunc(r.Missed,
			func(m string) bool { return strings.HasPrefix(m, "the network is not intact") })
		if !slices.Equal(missed, []string{c.want}) || len(r.Broken) > 0 {
			t.Errorf("%s:\n missed %q\n want   %q\n broken %q", c.do, missed, c.want, r.Broken)
		}
	}
}

// A goal that a restart orphans ends without a duration, and no step waits for its end in vain.
func TestARestartOrphansAGoal(t *testing.T) {
	net := load(t, "demo.yaml")
	s := parse(t, net, `
cases:
  the last goal:
    nodes: {/slam: {configure: {takes: 5s}}}
    do:
      - send: configure
      - {restart: 1s, in: configure /slam}
    expect: {goals: {configure: orphaned}, intact: true}
  it ends before the moment of the last step:
    nodes: {/slam: {configure: {takes: 5s}}}
    do:
      - send: configure
      - {restart: 1s, in: configure /slam}
      - {kill: /slam, in: cleanup /slam}
    expect: {goals: {configure: orphaned}, nodes: {/slam: gone}}
  another one follows:
    nodes: {/slam: {configure: {takes: 5s}}}
    do:
      - send: configure
      - {restart: 1s, in: configure /slam}
      - {wait: 20s, in: cleanup /slam}
      - send: configure
    expect: {goals: {configure: orphaned, "configure #2": succeeded}, state: inactive}
  the daemon is down:
    do:
      - restart: 10s
      - send: configure
    expect: {goals: {configure: orphaned}, state: unconfigured}
`)
	report := Play(net, s)
	var text strings.Builder
	if err := report.Text(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/orphaned.txt", text.String())
	for _, r := range report.Results {
		if !r.Met() || r.Took < 0 || r.Ended != (r.Goal != "orphaned") {
			t.Errorf("%s: %s in %v: %q %q\n%v", r.Case.Name, r.Goal, r.Took, r.Missed, r.Broken, r.Life)
		}
	}
}

// What a case without steps waits for is named without a step.
func TestAMomentOfNoStep(t *testing.T) {
	const why = "the network did not settle in a state"
	for _, c := range []struct {
		places []string
		want   string
	}{{nil, why}, {[]string{"do[0]"}, "do[0] is not done: " + why}} {
		l := life{beats: []beat{{step: -1, waits: why}}, untold: 1, places: c.places}
		if got := l.missed(); got != c.want {
			t.Errorf("%d steps: %q, want %q", len(c.places), got, c.want)
		}
	}
}

// A case may last as long as its script says.
func TestALongCase(t *testing.T) {
	net := load(t, "demo.yaml")
	for _, text := range []string{
		"do: [{wait: 10h}, {send: active}], expect: {state: active}",
		"do: [{send: active}, {after: 10h, kill: /slam}, {wait: 1s}], expect: {intact: false}",
		"do: [{restart: 10h}, {wait: 11h}, {send: active}], expect: {state: active}",
		"nodes: {/slam: {appears: 10h}}, do: [{wait: 11h}, {send: active}], expect: {state: active}",
	} {
		if r := Play(net, parse(t, net, "cases: {one: {"+text+"}}")).Results[0]; !r.Met() {
			t.Errorf("%s: %q %q", text, r.Missed, r.Broken)
		}
	}
}

// Every fault and every act has the effect that its name says.
func TestEveryFaultAndActIsPlayed(t *testing.T) {
	net := load(t, "demo.yaml")
	unsafe, err := network.Parse("unsafe.yaml",
		[]byte("simulation: demo\nnodes:\n  /arm: {arm: {}, unsafe: [/move], checks: [{service: /ok}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		net               *network.Network
		nodes, do, expect string
	}{
		{net, "/slam: {configure: error}", "send: configure",
			"goals: {configure: aborted restored}, says: /slam configure erred"},
		{net, "/slam: {activate: fatal}", "send: active", "nodes: {/slam: finalized}"},
		{net, "/slam: {configure: die}", "send: configure", "nodes: {/slam: gone}, says: /slam left the graph"},
		{net, "/slam: {configure: respawn}", "send: configure}, {wait: 3s}, {send: configure",
			"state: inactive, intact: true, nodes: {/slam: inactive}"},
		{net, "/slam: {configure: hang}", "send: configure", "says: no answer to configure"},
		{net, "/slam: {configure: {takes: 20s}}", "send: configure", "goals: {configure: succeeded}"},
		{net, "/slam: {state: active, appears: 2s}", "send: active",
			"state: active, asked: [deactivate /slam, cleanup /slam, configure /slam]"},
		{net, "/arm_driver: {state: active, armed: true}", "wait: 1s", "asked: [disarm /arm_driver]"},
		{net, "/arm_driver: {arm: refuse}", "send: active}, {send: arm",
			"goals: {arm: aborted restored}, state: active"},
		{net, "/arm_driver: {arm: unanswered}", "send: active}, {send: arm",
			"goals: {arm: aborted}, nodes: {/arm_driver: active}"},
		{net, "/arm_driver: {disarm: {does: hang, times: 2}}", "send: active}, {send: arm}, {send: disarm}, {wait: 5s",
			"goals: {disarm: aborted held}, nodes: {/arm_driver: active}"},
		{net, "", "send: active}, {freeze: /slam}, {wait: 2s}, {send: inactive}, {after: 5s, thaw: /slam}, {wait: 1m",
			"state: inactive, nodes: {/slam: inactive}"},
		{net, "", "send: active}, {cut: /slam}, {wait: 30s", "intact: false"},
		{net, "", "send: active}, {cut: /slam}, {wait: 30s}, {mend: /slam}, {wait: 30s", "intact: true"},
		{net, "/slam: {configure: {takes: 3s}}", "send: configure}, {cancel: configure, after: 1s",
			"goals: {configure: canceled}"},
		{net, "/slam: {configure: {does: refuse, times: 1, takes: 3s}}",
			"send: configure}, {send: configure}, {cancel: configure, in: configure /lidar",
			`goals: {configure: aborted, "configure #2": canceled}`},
		{net, "", "send: configure}, {cancel: configure", "goals: {configure: succeeded}"},
		{net, "", "send: configure}, {restart: 10s}, {cancel: configure}, {wait: 20s}, {cancel: configure",
			"goals: {configure: succeeded}"},
		{net, "/slam: {configure: {takes: 3s}}", "send: configure}, {kill: /lidar, in: configure /slam",
			"goals: {configure: aborted}, nodes: {/lidar: gone}"},
		{net, "", "send: active}, {send: arm}, {kill: /slam, in: arm /arm_driver}, {wait: 1s",
			"goals: {arm: succeeded}, state: active, nodes: {/slam: gone}"},
		{net, "/arm_driver: {arm: hang}", "send: active}, {send: arm}, {kill: /arm_driver, in: arm /arm_driver",
			"goals: {arm: aborted}, nodes: {/arm_driver: gone}"},
		{net, "", "send: armed}, {send: disarm}, {kill: /slam, in: disarm /arm_driver",
			"state: active, nodes: {/slam: gone}"},
		{net, "", "send: active}, {ask: deactivate /slam", "intact: false, nodes: {/slam: inactive, /lidar: active}"},
		{net, "/slam: {deactivate: refuse}", "send: active}, {ask: deactivate /slam", "nodes: {/slam: active}"},
		{net, "/slam: {deactivate: error}", "send: active}, {ask: deactivate /slam", "nodes: {/slam: unconfigured}"},
		{net, "", "send: active}, {ask: configure /slam", "intact: true"},
		{net, "", "kill: /slam}, {ask: configure /slam", "intact: false"},
		{unsafe, "", "send: active}, {send: arm", "state: armed, nodes: {/arm: armed}"},
		{unsafe, "", "send: active}, {fail: /arm}, {send: arm", "state: active, goals: {arm: aborted}"},
		{unsafe, "", "send: active}, {fail: /arm}, {send: arm}, {repair: /arm}, {send: arm",
			`state: armed, goals: {"arm #2": succeeded}`},
		{unsafe, "", "send: active}, {offer: /arm}, {wait: 1s", "intact: false"},
		{unsafe, "", "send: active}, {offer: /arm}, {wait: 1s}, {withdraw: /arm}, {wait: 1s", "intact: true"},
	} {
		text := "cases: {one: {nodes: {" + c.nodes + "}, do: [{" + c.do + "}], expect: {" + c.expect + "}}}"
		if r := Play(c.net, parse(t, c.net, text)).Results[0]; !r.Met() {
			t.Errorf("%s: %v %v (%s)\n%v", text, r.Missed, r.Broken, r.Says, r.Life)
		}
	}
}

// Without a script, where the network ends up after each single fault.
func TestEverySingleFault(t *testing.T) {
	net := load(t, "demo.yaml")
	net.File = "demo.yaml"
	report := Every(net)
	var b strings.Builder
	if err := report.Text(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/every.txt", b.String())
	var again strings.Builder
	if err := Every(net).Text(&again); err != nil || again.String() != b.String() {
		t.Errorf("%v; the second time it is\n%s", err, again.String())
	}
}

func TestReports(t *testing.T) {
	net := load(t, "demo.yaml")
	net.File = "demo.yaml"
	s := parse(t, net, `
cases:
  all goes well: {do: [send: active], expect: {state: active}}
  it does not: {do: [send: active], expect: {state: inactive, intact: false}}
  "it takes\u001b[2J time":
    scenes:
      - {title: "Up\u001b[2J it goes.", do: [send: active], expect: {state: active}}
      - {title: It waits., do: [wait: 1m], expect: {says: "done\u001b[2J"}}
  it waits:
    scenes: [{title: Up it goes., do: [send: active], expect: {}}, {title: It waits., do: [wait: 1m], expect: {}}]
`)
	report := Play(net, s)
	var text, written strings.Builder
	if err := report.Text(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/report.txt", text.String())
	if err := report.JUnit(&written); err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Tests    int     `xml:"tests,attr"`
		Failures int     `xml:"failures,attr"`
		Time     float64 `xml:"time,attr"`
		Cases    []struct {
			Time    float64      `xml:"time,attr"`
			Failure *junit.Fault `xml:"failure"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal([]byte(written.String()), &suite); err != nil {
		t.Fatal(err)
	}
	if suite.Tests != 4 || suite.Failures != 2 || suite.Cases[0].Failure != nil || suite.Cases[1].Failure == nil ||
		!strings.Contains(suite.Cases[1].Failure.Message,
			"the network is active, not inactive; the network is intact, but must not be") ||
		!strings.Contains(suite.Cases[1].Failure.Told, "/lidar configure: done") {
		t.Errorf("JUnit says\n%s", written.String())
	}
	if short, long := suite.Cases[0].Time, suite.Cases[3].Time; short <= 0 || short > 1 || long < 60 || long > 61 ||
		suite.Time < long || suite.Time > long+1 {
		t.Errorf("a goal takes %v s, and scenes %v s, of %v s", short, long, suite.Time)
	}
	if told := suite.Cases[1].Failure.Told; strings.Count(told, "\n") > 40 || len(told) > 4000 ||
		strings.Contains(told, "node 0") {
		t.Errorf("a failure takes more than a screen, or numbers nodes:\n%s", told)
	}
}

// Each fault of a script is named with its place and with what to write instead.
func TestBadScripts(t *testing.T) {
	net := load(t, "demo.yaml")
	var b strings.Builder
	for _, text := range []string{
		"",
		"cases: {}",
		"case: {}",
		"cases: {one: {}}",
		"cases: {one: {do: [send: activ], expect: {}}}",
		"cases: {one: {do: [{send: active, kill: /slam}], expect: {}}}",
		"cases: {one: {do: [{}], expect: {}}}",
		"cases: {one: {do: [kill: /slm], expect: {}}}",
		"cases: {one: {do: [{kill: /slam, in: activat /lidar}], expect: {}}}",
		"cases: {one: {do: [{kill: /slam, in: activate /lidar, after: 2s}], expect: {}}}",
		"cases: {one: {do: [{kill: /slam, in: arm /lidar}, {kill: /slam, in: disarm /slam}], expect: {asked: [arm /lidar]}}}",
		"cases: {one: {do: [cancel: activate], expect: {}}}",
		"cases: {one: {given: active, do: [{cancel: active}, {send: active}], expect: {}}}",
		"cases: {one: {do: [{send: active}, {cancel: activ}, {cancel: activate, in: configure /slam}], expect: {}}}",
		"cases: {one: {do: [wait: 5], expect: {}}}",
		"cases: {one: {nodes: {/slam: {configure: refuses}}, do: [wait: 5s], expect: {}}}",
		"cases: {one: {nodes: {/slam: {configure: {does: refuse, time: 2}}}, do: [wait: 5s], expect: {}}}",
		"cases: {one: {nodes: {/radar: {never: true}}, do: [wait: 5s], expect: {}}}",
		"cases: {one: {do: [send: active], expect: {}, scenes: []}}",
		"cases: {one: {scenes: [{do: [send: active]}]}}",
		"cases: {one: {scenes: [{title: a, do: [send: active], expect: {}}, {title: b, do: [{cancel: active}, {cancel: arm}], expect: {}}]}}",
		"cases: {one: {do: [{ask: arm /slam}, {ask: activate /radar}, {kill: /slam, argument: '3'}], expect: {legal: [actvate], step: -1}}}",
		"cases: {one: {nodes: {/slam: {fail_step: 0}}, do: [wait: 5s], expect: {}}}",
		`cases: {one: {do: [send: active], expect: {goals: {"active #2": open, "active #1": open, "active #x": open, "active #02": open, "active #": open}}}}`,
		"cases: {one: {given: actve, do: [wait: 5s], expect: {state: on, goals: {actve: succeeded}, nodes: {/radar: active}, asked: [configure lidar]}}}",
	} {
		s, err := Parse("bad.yaml", []byte(text), net)
		if err == nil {
			t.Errorf("%s is read as %+v", text, s)
			continue
		}
		b.WriteString(text + "\n" + err.Error() + "\n\n")
	}
	golden(t, "testdata/bad.txt", b.String())
	plain, err := network.Parse("plain.yaml",
		[]byte("simulation: demo\nnodes: {/map: {lifecycle: false}, /slam: {}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse("bad.yaml", []byte("cases: {one: {do: [{kill: /slam, in: configure /map}], expect: {}}}"), plain)
	if want := "bad.yaml:1:38: cases.one.do[0].in: /map never begins configure: it is no lifecycle node; name a lifecycle node"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// The schema for editors is the one that is read.
func TestSchema(t *testing.T) {
	text, err := json.MarshalIndent(Schema(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, config+"rehearsal.schema.json", string(text)+"\n")
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s:\n got\n%s\nwant\n%s", path, got, want)
	}
}

// A goal that stays open while a loop runs is awaited: the loop may end by itself. If it goes on, that is no
// missed expectation.
func TestAGoalThatStaysOpen(t *testing.T) {
	const file = "simulation: x\nmachine: cloe\nnodes: {/a: {}, /b: {optional: true}}\nloop: {participants: {/a: {as: simulator}}%s}\n"
	for _, c := range []struct{ triggers, expect, is string }{
		{"", "{state: step, goals: {start: open}}", "open"},
		{", triggers: [{after: 10, do: succeed}]", "{state: disconnect, exit: 0, goals: {start: succeeded}}",
			"succeeded done"},
	} {
		net, err := network.Parse("x.yaml", fmt.Appendf(nil, file, c.triggers))
		if err != nil {
			t.Fatal(err)
		}
		r := Play(net, parse(t, net, "cases: {one: {given: connect, do: [{send: start}], expect: "+c.expect+
			"}}")).Results[0]
		if r.Goal != c.is || !r.Met() {
			t.Errorf("%q: the goal is %s, missed %q, broken %q", c.triggers, r.Goal, r.Missed, r.Broken)
		}
		var text strings.Builder
		report := Every(net)
		if err := report.Text(&text); err != nil || report.Met() != len(report.Results) {
			t.Errorf("%q: %s", c.triggers, text.String())
		}
	}
}
