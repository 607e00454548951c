package machine

import (
	"strings"
	"testing"
)

// TestP1TheWordOnTheTopic: a command has a word of its own there, and the source state of a message decides which
// command a word means.
func TestP1TheWordOnTheTopic(t *testing.T) {
	m, err := Preset("nrp")
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{"reset": "initialized", "initialized": "initialized",
		"started": "started", "": ""} {
		if got := m.Said(command); got != want {
			t.Errorf("the word for %q is %q, want %q", command, got, want)
		}
	}
	for _, c := range []struct{ word, source, target, want string }{
		{"initialized", "created", "paused", "initialized"},
		{"initialized", "paused", "paused", "reset"},
		{"initialized", "started", "paused", "reset"},
		{"initialized", "started", "halted", "initialized"},
		{"initialized", "halted", "paused", "initialized"},
		{"reset", "started", "paused", "reset"},
		{"", "started", "paused", ""},
	} {
		if got := m.Heard(c.word, c.source, c.target); got != c.want {
			t.Errorf("%q from %s to %s means %q, want %q", c.word, c.source, c.target, got, c.want)
		}
	}
}

// TestP1TheWordsOfWhatIsTold: a change has a word of a command that clients have, and which leads from the state of the
// peers, or else from the state of the network, to the target.
func TestP1TheWordsOfWhatIsTold(t *testing.T) {
	m, err := Preset("nrp")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ command, peers, origin, target, want string }{
		{"paused", "started", "started", "paused", "paused from started"},
		{"paused", "", "started", "paused", "paused from started"},
		{"reset", "started", "started", "paused", "initialized from started"},
		{"reset", "paused", "paused", "paused", "initialized from paused"},
		{"failed", "paused", "started", "halted", "failed from paused"},
		{"initialized", "started", "created", "paused", "initialized from created"},
		{"shutdown", "created", "created", "stopped", "stopped from created"},
		{"shutdown", "halted", "halted", "failed", "stopped from halted"},
		{"failed", "halted", "halted", "failed", "stopped from halted"},
		{"shutdown", "", "unknown", "stopped", ""},
		{"", "paused", "started", "started", "started from paused"},
		{"", "started", "started", "paused", "paused from started"},
		{"", "started", "started", "created", ""},
		{"", "paused", "paused", "paused", ""},
	} {
		source, word, ok := m.Told(c.command, c.peers, c.origin, c.target)
		got := ""
		if ok {
			got = word + " from " + source
		}
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestAWordMeansOneCommand: from one state.
func TestAWordMeansOneCommand(t *testing.T) {
	for text, want := range map[string]string{
		"transitions:\n  reset: {says: started}\n":       "reset says started from paused, and so does started: peers cannot tell the two",
		"transitions:\n  started: {says: initialized}\n": "says initialized from paused, and so does",
	} {
		if _, err := parse("m.yaml", []byte(nrpAs(text))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
