package main

import (
	"encoding/json"
	"strings"
	"testing"
)

const planNetwork = `simulation: demo
nodes:
  /lidar: {probe: 1s}
  /slam: {after: [/lidar], probe: 1s, deadline: {configure: 60s}}
  /camera: {optional: true}
  /arm_driver: {after: [/slam], arm: {}}
`

func TestPlan(t *testing.T) {
	file := networkFile(t, planNetwork)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"to the highest state that arms nothing": {nil, `
configure, from unconfigured to inactive, 4 steps:
  1. configure /lidar (30s)
  2. configure /slam after 1 (1m0s)
  3. configure /camera (30s, optional)
  4. configure /arm_driver after 2 (30s)
     2m0s at the most
activate, from inactive to active, 4 steps:
  1. activate /lidar (10s)
  2. activate /slam after 1 (10s)
  3. activate /camera (10s, optional)
  4. activate /arm_driver after 2 (10s)
     30s at the most
`},
		"a command": {[]string{"arm", "--from", "active"}, `
arm, from active to armed, 1 step:
  1. arm /arm_driver (2s)
     2s at the most
`},
		"down": {[]string{"unconfigured", "--from", "inactive"}, `
cleanup, from inactive to unconfigured, 4 steps:
  1. cleanup /arm_driver (10s)
  2. cleanup /slam after 1 (10s)
  3. cleanup /lidar after 2 (10s)
  4. cleanup /camera (10s)
     30s at the most
`},
		"what is armed is disarmed first": {[]string{"shutdown", "--from", "armed"}, `
shutdown, from armed to finalized, 5 steps:
  1. disarm /arm_driver (2s)
  2. shutdown /arm_driver after 1 (10s)
  3. shutdown /slam after 2 (10s)
  4. shutdown /lidar after 3 (10s)
  5. shutdown /camera (10s)
     32s at the most
`},
		"nothing": {[]string{"active", "--from", "active"}, "from active to active: nothing to do\n"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := invoke(append([]string{"plan", file}, c.args...)...)
			if want := strings.TrimPrefix(c.want, "\n"); code != exitDone || errs != "" || out != want {
				t.Errorf("code %d, %q; got:\n%s\nwant:\n%s", code, errs, out, want)
			}
		})
	}
}

func TestPlanAsJSON(t *testing.T) {
	code, out, errs := invoke("plan", networkFile(t, planNetwork), "armed", "-o", "json")
	var list []planned
	if err := json.Unmarshal([]byte(out), &list); code != exitDone || errs != "" || err != nil {
		t.Fatalf("code %d, %q, %v:\n%s", code, errs, err, out)
	}
	if len(list) != 3 || list[2].Command != "arm" || list[0].Steps[1].Node != "/slam" ||
		list[0].Steps[1].After[0] != 1 || list[0].Longest != "2m0s" {
		t.Errorf("got %+v", list)
	}
	if _, out, _ := invoke("plan", networkFile(t, planNetwork), "unconfigured", "-o", "json"); out != "[]\n" {
		t.Errorf("nothing to do is %q", out)
	}
}

// TestPlanOfALoop: the highest state is one to which commands lead without the loop.
func TestPlanOfALoop(t *testing.T) {
	for preset, want := range map[string]string{"cloe": "connect, from idle to connect",
		"nrp": "started, from paused to started", "roscle": "initialize, from created to initial"} {
		file := networkFile(t, "simulation: demo\nmachine: "+preset+"\nnodes: {/a: {}}\n")
		if code, out, errs := invoke("plan", file); code != exitDone || errs != "" || !strings.Contains(out, want) ||
			strings.Contains(out, "pause,") {
			t.Errorf("%s: code %d, %q; got:\n%s", preset, code, errs, out)
		}
	}
}

func TestPlanRefusesWhatADaemonWould(t *testing.T) {
	file := networkFile(t, planNetwork)
	armless := networkFile(t, "simulation: demo\nnodes: {/lidar: {}}\n")
	for name, c := range map[string]struct {
		args []string
		code int
		errs string
	}{
		"not legal":          {[]string{file, "arm"}, exitRejected, "not legal there; legal: configure, shutdown"},
		"no way":             {[]string{file, "inactive", "--from", "finalized"}, exitRejected, "no way leads there"},
		"nothing to arm":     {[]string{armless, "armed"}, exitRejected, "nothing can be armed: no node"},
		"misspelt":           {[]string{file, "activat"}, exitBadInput, "did you mean activate"},
		"from nowhere":       {[]string{file, "--from", "actve"}, exitBadInput, "did you mean active"},
		"from a passing one": {[]string{file, "--from", "activating"}, exitBadInput, "no state in which"},
		"no file":            {[]string{file + ".not"}, exitBadInput, "there is no such file"},
		"nothing":            {nil, exitBadInput, "FILE is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			if code, out, errs := invoke(append([]string{"plan"}, c.args...)...); code != c.code || out != "" ||
				!strings.Contains(errs, c.errs) {
				t.Errorf("code %d, %q, %q", code, out, errs)
			}
		})
	}
}
