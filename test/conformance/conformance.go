// Package conformance measures an implementation of the mirroring rules, in any language, by what is visible from outside:
// the messages to an instance with peers, the calls of its node, and the messages to its peers. The cases are data, in
// testdata/mirroring.json; the README beside them describes the format.
//
// It may import the standard library only, so that a user who measures another implementation needs nothing else of rstate.
package conformance

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Subject is one instance under test, for one case. An error says that it could not be told or asked, not that it was wrong.
type Subject interface {
	// Begin starts it with a network of one node, /n0, and returns when it has settled there.
	Begin(Setup) error
	// Command asks it for a command, as a goal, and says whether that was accepted.
	Command(name string) (accepted bool, err error)
	// Hear lets it hear a change of a peer.
	Hear(Change) error
	// Tell lets it hear the status of a peer; from then on twice a second, until the next one of that instance.
	Tell(Status) error
	// Lose ends an instance: it says nothing more, and its liveliness ends.
	Lose(name, instance string) error
	// Wait lets so much time pass, whatever runs.
	Wait(time.Duration) error
	// Rest lets so much time pass, and then returns when nothing runs any more.
	Rest(time.Duration) (Seen, error)
}

// Me stands for the instance id of the subject, wherever one is in a case.
const Me = "me"

// Setup is the network of the subject, which is called /me.
type Setup struct {
	State    string   `json:"state"`    // in which its node is at the start
	Required []string `json:"required"` // its peers: {required: …}
	Plain    []string `json:"plain"`    // its peers: {plain: …}
	Refuses  string   `json:"refuses"`  // the transition that its node refuses; empty: none
	Slow     string   `json:"slow"`     // the transition that takes its node three seconds; empty: none
	Secret   bool     `json:"secret"`   // its file names a secret for arming
}

// Change is a message on the lifecycle topic.
type Change struct {
	Name     string            `json:"name"`
	Instance string            `json:"instance"` // empty: it speaks only the four fields
	Source   string            `json:"source"`
	Event    string            `json:"event"`
	Target   string            `json:"target"`
	State    string            `json:"state"` // empty: the target
	Seen     map[string]uint64 `json:"seen"`
	Alien    bool              `json:"alien"` // its machine is another
}

// Status is what a peer says of itself.
type Status struct {
	Name     string            `json:"name"`
	Instance string            `json:"instance"`
	State    string            `json:"state"`
	Target   string            `json:"target"` // empty: the state
	Moving   bool              `json:"moving"` // it has not settled
	Broken   bool              `json:"broken"` // it is not intact
	Behind   bool              `json:"behind"`
	Leaving  bool              `json:"leaving"`
	Seen     map[string]uint64 `json:"seen"`
	Requires []string          `json:"requires"`
	Nodes    []string          `json:"nodes"`
	Alien    bool              `json:"alien"`
}

// Seen is what is to be seen of the subject.
type Seen struct {
	State  string            `json:"state"`  // of its network
	Asked  []string          `json:"asked"`  // of its node since the last look or the start, in order; a disarm that is repeated counts once
	Made   []Made            `json:"made"`   // the changes of its own since the last look: each message that raises its own count
	Seen   map[string]uint64 `json:"seen"`   // in its status, entries of 0 left out
	Target string            `json:"target"` // in its status
	Behind bool              `json:"behind"` // in its status
}

// Made is a change of the subject's own.
type Made struct {
	Event  string            `json:"event"`
	Target string            `json:"target"`
	Seen   map[string]uint64 `json:"seen"`
}

// Case is one vector.
type Case struct {
	Name  string `json:"name"`
	Rule  string `json:"rule"`
	Setup Setup  `json:"setup"`
	Steps []Step `json:"steps"`
}

