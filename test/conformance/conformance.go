// Package conformance tests an implementation of the mirroring rules, in any language, by what is
// visible from outside: the messages to an instance with peers, the calls of its node, and the
// messages to its peers. The cases are data, in testdata/mirroring.json; the README beside them
// describes the format.
//
// It may import the standard library only, so that it can test another implementation without
// rstate.
package conformance

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Subject is one instance under test, for one case. An error means that the subject could not be
// reached, not that its behaviour was wrong.
type Subject interface {
	// Begin starts the subject with a network of one node, /n0, and returns when it has settled.
	Begin(Setup) error
	// Command sends a command as a goal, and reports whether the goal was accepted.
	Command(name string) (accepted bool, err error)
	// Hear sends the subject a change of a peer.
	Hear(Change) error
	// Tell sends the subject the status of a peer, then repeats it twice a second until the next
	// one of that instance.
	Tell(Status) error
	// Lose ends an instance: it sends nothing more, and its liveliness ends.
	Lose(name, instance string) error
	// Wait lets that much time pass.
	Wait(time.Duration) error
	// Rest lets that much time pass, and then returns when the subject has settled.
	Rest(time.Duration) (Seen, error)
}

// Me stands for the instance id of the subject, wherever one is in a case.
const Me = "me"

// Setup is the network of the subject, which is called /me.
type Setup struct {
	State    string   `json:"state"`    // of its node at the start
	Required []string `json:"required"` // its peers: {required: …}
	Plain    []string `json:"plain"`    // its peers: {plain: …}
	Refuses  string   `json:"refuses"`  // the transition that its node refuses; empty: none
	Slow     string   `json:"slow"`     // the transition that takes its node three seconds; empty: none
	Secret   bool     `json:"secret"`   // its file names a secret for arming
}

// Change is a message on the lifecycle topic.
type Change struct {
	Name     string            `json:"name"`
	Instance string            `json:"instance"` // empty: it publishes only the four fields
	Source   string            `json:"source"`
	Event    string            `json:"event"`
	Target   string            `json:"target"`
	State    string            `json:"state"` // empty: the target
	Seen     map[string]uint64 `json:"seen"`
	Alien    bool              `json:"alien"` // it has another machine
}

// Status is the status of a peer.
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

// Seen is the visible state of the subject.
type Seen struct {
	State string `json:"state"` // of its network
	// calls of its node since the previous Seen or the start, in order; a repeated disarm counts once
	Asked []string `json:"asked"`
	// its own changes since the previous Seen: each message that raises its own count
	Made   []Made            `json:"made"`
	Seen   map[string]uint64 `json:"seen"`   // in its status, entries of 0 left out
	Target string            `json:"target"` // in its status
	Behind bool              `json:"behind"` // in its status
}

// Made is one of the subject's own changes.
type Made struct {
	Event  string            `json:"event"`
	Target string            `json:"target"`
	Seen   map[string]uint64 `json:"seen"`
}

// Case is one test vector.
type Case struct {
	Name  string `json:"name"`
	Rule  string `json:"rule"`
	Setup Setup  `json:"setup"`
	Steps []Step `json:"steps"`
}

// Step is one event, and what must be visible then. Only the given fields of Then count.
type Step struct {
	Command  string        `json:"command"`
	Rejected bool          `json:"rejected"` // the command must be rejected
	Change   *Change       `json:"change"`
	Status   *Status       `json:"status"`
	Lost     *Status       `json:"lost"` // only its name and instance count
	Wait     time.Duration `json:"wait_ms"`
	Then     *Expected     `json:"then"`
}

// Expected is what must be visible. Fields that are not given are not checked.
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

// Measure runs a case and lists the differences of the subject.
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

// differ lists the differences from the expectation.
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
