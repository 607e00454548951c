package gen

import (
	"fmt"
	"strings"
)

// idlPrimitives maps the words of IDL to those of .msg files.
var idlPrimitives = map[string]string{
	"boolean": "bool", "octet": "byte", "char": "char", "wchar": "wchar",
	"float": "float32", "double": "float64", "long double": "long double",
	"short": "int16", "unsigned short": "uint16", "long": "int32", "unsigned long": "uint32",
	"long long": "int64", "unsigned long long": "uint64",
	"int8": "int8", "uint8": "uint8", "int16": "int16", "uint16": "uint16",
	"int32": "int32", "uint32": "uint32", "int64": "int64", "uint64": "uint64",
	"string": "string", "wstring": "wstring",
}

// typ reads a type with its optional bound.
func (p *idlParser) typ() (Type, error) {
	word := p.next()
	if word == "sequence" {
		return p.sequence()
	}
	for next := p.peek(); idlPrimitives[word+" "+next] != "" || word == "unsigned"; next = p.peek() {
		word += " " + p.next()
	}
	if primitive := idlPrimitives[word]; primitive != "" {
		t := Type{Primitive: primitive}
		if p.peek() == "<" {
			return t, p.bound()
		}
		return t, nil
	}
	parts := []string{word}
	for p.peek() == "::" {
		p.next()
		parts = append(parts, p.next())
	}
	if t, ok := p.typedefs[parts[len(parts)-1]]; ok && len(parts) == 1 {
		return t, nil
	}
	switch len(parts) {
	case 1:
		return Type{Nested: Name{p.name.Pkg, p.name.Kind, word}}, nil
	case 3:
		return Type{Nested: Name{parts[0], parts[1], parts[2]}}, nil
	}
	return Type{}, fmt.Errorf("%q is no type", strings.Join(parts, "::"))
}

func (p *idlParser) bound() error {
	p.next()
	p.next()
	return p.expect(">")
}

func (p *idlParser) sequence() (Type, error) {
	if err := p.expect("<"); err != nil {
		return Type{}, err
	}
	t, err := p.typ()
	if err != nil {
		return t, err
	}
	if t.Shape != Single {
		return t, fmt.Errorf("a sequence of lists is not supported")
	}
	t.Shape = Sequence
	if p.peek() == "," {
		return t, p.bound()
	}
	return t, p.expect(">")
}
