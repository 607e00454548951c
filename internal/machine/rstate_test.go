package machine

import (
	"strings"
	"testing"

	"rstate/internal/lifecycle"
)

// The ids are sent in messages, to tools that do not know this machine.
func TestIDsAreThoseOfLifecycleMsgs(t *testing.T) {
	own := map[string]uint8{"armed": IDArmed, "arming": IDArming, "disarming": IDDisarming}
	for _, s := range rstate(t).States {
		want, mine := own[s.Name]
		if !mine {
			theirs, ok := lifecycle.Parse(s.Name)
			if !ok {
				t.Errorf("state %q is neither ROS's nor listed as ours", s.Name)
			}
			want = uint8(theirs)
		}
		if s.ID != want {
			t.Errorf("state %q has the id %d, want %d", s.Name, s.ID, want)
		}
	}
}

func TestPath(t *testing.T) {
	cases := []struct{ from, to, path string }{ // "-" where there is none
		{"unconfigured", "unconfigured", ""},
		{"unconfigured", "inactive", "configure"},
		{"unconfigured", "active", "configure activate"},
		{"unconfigured", "armed", "configure activate arm"},
		{"unconfigured", "finalized", "shutdown"},
		{"inactive", "armed", "activate arm"},
		{"inactive", "unconfigured", "cleanup"},
		{"active", "unconfigured", "deactivate cleanup"},
		{"armed", "active", "disarm"},
		{"armed", "inactive", "disarm deactivate"},
		{"armed", "unconfigured", "disarm deactivate cleanup"},
		{"armed", "finalized", "shutdown"},
		{"unknown", "finalized", "shutdown"},
		{"unknown", "active", "-"},
		{"configuring", "active", "-"},
		{"finalized", "unconfigured", "-"},
		{"active", "activating", "-"},
		{"active", "nowhere", "-"},
	}
	m := rstate(t)
	for _, c := range cases {
		t.Run(c.from+" to "+c.to, func(t *testing.T) {
			path, ok := m.Path(c.from, c.to)
			got := strings.Join(path, " ")
			if !ok {
				got = "-"
			}
			if got != c.path {
				t.Errorf("path is %q, want %q", got, c.path)
			}
		})
	}
}

// Levels decide which changes are lowerings, and which of two states takes precedence when two
// sides disagree.
func TestLowering(t *testing.T) {
	order := []string{"finalized", "unconfigured", "inactive", "active", "armed"}
	m := rstate(t)
	for i, a := range order {
		if got := m.Level(a); got != i {
			t.Errorf("level of %s is %d, want %d", a, got, i)
		}
		for j, b := range order {
			if got := m.Lowers(a, b); got != (j < i) {
				t.Errorf("%s to %s lowers: %v", a, b, got)
			}
			if got := m.Lower(a, b); got != order[min(i, j)] {
				t.Errorf("of %s and %s the lower is %s", a, b, got)
			}
		}
	}
	if got := m.Disarmed("armed"); got != "active" {
		t.Errorf("armed without arming is %s, want active", got)
	}
	if d, ok := m.Disarm("armed"); !ok || d.Name != "disarm" {
		t.Errorf("armed is left by %q, want disarm", d.Name)
	}
	if _, ok := m.Disarm("active"); ok {
		t.Error("active is disarmed by a command although nothing is armed in it")
	}
}

func TestCommandSpellings(t *testing.T) {
	cases := []struct {
		typed, name string
		isState     bool
	}{
		{"configure", "configure", false},
		{"Clean Up", "cleanup", false},
		{"clean_up", "cleanup", false},
		{"SHUT-DOWN", "shutdown", false},
		{"Active", "active", true},
		{"un configured", "unconfigured", true},
		{"armed", "armed", true},
		{"configuring", "", false},
		{"unknown", "", false},
		{"", "", false},
		{"fly", "", false},
	}
	m := rstate(t)
	for _, c := range cases {
		t.Run(c.typed, func(t *testing.T) {
			name, isState, ok := m.Command(ReadWord(c.typed))
			if name != c.name || isState != c.isState || ok != (c.name != "") {
				t.Errorf("read as %q, state %v, ok %v; want %q, state %v", name, isState, ok, c.name, c.isState)
			}
		})
	}
	both := &Machine{States: []State{{Name: "started"}}, Transitions: []Transition{{Name: "started"}}}
	if _, isState, _ := both.Command("Started"); isState {
		t.Error("the state won over the command of the same name")
	}
}

// Peers follow each other only with equal hashes: the content counts, not the name.
func TestHashFollowsContentOnly(t *testing.T) {
	m := rstate(t)
	same, other := *m, *m
	same.Name, same.Base = "ours", "rstate"
	if same.Hash() != m.Hash() || rstate(t).Hash() != m.Hash() {
		t.Error("the hash of the same content differs")
	}
	other.Transitions = append([]Transition{}, m.Transitions...)
	other.Transitions[0].Cancel = Refuse
	if other.Hash() == m.Hash() {
		t.Error("another rule for cancelling left the hash as it was")
	}
}

func TestPresetsThatAreNotThere(t *testing.T) {
	for name, want := range map[string]string{
		"rstaet": `cannot load machine "rstaet": it does not exist; did you mean rstate?`,
		"":       `cannot load machine "": it does not exist; there is cle, cloe, nrp, rock, roscle or rstate`,
	} {
		if _, err := Preset(name); err == nil || err.Error() != want {
			t.Errorf("Preset(%q): %v, want %s", name, err, want)
		}
	}
	for _, name := range Presets() {
		if m, err := Preset(name); err != nil || m.Name != name {
			t.Errorf("preset %q: %v", name, err)
		}
	}
}
