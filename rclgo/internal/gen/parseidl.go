package gen

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ParseIDL reads an .idl file: modules, structs, constants, typedefs, and the annotation
// @default. It is for packages that have no .msg file of a type. It refuses unions, enums
// and maps, which ROS does not support either.
func ParseIDL(name Name, text string) (*Interface, error) {
	tokens, err := scanIDL(text)
	if err != nil {
		return nil, err
	}
	p := &idlParser{tokens: tokens, typedefs: map[string]Type{}, structs: map[string]*Message{}, name: name}
	for p.peek() != "" {
		if err := p.definition(nil); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.line(), err)
		}
	}
	i := &Interface{Name: name}
	for _, suffix := range suffixes[name.Kind] {
		m := p.structs[name.Name+suffix]
		if m == nil {
			return nil, fmt.Errorf("it has no struct %s", name.Name+suffix)
		}
		m.Constants = p.constants[m.Name.Name]
		i.Messages = append(i.Messages, m)
	}
	if name.Kind == "action" {
		i.withParts()
	}
	return i, nil
}

type idlToken struct {
	text string
	line int
}

var idlPattern = regexp.MustCompile(`(?s)^(?://[^\n]*|/\*.*?\*/|#[^\n]*|\s+)|` +
	`^(L?"(?:\\.|[^"\\])*"|L?'(?:\\.|[^'\\])*'|[A-Za-z_][A-Za-z0-9_]*|[-+]?(?:0[xX][0-9a-fA-F]+|[0-9.]+(?:[eE][-+]?\d+)?)|::|[@(){}<>\[\];,=:])`)

func scanIDL(text string) ([]idlToken, error) {
	var tokens []idlToken
	for line := 1; text != ""; {
		m := idlPattern.FindStringSubmatchIndex(text)
		if m == nil {
			return nil, fmt.Errorf("line %d: %q is not understood", line, text[:min(len(text), 20)])
		}
		if m[2] >= 0 {
			tokens = append(tokens, idlToken{text[m[2]:m[3]], line})
		}
		line += strings.Count(text[:m[1]], "\n")
		text = text[m[1]:]
	}
	return tokens, nil
}

type idlParser struct {
	name      Name
	tokens    []idlToken
	at        int
	typedefs  map[string]Type
	structs   map[string]*Message
	constants map[string][]Constant // by struct
}

func (p *idlParser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at].text
	}
	return ""
}

func (p *idlParser) next() string {
	t := p.peek()
	p.at++
	return t
}

func (p *idlParser) line() int {
	if len(p.tokens) == 0 {
		return 1
	}
	return p.tokens[min(max(p.at-1, 0), len(p.tokens)-1)].line
}

func (p *idlParser) expect(want string) error {
	if got := p.next(); got != want {
		return fmt.Errorf("%q instead of %q", got, want)
	}
	return nil
}

// definition reads one module, struct, constant or typedef; modules are the enclosing ones.
func (p *idlParser) definition(modules []string) error {
	if _, err := p.annotations(); err != nil {
		return err
	}
	switch t := p.next(); t {
	case "module":
		return p.module(append(modules, p.next()))
	case "struct":
		return p.structure()
	case "const":
		return p.constant(modules)
	case "typedef":
		f, err := p.declaration()
		p.typedefs[f.Name] = f.Type
		return err
	default:
		return fmt.Errorf("%q is not supported here; describe the type in a .msg, .srv or .action file", t)
	}
}

func (p *idlParser) module(modules []string) error {
	if err := p.expect("{"); err != nil {
		return err
	}
	for p.peek() != "}" {
		if p.peek() == "" {
			return fmt.Errorf("module %s is not closed", modules[len(modules)-1])
		}
		if err := p.definition(modules); err != nil {
			return err
		}
	}
	p.next()
	return p.expect(";")
}

func (p *idlParser) structure() error {
	m := &Message{Name: Name{p.name.Pkg, p.name.Kind, p.next()}}
	if err := p.expect("{"); err != nil {
		return err
	}
	for p.peek() != "}" {
		value, err := p.annotations()
		if err != nil {
			return err
		}
		f, err := p.declaration()
		if err != nil {
			return err
		}
		if value != "" {
			if f.Default, err = defaults(f.Type, value); err != nil {
				return fmt.Errorf("field %s: %w", f.Name, err)
			}
		}
		if f.Name != "structure_needs_at_least_one_member" {
			m.Fields = append(m.Fields, f)
		}
	}
	p.next()
	p.structs[m.Name.Name] = m
	return p.expect(";")
}

func (p *idlParser) constant(modules []string) error {
	t, err := p.typ()
	if err != nil {
		return err
	}
	name := p.next()
	if err := p.expect("="); err != nil {
		return err
	}
	value, err := literal(t, p.strings())
	if err != nil {
		return err
	}
	if of, ok := strings.CutSuffix(modules[max(len(modules)-1, 0)], "_Constants"); ok {
		if p.constants == nil {
			p.constants = map[string][]Constant{}
		}
		p.constants[of] = append(p.constants[of], Constant{name, t, value})
	}
	return p.expect(";")
}

// strings reads one value; string literals that follow each other are one.
func (p *idlParser) strings() string {
	v := p.next()
	for strings.HasPrefix(p.peek(), `"`) && strings.HasSuffix(v, `"`) {
		v = v[:len(v)-1] + p.next()[1:]
	}
	return strings.TrimPrefix(v, "L")
}

// annotations skips annotations and returns the value of @default, if there is one.
func (p *idlParser) annotations() (value string, err error) {
	for p.peek() == "@" {
		p.next()
		name := p.next()
		if p.peek() != "(" {
			continue
		}
		p.next()
		for depth := 1; depth > 0; {
			switch t := p.next(); t {
			case "(":
				depth++
			case ")":
				depth--
			case "":
				return "", fmt.Errorf("annotation @%s is not closed", name)
			case "=":
				if name == "default" {
					value = p.strings()
				}
			}
		}
	}
	if strings.HasPrefix(value, `"(`) { // the value of an array, as a string
		value = strings.ReplaceAll(value[1:len(value)-1], `\"`, `"`)
	}
	return value, nil
}

// declaration reads a type, a name, the length of an array, and the terminator.
func (p *idlParser) declaration() (f Field, err error) {
	if f.Type, err = p.typ(); err != nil {
		return f, err
	}
	f.Name = p.next()
	if p.peek() == "[" {
		p.next()
		f.Type.Shape = Array
		if f.Type.Len, err = strconv.Atoi(p.next()); err != nil {
			return f, fmt.Errorf("field %s: %w", f.Name, err)
		}
		if err := p.expect("]"); err != nil {
			return f, err
		}
	}
	return f, p.expect(";")
}
