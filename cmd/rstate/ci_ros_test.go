//go:build ros

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/stall"
)

// TestExamplesForBuildServersAndUnitsExist: every command line of rstate in docs/ci and
// packaging/systemd has a verb, and options, that there are.
func TestExamplesForBuildServersAndUnitsExist(t *testing.T) {
	var files []string
	for _, pattern := range []string{"docs/ci/*", "packaging/systemd/*.service", "docs/service.md", "docs/ci.md"} {
		found, err := filepath.Glob("../../" + pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		files = append(files, found...)
	}
	line := regexp.MustCompile("(?m)(?:^ *(?:- )?(?:run: )?|with-ros |step |`)rstate ([a-z][^\n`>&]*)")
	verbs := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range line.FindAllStringSubmatch(string(text), -1) {
			args, _ := splitROS(strings.Fields(strings.NewReplacer("\"", "").Replace(m[1])))
			args = slices.DeleteFunc(args, func(a string) bool { return strings.HasPrefix(a, "$RSTATE_") })
			c, words, err := newRoot(&env{in: os.Stdin, out: &bytes.Buffer{}, err: &bytes.Buffer{}}).Find(args)
			if err != nil || c.Name() == "rstate" {
				t.Errorf("%s: there is no verb of %q", file, m[0])
				continue
			}
			if err := c.ParseFlags(words); err != nil {
				t.Errorf("%s: %q: %v", file, m[0], err)
			}
			verbs[c.Name()]++
		}
	}
	for _, verb := range []string{"run", "guard", "factory", "check", "rehearse", "watch", "send", "why"} {
		if verbs[verb] == 0 {
			t.Errorf("no example has rstate %s: the test finds only %v", verb, verbs)
		}
	}
}

// TestTheStartOfARobotAsATest runs the script for build servers: a robot that starts passes, and of
// one that does not the reason and the evidence are kept.
func TestTheStartOfARobotAsATest(t *testing.T) {
	programs := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(programs, "rstate")); err != nil {
		t.Fatal(err)
	}
	start := func(folder string, options ...string) *bed.Process {
		file, lidar, arm := twoNodes(t)
		return bed.StartCommand(t, "start.sh", bed.Command{
			Args: append([]string{"../../docs/ci/start.sh", folder, file, "rstate", "node", lidar, arm, "--arm"}, options...),
			Env: []string{beRstate + "=1", "PATH=" + programs + ":" + os.Getenv("PATH"),
				"ROS_DOMAIN_ID=" + os.Getenv("ROS_DOMAIN_ID")}})
	}
	// A daemon that does not run for a while ends the goal of the script, which then is run again.
	ends := func(options ...string) (folder string, p *bed.Process, code int) {
		t.Helper()
		bed.Eventually(t, "the daemon runs as long as the script", func() (string, bool) {
			folder = t.TempDir()
			p = start(folder, options...)
			code = p.Wait(t)
			said, _ := os.ReadFile(filepath.Join(folder, "daemon.log"))
			return p.Log(), code == exitDone || !stall.Refused(string(said))
		})
		return folder, p, code
	}
	good, _, code := ends()
	if code != exitDone {
		t.Errorf("it ended with %d", code)
	}
	text, err := os.ReadFile(filepath.Join(good, "active.json"))
	if err != nil || !strings.Contains(string(text), `"active"`) {
		t.Errorf("the state of the active network: %v\n%s", err, text)
	}
	bad, p, code := ends("--fail", "activate")
	if code != exitFailed || !strings.Contains(p.Log(), "failed with exit code 1: rstate send active") {
		t.Errorf("with a node that refuses it ended with %d", code)
	}
	for name, want := range map[string]string{"why.txt": "activate refused", "nodes.log": "", "daemon.log": "activate",
		"doctor.txt": "ROS"} {
		if text, err := os.ReadFile(filepath.Join(bad, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}
