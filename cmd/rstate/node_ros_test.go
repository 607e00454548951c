//go:build ros

package main

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
)

// TestDemoNodeDies: its process goes as if it were killed, in the middle of a transition or when its time has come.
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

// TestFrozenDemoNodeEnds: Ctrl-C reaches the process, though the node hears nothing any more.
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
	} {
		t.Run(name, func(t *testing.T) {
			if code, _, errs := invoke(append([]string{"node", "/a"}, c.args...)...); code != exitBadInput || !strings.Contains(errs, c.errs) {
				t.Errorf("code %d, %q, want %q", code, errs, c.errs)
			}
		})
	}
}
