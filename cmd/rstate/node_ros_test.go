//go:build ros

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
)

// TestDemoNodeDies: its process ends as if it were killed, during a transition or at a given time.
func TestDemoNodeDies(t *testing.T) {
	host := bed.StartHost(t)
	for name, args := range map[string][]string{
		"in a step": {"--die", "configure"}, "in time": {"--die-after", "1s"},
	} {
		t.Run(name, func(t *testing.T) {
			node := "/" + bed.Unique(t, "demo")
			p := rstate(t, append([]string{"node", node, "--log", "text"}, args...)...)
			says(t, p, "is there")
			if args[0] == "--die" {
				if success, err := host.ChangeState(node, "configure", 5*time.Second); err == nil {
					t.Errorf("it answered %v", success)
				}
			}
			if code := p.Wait(t); code != -1 || !strings.Contains(p.Log(), "dies") {
				t.Errorf("it ended with %d (want a signal); it said:\n%s", code, p.Log())
			}
		})
	}
}

// TestFrozenDemoNodeEnds: Ctrl-C ends the process, although the node no longer answers.
func TestFrozenDemoNodeEnds(t *testing.T) {
	p := rstate(t, "node", "/"+bed.Unique(t, "demo"), "--freeze-after", "1ms", "--log", "text")
	says(t, p, "freezes")
	p.Signal(syscall.SIGINT)
	if code := p.Wait(t); code != exitDone {
		t.Errorf("it ended with %d; it said:\n%s", code, p.Log())
	}
}

func TestParseTopic(t *testing.T) {
	for text, want := range map[string]string{
		"/scan:std_msgs/msg/Empty:50Hz": "20ms",
		"scan:std_msgs/msg/Empty:0.5":   "2s",
		"/scan:std_msgs/Empty:50Hz":     "write it like",
		"/scan:std_msgs/msg/Empty":      "write it like",
		"/scan:std_msgs/msg/Empty:0Hz":  "write a rate",
		"/scan:std_msgs/msg/Empty:1.1.": "write a rate",
		":std_msgs/msg/Empty:1":         "write it like",
	} {
		topic, err := parseTopic(text)
		got := topic.Every.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestOptionsOfNode(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		errs string
	}{
		"a step that is none":          {[]string{"--freeze", "sing"}, "write one of configure"},
		"a late answer without a time": {[]string{"--late-answer", "activate"}, "like activate=3s"},
		"a late answer of no step":     {[]string{"--late-answer", "sing=3s"}, "write one of configure"},
		"a time that is none":          {[]string{"--die-after", "soon"}, "write a time like 2s"},
		"no times at all":              {[]string{"--times", "0"}, "from 1 on"},
		"a name that is none": {[]string{"bad-name"},
			`"bad-name" is no name of a node: ROS does not take "-" in one; use letters`},
		"a lease that is none":       {[]string{"--arm", "--lease", "/a b"}, `"/a b" is no name of a topic`},
		"a service that is none":     {[]string{"--arm-service", "~/1st"}, `"~/1st" is no name of a service`},
		"a service without its type": {[]string{"--service", "/test"}, "like /self_test:std_srvs/srv/Trigger"},
		"a topic that is none": {[]string{"--topic", "/sc-an:std_msgs/msg/Empty:1Hz"},
			`"/sc-an" is no name of a topic`},
	} {
		t.Run(name, func(t *testing.T) {
			if code, _, errs := invoke(append([]string{"node", "/a"}, c.args...)...); code != exitBadInput ||
				!strings.Contains(errs, c.errs) {
				t.Errorf("code %d, %q, want %q", code, errs, c.errs)
			}
		})
	}
}

// TestDemoNodesHaveParameterServices: `ros2 param list` waits 5 s for each node without them.
func TestDemoNodesHaveParameterServices(t *testing.T) {
	host := bed.StartHost(t)
	node := "/" + bed.Unique(t, "demo")
	says(t, rstate(t, "node", node, "--log", "text"), "is there")
	var answer struct{ Result struct{ Names []string } }
	bed.Eventually(t, node+" lists its parameters", func() (string, bool) {
		err := host.Call("rcl_interfaces/srv/ListParameters", node+"/list_parameters", map[string]any{}, 5*time.Second,
			&answer)
		return "", err == nil && slices.Contains(answer.Result.Names, "use_sim_time")
	})
}

// TestRunExpandsHome: launch passes ~ on as it was written.
func TestRunExpandsHome(t *testing.T) {
	file, _, _ := twoNodes(t)
	home := filepath.Dir(file)
	t.Setenv("HOME", home)
	for name, args := range map[string][]string{
		"on the command line": {"~/" + filepath.Base(file), "--journal", "~/journal", "--ros-args"},
		"as parameters":       {"--ros-args", "-p", "network:=~/" + filepath.Base(file), "-p", "journal:=~/journal"},
	} {
		t.Run(name, func(t *testing.T) {
			os.RemoveAll(filepath.Join(home, "journal"))
			p := rstate(t, append(append([]string{"run", "--log", "text"}, args...), "-r",
				"__node:="+bed.Unique(t, "rstate"))...)
			says(t, p, "rstate starts")
			bed.Eventually(t, "the journal is in the home folder", func() (string, bool) {
				files, err := os.ReadDir(filepath.Join(home, "journal"))
				return "", err == nil && len(files) > 0
			})
			p.Signal(syscall.SIGTERM)
			p.Wait(t)
		})
	}
}
