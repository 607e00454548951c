package machine

import (
	"fmt"
	"strings"
	"unicode"

	"rstate/internal/strict"
)

// spelling is what remains of a name when case, blanks, - and _ are ignored.
func spelling(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '-', '_':
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// Misspelt says that a word is neither a command nor a state that can be asked for, and which one is near.
func (m *Machine) Misspelt(word string) string {
	text := fmt.Sprintf("%q is neither a command nor a state of machine %s", word, m.Name)
	if near := strict.Suggest(word, m.Words(), ""); near != "" {
		text += "; " + near
	}
	return text
}

// Words lists the commands and the states that can be asked for.
func (m *Machine) Words() []string {
	var words []string
	for _, t := range m.Transitions {
		if !t.Hidden {
			words = append(words, t.Name)
		}
	}
	for _, s := range m.States {
		if !s.Passing {
			words = append(words, s.Name)
		}
	}
	return words
}

// Command reads what a person or a tool asks for: the name of a command, or of a state to reach. A command wins over
// a state of the same name. Case, blanks, - and _ are ignored. Passing states and hidden commands cannot be asked for.
func (m *Machine) Command(s string) (name string, isState, ok bool) {
	wanted := spelling(s)
	for _, t := range m.Transitions {
		if !t.Hidden && spelling(t.Name) == wanted {
			return t.Name, false, true
		}
	}
	for _, state := range m.States {
		if !state.Passing && spelling(state.Name) == wanted {
			return state.Name, true, true
		}
	}
	return "", false, false
}
