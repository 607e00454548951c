package strict

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Schema is a JSON Schema.
type Schema map[string]any

// Kind reads values of one type. Read leaves what it reads into as it was where it reports a fault.
type Kind[T any] struct {
	Schema Schema
	Read   func(v Value, into *T)
	Show   func(T) any     // how the schema writes a default; nil: it has none
	Write  func(T) Written // how a file writes the value; nil: as Show does
}

// Bool reads true and false.
func Bool() Kind[bool] {
	return Kind[bool]{
		Schema: Schema{"type": "boolean"},
		Read: func(v Value, into *bool) {
			if !v.IsText() || v.node.ShortTag() != "!!bool" {
				wanted := "true or false"
				switch strings.ToLower(v.node.Value) {
				case "yes", "on":
					wanted = "true"
				case "no", "off":
					wanted = "false"
				}
				v.wrong(wanted)
				return
			}
			*into = strings.EqualFold(v.node.Value, "true")
		},
		Show: func(b bool) any { return b },
	}
}

// Int reads a whole number between two bounds.
func Int(low, high int) Kind[int] {
	wanted := fmt.Sprintf("a whole number from %d to %d", low, high)
	return Kind[int]{
		Schema: Schema{"type": "integer", "minimum": low, "maximum": high},
		Read: func(v Value, into *int) {
			text, ok := v.Text(wanted)
			if !ok {
				return
			}
			n, err := strconv.Atoi(text)
			if err != nil || n < low || n > high {
				v.wrong(wanted)
				return
			}
			*into = n
		},
		Show: func(n int) any { return n },
	}
}

// Float reads a finite number.
func Float() Kind[float64] { return FloatOf("a number, like 0.2") }

// FloatOf is Float whose faults say what is wanted.
func FloatOf(wanted string) Kind[float64] {
	return Kind[float64]{
		Schema: Schema{"type": "number"},
		Read: func(v Value, into *float64) {
			if !v.IsNumber() {
				v.wrong(wanted)
				return
			}
			var f float64
			if err := v.node.Decode(&f); err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
				v.Fault(quote(v.node.Value)+" is no finite number", "write "+wanted)
				return
			}
			*into = f
		},
		Show:  func(f float64) any { return f },
		Write: func(f float64) Written { return scalar(f) },
	}
}

// Enum reads one of a few words.
func Enum[T ~string](values ...T) Kind[T] {
	words := make([]string, len(values))
	for i, w := range values {
		words[i] = string(w)
	}
	wanted := Or(words)
	return Kind[T]{
		Schema: Schema{"enum": words},
		Read: func(v Value, into *T) {
			text, ok := v.Text(wanted)
			if !ok {
				return
			}
			if !slices.Contains(words, text) {
				v.Fault(fmt.Sprintf("is %s; it can be %s", quote(text), wanted),
					v.Report().Suggest(text, words, "write one of them"))
				return
			}
			*into = T(text)
		},
		Show: func(t T) any { return string(t) },
	}
}

