package gen

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ParseMsg reads the text of a .msg, .srv or .action file. Errors name the line.
func ParseMsg(name Name, text string) (*Interface, error) {
	i := &Interface{Name: name}
	parts := suffixes[name.Kind]
	section := 0
	begin := func() {
		i.Messages = append(i.Messages, &Message{Name: Name{name.Pkg, name.Kind, name.Name + parts[section]}})
	}
	begin()
	text = strings.TrimPrefix(text, "\ufeff")
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case line == "---":
			if section++; section == len(parts) {
				return nil, fmt.Errorf("line %d: a .%s file has %d sections, this is one too many", n+1, name.Kind,
					len(parts))
			}
			begin()
		default:
			if err := parseLine(i.Messages[section], line); err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
		}
	}
	if section != len(parts)-1 {
		return nil, fmt.Errorf("a .%s file has %d sections, separated by ---; this one has %d", name.Kind, len(parts),
			section+1)
	}
	if name.Kind == "action" {
		i.withParts()
	}
	return i, nil
}

var (
	typePattern = regexp.MustCompile(
		`^([A-Za-z][A-Za-z0-9_]*(?:/[A-Za-z][A-Za-z0-9_]*){0,2})(?:<=(\d+))?(\[(<=)?(\d+)?\])?$`)
	constantPattern = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_]*)\s*=\s*(.*)$`)
	fieldPattern    = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_]*)(?:\s+(.*))?$`)
)

// parseLine adds one field or constant to m.
func parseLine(m *Message, line string) error {
	end := strings.IndexAny(line, " \t")
	if end < 0 {
		return fmt.Errorf("%q: a type and a name are wanted", line)
	}
	t, err := parseType(m.Pkg, line[:end])
	if err != nil {
		return err
	}
	rest := strings.TrimSpace(line[end:])
	if c := constantPattern.FindStringSubmatch(rest); c != nil {
		value, err := literal(t, c[2])
		if err != nil || t.Shape != Single {
			return fmt.Errorf("constant %s: %q is no value of type %s", c[1], c[2], line[:end])
		}
		m.Constants = append(m.Constants, Constant{c[1], t, value})
		return nil
	}
	f := fieldPattern.FindStringSubmatch(rest)
	if f == nil {
		return fmt.Errorf("%q is no field name", rest)
	}
	field := Field{Name: f[1], Type: t}
	if f[2] != "" {
		if field.Default, err = defaults(t, f[2]); err != nil {
			return fmt.Errorf("field %s: %w", f[1], err)
		}
	}
	m.Fields = append(m.Fields, field)
	return nil
}

func parseType(pkg, s string) (Type, error) {
	p := typePattern.FindStringSubmatch(s)
	if p == nil {
		return Type{}, fmt.Errorf("%q is no type", s)
	}
	base, bound, list, upTo, count := p[1], p[2], p[3], p[4], p[5]
	t := baseType(pkg, base)
	if bound != "" && t.Primitive != "string" && t.Primitive != "wstring" {
		return t, fmt.Errorf("%q: only strings have such a bound", s)
	}
	switch {
	case list == "":
	case upTo == "" && count != "":
		t.Shape = Array
		n, err := strconv.Atoi(count)
		if err != nil || n == 0 {
			return t, fmt.Errorf("%q: an array of that length is not possible", s)
		}
		t.Len = n
	case upTo != "" && count == "":
		return t, fmt.Errorf("%q: the bound is missing", s)
	default:
		t.Shape = Sequence
	}
	return t, nil
}

// baseType returns the type of a single value.
func baseType(pkg, base string) (t Type) {
	switch parts := strings.Split(base, "/"); {
	case goPrimitives[base] != "" && base != "wchar":
		t.Primitive = base
	case len(parts) == 1:
		t.Nested = Name{pkg, "msg", base}
	case len(parts) == 2:
		t.Nested = Name{parts[0], "msg", parts[1]}
	default:
		t.Nested = Name{parts[0], parts[1], parts[2]}
	}
	return t
}

// defaults reads a field's default value.
func defaults(t Type, s string) ([]string, error) {
	if t.Primitive == "" {
		return nil, fmt.Errorf("%q: a nested message has no default of its own", s)
	}
	values := []string{s}
	if t.Shape != Single {
		var err error
		if values, err = splitList(s); err != nil {
			return nil, err
		}
		if t.Shape == Array && len(values) != t.Len {
			return nil, fmt.Errorf("%d default values for an array of %d", len(values), t.Len)
		}
	}
	out := make([]string, len(values))
	for i, v := range values {
		l, err := literal(t, v)
		if err != nil {
			return nil, err
		}
		out[i] = l
	}
	return out, nil
}
