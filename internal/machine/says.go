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
				c.place(find(own, "says"), own).Fault(fmt.Sprintf("%s says %s from %s, and so does %s: peers cannot tell the two", t.Name, t.Says, from, o.Name), "give one of the two another word")
				return
			}
		}
	}
}