// Or lists words for a person: a, b or c.
func Or(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// Text reads text for which check returns an empty problem; pattern is the same rule for the schema, as far as a
// pattern can say it.
func Text(wanted, pattern string, check func(string) (problem, hint string)) Kind[string] {
	s := Schema{"type": "string"}
	if pattern != "" {
		s["pattern"] = pattern
	}
	return Kind[string]{
		Schema: s,
		Read: func(v Value, into *string) {
			text, ok := v.Text(wanted)
			if !ok {
				return
			}
			if problem, hint := check(text); problem != "" {
				v.Fault(problem, hint)
				return
			}
			*into = text
		},
		Show: func(s string) any { return s },
	}
}

// maxDuration keeps arithmetic on durations far from overflowing; nothing in a robot's start takes a day.
const maxDuration = 24 * time.Hour

// Duration reads a time with its unit. Zero is allowed where it means something.
func Duration(zero bool) Kind[time.Duration] {
	pattern := `^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))*$`
	schema := Schema{"type": "string", "pattern": pattern}
	if zero { // 0 needs no unit
		schema = Schema{"type": []string{"string", "integer"}, "pattern": "^0$|" + pattern, "minimum": 0, "maximum": 0}
	}
	return Kind[time.Duration]{
		Schema: schema,
		Read: func(v Value, into *time.Duration) {
			const wanted = "a time with its unit, like 500ms, 30s or 2m"
			text, ok := v.Text(wanted)
			if !ok {
				return
			}
			d, err := time.ParseDuration(text)
			_, bare := finite(text)
			switch {
			case err != nil && bare:
				v.Fault("has no unit", "write "+short(text)+"s for seconds, or ms, m, h")
			case err != nil:
				v.Fault(quote(text)+" is no time", "write "+wanted)
			case d < 0:
				v.Fault("is negative", "write "+wanted)
			case d == 0 && !zero:
				v.Fault("is zero", "write how long it may take, like 10s")
			case d > maxDuration:
				v.Fault("is longer than a day", "write less than 24h")
			default:
				*into = d
			}
		},
		Show: func(d time.Duration) any { return showDuration(d) },
	}
}

var zeroTail = regexp.MustCompile(`([hm])0[ms](0s)?$`)

// showDuration writes 30s and 2m, not 2m0s.
func showDuration(d time.Duration) string { return zeroTail.ReplaceAllString(d.String(), "$1") }

// finite reads a number. NaN and infinity are none.
func finite(text string) (f float64, ok bool) {
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// Rate reads a frequency: 50Hz.
func Rate() Kind[float64] {
	const wanted = "how often it comes, like 50Hz"
	return Kind[float64]{
		Schema: Schema{"type": "string", "pattern": `^[0-9]+(\.[0-9]+)? ?Hz$`},
		Read: func(v Value, into *float64) {
			text, ok := v.Text(wanted)
			if !ok {
				return
			}
			number, unit := strings.CutSuffix(text, "Hz")
			f, ok := finite(strings.TrimSpace(number))
			switch {
			case !ok:
				v.Fault(quote(text)+" is no rate", "write "+wanted)
			case f <= 0 || f > 100_000:
				v.Fault(quote(text)+" is out of range", "write a rate above 0 and up to 100000Hz")
			case !unit:
				v.Fault("has no unit", "write "+short(text)+"Hz")
			default:
				*into = f
			}
		},
		Write: func(f float64) Written {
			if f == 0 {
				return nil
			}
			return scalar(strconv.FormatFloat(f, 'f', -1, 64) + "Hz")
		},
	}
}

// List reads a list in which nothing comes twice; name says what an item is called in a message.
func List[T comparable](item Kind[T], wanted string) Kind[[]T] {
	return Kind[[]T]{
		Schema: Schema{"type": "array", "items": item.Schema, "uniqueItems": true},
		Read: func(v Value, into *[]T) {
			items, ok := v.Items(wanted)
			if !ok {
				return
			}
			list := make([]T, 0, len(items))
			seen := make(map[T]bool, len(items))
			for _, i := range items {
				var t, none T
				item.Read(i, &t)
				switch {
				case t == none: // it was reported
				case seen[t]:
					i.Fault(fmt.Sprintf("%q is listed twice", fmt.Sprint(t)), "keep one of the two")
				default:
					seen[t] = true
					list = append(list, t)
				}
			}
			*into = list
		},
		Show: func(l []T) any { return append([]T{}, l...) },
	}
}

// Pointer reads into a fresh value that starts as fresh says, or as a copy of what is there; the key's mere presence
// makes it.
func Pointer[T any](kind Kind[T], fresh func() T) Kind[*T] {
	return Kind[*T]{
		Schema: kind.Schema,
		Read: func(v Value, into **T) {
			t := fresh()
			if *into != nil {
				t = **into
			}
			kind.Read(v, &t)
			*into = &t
		},
		Write: func(t *T) Written {
			if t == nil {
				return nil
			}
			return kind.written(*t)
		},
	}
}

// Raw keeps the value to be read later, when what it refers to is known.
func Raw(schema Schema) Kind[Value] {
	return Kind[Value]{Schema: schema, Read: func(v Value, into *Value) { *into = v }}
}

// With returns a copy with one key more.
func (s Schema) With(key string, value any) Schema {
	s = maps.Clone(s)
	s[key] = value
	return s
}
