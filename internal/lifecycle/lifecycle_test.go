package lifecycle

import (
	"maps"
	"strings"
	"testing"
)

// TestLabelsAsWords: people read two words where lifecycle_msgs writes one, and every other label as it is.
func TestLabelsAsWords(t *testing.T) {
	got := map[string]string{}
	for _, n := range names {
		if words := n.state.Words(); words != n.label {
			got[n.label] = words
		}
	}
	want := map[string]string{"cleaningup": "cleaning up", "shuttingdown": "shutting down",
		"errorprocessing": "error processing"}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Words("moving"); got != "moving" {
		t.Errorf("the state of a machine of one's own is %q", got)
	}
}

func TestWay(t *testing.T) {
	cases := []struct {
		from, to State
		way      string // "-" where there is none
	}{
		{Unconfigured, Unconfigured, ""},
		{Unconfigured, Inactive, "configure"},
		{Unconfigured, Active, "configure activate"},
		{Unconfigured, Finalized, "shutdown"},
		{Inactive, Unconfigured, "cleanup"},
		{Inactive, Active, "activate"},
		{Active, Inactive, "deactivate"},
		{Active, Unconfigured, "deactivate cleanup"},
		{Active, Finalized, "shutdown"},
		{Finalized, Active, "-"},
		{Finalized, Finalized, ""},
		{Unknown, Active, "-"},
		{Configuring, Active, "-"},
		{Inactive, ErrorProcessing, "-"},
	}
	for _, c := range cases {
		t.Run(c.from.String()+" to "+c.to.String(), func(t *testing.T) {
			way, ok := Way(c.from, c.to)
			labels := make([]string, len(way))
			for i, step := range way {
				labels[i] = step.Label
			}
			got := strings.Join(labels, " ")
			if !ok {
				got = "-"
			}
			if got != c.way {
				t.Errorf("way is %q, want %q", got, c.way)
			}
		})
	}
}

// A node of a newer release may refuse an id that does not fit its state, so shutdown has three.
func TestShutdownIDDependsOnTheState(t *testing.T) {
	for state, id := range map[State]uint8{Unconfigured: 5, Inactive: 6, Active: 7} {
		if got := Shutdown(state); got.ID != id || got.Label != "shutdown" {
			t.Errorf("shutdown from %v is %d %q, want %d \"shutdown\"", state, got.ID, got.Label, id)
		}
	}
}

func TestLabelsReadBack(t *testing.T) {
	for _, n := range names {
		if got, ok := Parse(n.state.String()); !ok || got != n.state {
			t.Errorf("Parse(%q) = %v, %v", n.state.String(), got, ok)
		}
	}
	if _, ok := Parse("armed"); ok {
		t.Error("armed is no state of a lifecycle node, yet it was read as one")
	}
}
