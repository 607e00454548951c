package machine

import (
	"fmt"
	"strings"
	"unicode"

	"rstate/internal/clean"
	"rstate/internal/strict"
)

// Word is a text from outside that names a command or a state. It is read once, at the border of the
// process, and all that follows decides on the Word: two readers of the raw text could understand it
// differently. Only ReadWord makes one of a text from outside.
type Word string

// ReadWord reads a text from outside: without what is not printable, and without blanks around it.
func ReadWord(text string) Word { return Word(strings.TrimSpace(clean.Short(text))) }

// String returns the word as it is shown.
func (w Word) String() string { return string(w) }

// spelling is what remains of a name when case, blanks of all kinds, - and _ are ignored.
func spelling(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || unicode.IsSpace(r) || unicode.In(r, unicode.Z) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// Misspelt says that a word is neither a command nor a state that can be asked for, and which one is near.
func (m *Machine) Misspelt(w Word) string {
	word := w.String()
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
func (m *Machine) Command(w Word) (name string, isState, ok bool) {
	wanted := spelling(string(w))
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
