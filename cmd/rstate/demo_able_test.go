package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/network"
	"rstate/internal/rehearse"
)

// configNetwork loads a network file of config.
func configNetwork(t *testing.T, file string) *network.Network {
	t.Helper()
	net, err := network.Load(filepath.Join("..", "..", "config", file))
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// TestTheDemoCanPlayItsStories: the stories of demos can be demos. The other scripts of config have no scenes.
func TestTheDemoCanPlayItsStories(t *testing.T) {
	at := filepath.Join("..", "..", "config", "rehearsals")
	for _, c := range []struct{ files, says string }{{filepath.Join(at, "demos", "*.yaml"), ""},
		{filepath.Join(at, "*.yaml"), "it has "}} {
		scripts, err := filepath.Glob(c.files)
		if err != nil || len(scripts) < 3 {
			t.Fatalf("%s: %q %v", c.files, scripts, err)
		}
		for _, path := range scripts {
			file := filepath.Base(path)
			if file == "rstate.yaml" {
				file = "small_robot.yaml"
			}
			net := configNetwork(t, file)
			script, err := rehearse.Load(path, net)
			if err != nil {
				t.Fatal(err)
			}
			err = demoable(script, net)
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, want %q", path, err, c.says)
			}
		}
	}
}

// TestNoDemoOfAnotherStory: a demo refuses a script that it would play in another way than a rehearsal.
func TestNoDemoOfAnotherStory(t *testing.T) {
	robot, engine := configNetwork(t, "small_robot.yaml"), configNetwork(t, "cle.yaml")
	scene := func(do, expect string) string { return "{title: a, do: [" + do + "], expect: {" + expect + "}}" }
	one := func(nodes string, scenes ...string) string {
		return "{nodes: {" + nodes + "}, scenes: [" + strings.Join(scenes, ", ") + "]}"
	}
	twice := "/slam: {configure: {does: refuse, times: 2}}"
	for _, c := range []struct {
		net        *network.Network
		case1      string
		case2      string
		says, name string
	}{
		{robot, one("", scene("{send: shutdown}", "exit: 0"), scene("", "journal: [finalized]")), one("", scene("", "")), "",
			"two daemons"},
		{robot, one("", scene("{send: active}", "")), one("", scene("", "")), "the daemon of this one does not end",
			"two at once"},
		{robot, "{given: active, scenes: [" + scene("", "") + "]}", "", "it has given", "given"},
		{robot, "{do: [send: active], expect: {}}", "", "it has no scenes", "no scenes"},
		{robot, one("", scene("{cut: /slam}", "")), "", "scene 1: do[0]: a demo can only", "cut"},
		{robot, one("", scene("", ""), scene("{wait: 1s}, {restart: 1s}", "")), "", "scene 2: do[1]: a demo can only",
			"restart"},
		{robot, one("", scene("{send: active}, {cancel: active}", "")), "", "a demo can only", "cancel"},
		{robot, one("", scene("{kill: /slam, in: configure /slam}", "")), "", "no acts in the callback", "in"},
		{robot, one("/slam: {configure: fatal}", scene("", "")), "", "/slam: configure fatal", "fatal"},
		{robot, one("/arm_driver: {arm: die}", scene("", "")), "", "/arm_driver: arm die", "dies while it is armed"},
		{robot, one("/slam: {appears: 5s}", scene("", "")), "", "starts unconfigured with the daemon", "late"},
		{robot, one("/slam: {configure: refuse, activate: {does: refuse, times: 2}}", scene("", "")), "", "has one times",
			"first without times"},
		{robot, one("/slam: {configure: {does: refuse, times: 2}, activate: refuse}", scene("", "")), "", "has one times",
			"second without times"},
		{robot, one("/slam: {configure: {does: refuse, times: 1, takes: 2s}}", scene("", "")), "", "and not for takes",
			"takes once"},
		{robot, one("/slam: {configure: {times: 1, takes: 2s}}", scene("", "")), "", "counts how often",
			"counts without a fault"},
		{robot, one(twice, scene("{kill: /slam}, {respawn: /slam}", "")), "",
			"may not have come 2 times yet; expect asked: [configure /slam]", "a fault is left"},
		{robot, one(twice, scene("{send: active}", "asked: [configure /slam]"), scene("{send: active}",
			"asked: [configure /slam]"), scene("{kill: /slam}, {respawn: /slam}", "")), "", "", "all faults came"},
		{robot, one("/slam: {configure: refuse}", scene("{kill: /slam}, {respawn: /slam}", "")), "", "", "it fails each time"},
		{robot, one("", scene("{send: active}, {kill: /slam, after: 1s}", "")), "", "do[1] does not wait for the end of active",
			"after behind a goal"},
		{robot, one("", scene("{send: active}, {kill: /slam}, {respawn: /slam, after: 1s}", "")), "", "",
			"after behind an act"},
		{engine, one("", scene("{send: initialize}, {send: start}", "state: running")), "", "start may stay open",
			"a loop"},
		{engine, one("", scene("{send: initialize}, {send: start}, {send: stop}", "goals: {start: succeeded}")), "",
			"start may stay open", "a loop in the middle"},
		{engine, one("", scene("{send: initialize}, {send: start}, {kill: /world, after: 1s}", "goals: {start: open}")), "", "",
			"a loop that is open"},
		{engine, one("/brain: {fail_step: 5}", scene("{send: initialize}, {send: start}", "goals: {start: aborted}")), "", "",
			"a loop that ends"},
		{engine, one("/brain: {fail_step: 5}", scene("{kill: /brain}, {respawn: /brain}", "")), "", "has fail_step",
			"it fails anew"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "cases:\n  one: " + c.case1 + "\n"
			if c.case2 != "" {
				text += "  two: " + c.case2 + "\n"
			}
			script, err := rehearse.Parse("story.yaml", []byte(text), c.net)
			if err != nil {
				t.Fatal(err)
			}
			err = demoable(script, c.net)
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) ||
				!strings.Contains(err.Error(), `"one" of story.yaml`)) {
				t.Errorf("%s: %v, want %q", text, err, c.says)
			}
		})
	}
}

