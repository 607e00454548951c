package gen

import (
	"fmt"
	"strings"
)

// messageView is the data of the templates for one message.
type messageView struct {
	view
	M          *Message
	FieldViews []fieldView
}

// fieldView is one field in Go: its declaration, and the statements that set it to its
// default and copy it deeply. t is the message and c the copy, which starts as a shallow
// one.
type fieldView struct {
	Name, Type, Tag string
	SetDefault      string
	Clone           string // empty if the shallow copy suffices
}

func newMessageView(v view, m *Message) messageView {
	mv := messageView{view: v, M: m}
	names := fieldNames(m)
	for i, f := range m.Fields {
		mv.FieldViews = append(mv.FieldViews, fieldView{
			Name:       names[i],
			Type:       v.goType(f.Type),
			Tag:        fmt.Sprintf("`yaml:%q`", f.Name),
			SetDefault: v.setDefault("t."+names[i], f),
			Clone:      v.clone(names[i], f.Type),
		})
	}
	return mv
}

// ConstantType returns the Go type of a constant.
func (messageView) ConstantType(c Constant) string { return goPrimitives[c.Type.Primitive] }

func (v view) elementType(t Type) string {
	if t.Primitive == "" {
		return v.Qualified("", t.Nested, "")
	}
	return goPrimitives[t.Primitive]
}

func (v view) goType(t Type) string {
	switch t.Shape {
	case Array:
		return fmt.Sprintf("[%d]%s", t.Len, v.elementType(t))
	case Sequence:
		return "[]" + v.elementType(t)
	}
	return v.elementType(t)
}

func (v view) setDefault(field string, f Field) string {
	t := f.Type
	switch {
	case t.Shape == Sequence && len(f.Default) == 0:
		return field + " = nil"
	case t.Shape == Array && t.Primitive == "":
		return fmt.Sprintf("for i := range %s {\n%s[i].SetDefaults()\n}", field, field)
	case t.Shape != Single:
		return fmt.Sprintf("%s = %s{%s}", field, v.goType(t), strings.Join(f.Default, ", "))
	case t.Primitive == "":
		return field + ".SetDefaults()"
	case len(f.Default) == 1:
		return field + " = " + f.Default[0]
	}
	return field + " = " + zero(goPrimitives[t.Primitive])
}

func zero(goType string) string {
	switch goType {
	case "string":
		return `""`
	case "bool":
		return "false"
	}
	return "0"
}

func (v view) clone(name string, t Type) string {
	from, to := "t."+name, "c."+name
	if t.Primitive != "" {
		if t.Shape != Sequence {
			return ""
		}
		v.Import("slices")
		return fmt.Sprintf("%s = slices.Clone(%s)", to, from)
	}
	copier := v.Qualified("Clone", t.Nested, "Slice")
	switch t.Shape {
	case Array:
		return fmt.Sprintf("%s(%s[:], %s[:])", copier, to, from)
	case Sequence:
		return fmt.Sprintf("if %s != nil {\n%s = make(%s, len(%s))\n%s(%s, %s)\n}",
			from, to, v.goType(t), from, copier, to, from)
	}
	return fmt.Sprintf("%s = *%s.Clone()", to, from)
}
