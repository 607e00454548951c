//go:build ros

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"rstate/internal/doctor"
	"rstate/test/bed"
)

// TestDoctorOfANetwork: first a healthy network, then one with its daemon frozen and a node
// missing.
func TestDoctorOfANetwork(t *testing.T) {
	file, lidar, arm := twoNodes(t)
	rstate(t, "node", lidar, arm, "--arm", "--log", "text")
	name := bed.Unique(t, "rstate")
	daemon := rstate(t, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+name)
	says(t, daemon, "the network is unconfigured")
	comesToSay(t, exitDone, []string{"/" + name + " (simulation", "is armed by " + arm + "/arm",
		"unconfigured, answers in", "0 faults, "}, "doctor", file, "--node", name)
	comesToSay(t, exitDone, []string{lidar}, "doctor", "--node", name) // it knows the nodes without the file
	more := networkFile(t, "simulation: more\nnodes: {"+lidar+": {}, "+lidar+"_2: {}}\n")
	daemon.Freeze()
	comesToSay(t, exitFailed, []string{"there is no daemon /" + name, "stopped (SIGCONT lets it go on)",
		"  FAULT    is not there", "1 fault, "}, "doctor", more, "--node", name)
	daemon.Thaw()
}

func TestDoctorWithoutROS(t *testing.T) {
	t.Setenv("ROS_DOMAIN_ID", "9999")
	said := do(t, exitNoROS, "doctor")
	if !strings.Contains(said, "ROS cannot be used") || !strings.Contains(said, `ROS_DOMAIN_ID is "9999"`) {
		t.Errorf("it said:\n%s", said)
	}
}

func TestDoctorPrints(t *testing.T) {
	r := doctor.Judge(doctor.Facts{Stack: doctor.Stack{Fault: "no middleware"},
		Host: doctor.Host{Loopback: true, Shared: -1}})
	for form, read := range map[string]func([]byte, any) error{"json": json.Unmarshal, "yaml": yaml.Unmarshal} {
		var out strings.Builder
		var back doctor.Report
		if err := writeReport(&out, form, r); err != nil {
			t.Fatal(err)
		}
		if err := read([]byte(out.String()), &back); err != nil || back.Faults != 1 ||
			back.Findings[0] != r.Findings[0] {
			t.Errorf("%s: %v, got %+v of %s", form, err, back, out.String())
		}
	}
	var out strings.Builder
	if err := writeReport(&out, "table", r); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text,
		"ROS        FAULT    ROS cannot be used\n                    seen: no middleware\n                    do:   ") || !strings.HasSuffix(text, r.Summary+"\n") {
		t.Errorf("got:\n%s", text)
	}
}

func TestOptionsOfDoctor(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		errs string
	}{
		"no such file":  {[]string{"/nowhere.yaml"}, "there is no such file"},
		"two files":     {[]string{"a", "b"}, "is too much"},
		"a bad form":    {[]string{"-o", "xml"}, "write one of table"},
		"ROS arguments": {[]string{"--ros-args", "-r", "x"}, "--ros-args"},
	} {
		t.Run(name, func(t *testing.T) {
			if code, _, errs := invoke(append([]string{"doctor"}, c.args...)...); code != exitBadInput ||
				!strings.Contains(errs, c.errs) {
				t.Errorf("code %d, %q, want %q", code, errs, c.errs)
			}
		})
	}
}