// Step is one thing that happens, and what is to be seen then. Of Then only what is given counts.
type Step struct {
	Command  string        `json:"command"`
	Rejected bool          `json:"rejected"` // the command is not to be taken
	Change   *Change       `json:"change"`
	Status   *Status       `json:"status"`
	Lost     *Status       `json:"lost"` // of it only name and instance count
	Wait     time.Duration `json:"wait_ms"`
	Then     *Expected     `json:"then"`
}

// Expected is what has to be seen. What is not given is not looked at.
type Expected struct {
	State  *string           `json:"state"`
	Asked  *[]string         `json:"asked"`
	Made   *[]Made           `json:"made"`
	Seen   map[string]uint64 `json:"seen"`
	Target *string           `json:"target"`
	Behind *bool             `json:"behind"`
}

//go:embed testdata/mirroring.json
var text []byte

// Cases returns all cases.
func Cases() ([]Case, error) {
	var file struct {
		About string `json:"about"`
		Cases []Case `json:"cases"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("cannot read the cases: %w", err)
	}
	for i := range file.Cases {
		for k := range file.Cases[i].Steps {
			file.Cases[i].Steps[k].Wait *= time.Millisecond
		}
	}
	return file.Cases, nil
}

// Measure runs a case and lists where the subject differs from it.
func Measure(c Case, s Subject) (wrong []string, err error) {
	if err := s.Begin(c.Setup); err != nil {
		return nil, fmt.Errorf("cannot begin %q: %w", c.Name, err)
	}
	for k, step := range c.Steps {
		if err := step.happen(s, &wrong); err != nil {
			return wrong, fmt.Errorf("cannot do step %d of %q: %w", k+1, c.Name, err)
		}
		if step.Then == nil && step.Wait > 0 {
			err = s.Wait(step.Wait)
		}
		if err != nil {
			return wrong, fmt.Errorf("cannot wait after step %d of %q: %w", k+1, c.Name, err)
		}
		if step.Then == nil {
			continue
		}
		got, err := s.Rest(step.Wait)
		if err != nil {
			return wrong, fmt.Errorf("cannot look after step %d of %q: %w", k+1, c.Name, err)
		}
		for _, w := range step.Then.differ(got) {
			wrong = append(wrong, fmt.Sprintf("after step %d %s", k+1, w))
		}
	}
	return wrong, nil
}

func (step Step) happen(s Subject, wrong *[]string) error {
	switch {
	case step.Command != "":
		accepted, err := s.Command(step.Command)
		if accepted == step.Rejected {
			*wrong = append(*wrong, fmt.Sprintf("%s was accepted: %v, want %v", step.Command, accepted, !step.Rejected))
		}
		return err
	case step.Change != nil:
		return s.Hear(*step.Change)
	case step.Status != nil:
		return s.Tell(*step.Status)
	case step.Lost != nil:
		return s.Lose(step.Lost.Name, step.Lost.Instance)
	}
	return nil
}

// differ lists what is not as expected.
func (e Expected) differ(got Seen) (list []string) {
	say := func(what string, got, want any) {
		list = append(list, fmt.Sprintf("%s is %v, want %v", what, got, want))
	}
	if e.State != nil && got.State != *e.State {
		say("state", got.State, *e.State)
	}
	if e.Asked != nil && !slices.Equal(got.Asked, *e.Asked) {
		say("asked", got.Asked, *e.Asked)
	}
	same := func(a, b Made) bool { return a.Event == b.Event && a.Target == b.Target && maps.Equal(a.Seen, b.Seen) }
	if e.Made != nil && !slices.EqualFunc(got.Made, *e.Made, same) {
		say("made", got.Made, *e.Made)
	}
	if e.Seen != nil && !maps.Equal(got.Seen, e.Seen) {
		say("seen", got.Seen, e.Seen)
	}
	if e.Target != nil && got.Target != *e.Target {
		say("target", got.Target, *e.Target)
	}
	if e.Behind != nil && got.Behind != *e.Behind {
		say("behind", got.Behind, *e.Behind)
	}
	return list
}
