package machine

import (
	"fmt"
	"slices"

	"rstate/internal/strict"
)

// The word of a command on the lifecycle topic. Where an original says two of its commands with one word, the
// origin decides which of the two is meant.

// Said returns the word for a command on the lifecycle topic.
func (m *Machine) Said(command string) string {
	if t, ok := m.Transition(command); ok && t.Says != "" {
		return t.Says
	}
	return command
}

// Told returns the state and the word with which peers that know only the commands of clients learn of a change to the
// target. The peers are in the state peers, and the network left the state origin. The command that made the change has
// its own word if it leads from one of the two to the target. A hidden command, and a change that no command made, have
// the word of the first command that does. Told returns false if there is none.
func (m *Machine) Told(command, peers, origin, target string) (source, word string, ok bool) {
	leads := func(t Transition, from string) bool {
		return !t.Hidden && slices.Contains(t.From, from) && t.target(from) == target
	}
	from := []string{peers, origin}
	for _, source := range from {
		if t, known := m.Transition(command); known && leads(t, source) {
			return source, m.Said(command), true
		}
	}
	for _, source := range from {
		for _, t := range m.Transitions {
			if !t.Loop && leads(t, source) {
				return source, m.Said(t.Name), true
			}
		}
	}
	return "", "", false
}

// Heard returns the command that a peer means by a word that leads from a state of its own to another one.
func (m *Machine) Heard(word, source, target string) string {
	for _, t := range m.Transitions {
		if t.Says == word && word != "" && slices.Contains(t.From, source) && t.target(source) == target {
			return t.Name
		}
	}
	return word
}

// says checks that the word of a command means no other command from the same origin.
func (c *check) says(t Transition, own strict.Value) {
	if t.Says == "" {
		return
	}
	for _, o := range c.Machine.Transitions {
		if o.Name == t.Name || o.Name != t.Says && o.Says != t.Says {
			continue
		}
		for _, from := range c.origins(t) {
			if slices.Contains(c.origins(o), from) {
				c.place(find(own, "says"),
					own).Fault(fmt.Sprintf("%s says %s from %s, and so does %s: peers cannot tell the two", t.Name,
					t.Says, from, o.Name), "give one of the two another word")
				return
			}
		}
	}
}