// TestFaultsOfADemoNode: the options of a node are those of its faults. A new process has no counted ones.
func TestFaultsOfADemoNode(t *testing.T) {
	refuses := rehearse.Conduct{Does: rehearse.RefuseIt, Times: 2}
	for _, c := range []struct {
		b           rehearse.Behaviour
		first, anew string
	}{
		{rehearse.Behaviour{}, "", ""},
		{rehearse.Behaviour{Configure: refuses, Activate: refuses}, "--fail configure --fail activate --times 2", ""},
		{rehearse.Behaviour{Arm: rehearse.Conduct{Does: rehearse.HangIn}}, "--freeze arm", "--freeze arm"},
		{rehearse.Behaviour{Cleanup: rehearse.Conduct{Takes: 2 * time.Second}}, "--cleanup-delay 2s", "--cleanup-delay 2s"},
		{rehearse.Behaviour{FailStep: 5}, "--fail-step 5", ""},
	} {
		first, err1 := scriptFaults(c.b, false)
		anew, err2 := scriptFaults(c.b, true)
		if err1 != nil || err2 != nil || !slices.Equal(first, strings.Fields(c.first)) ||
			!slices.Equal(anew, strings.Fields(c.anew)) {
			t.Errorf("%+v: %q and %q, %v %v", c.b, first, anew, err1, err2)
		}
	}
}

// TestADemoHasTimeForItsPace: the time before each scene does not count.
func TestADemoHasTimeForItsPace(t *testing.T) {
	for _, c := range []struct {
		pace   time.Duration
		scenes int
		want   time.Duration
	}{{0, 12, 55 * time.Second}, {5 * time.Second, 12, 115 * time.Second}, {1500 * time.Millisecond, 10, 70 * time.Second}} {
		if got := demoLimit(c.pace, c.scenes); got != c.want {
			t.Errorf("%v before each of %d scenes: %v, want %v", c.pace, c.scenes, got, c.want)
		}
	}
}
