package introspection

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unsafe"
)

// plans caches one structCoder for each pair of a Go struct type and a C struct.
var plans sync.Map // planKey -> plan

type planKey struct {
	goType  reflect.Type
	layout  unsafe.Pointer
	lenient bool
}

// plan is how a Go struct and a C struct map to each other.
type plan struct {
	coder    *structCoder
	unmapped []string // fields that only one side has, in a lenient plan
}

// planFor returns the plan for a pair and compiles it on first use. Fields are paired by name:
// the Go side's is the yaml tag (without one, the Go name in lower case). A field that exists
// on one side only is ignored by a lenient plan, and otherwise an error. A pair of fields of
// different types is always an error.
func planFor(goType reflect.Type, l *layout, lenient bool) (*plan, error) {
	goType = inlined(goType)
	key := planKey{goType, l.raw, lenient}
	if p, ok := plans.Load(key); ok {
		return p.(*plan), nil
	}
	if goType.Kind() != reflect.Struct {
		return nil, fmt.Errorf("Go type %v is not a struct", goType)
	}
	p, err := compile(goType, l, lenient)
	if err != nil {
		return nil, err
	}
	plans.Store(key, p)
	return p, nil
}

// inlined returns the struct that holds the fields: for a wrapper whose only field is marked
// inline, the type of that field, which is at the wrapper's address.
func inlined(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Struct && t.NumField() == 1 && t.Field(0).Tag.Get("yaml") == ",inline" {
		return t.Field(0).Type
	}
	return t
}

// compile reports all errors at once.
func compile(goType reflect.Type, l *layout, lenient bool) (*plan, error) {
	p := &plan{coder: &structCoder{goSize: goType.Size(), cSize: l.size}}
	var faults, unmapped []error
	goFields := fieldsByName(goType)
	for i := range l.members {
		m := &l.members[i]
		field, ok := goFields[m.name]
		delete(goFields, m.name)
		if !ok {
			if m.name != placeholder {
				unmapped = append(unmapped, fmt.Errorf("%s: not in the Go type", m.name))
			}
			continue
		}
		c, below, err := memberCoder(field.Type, m, lenient)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", m.name, err))
			continue
		}
		for _, u := range below {
			p.unmapped = append(p.unmapped, m.name+"."+u)
		}
		p.coder.add(fieldCoder{m.name, field.Offset, m.offset, c})
	}
	for _, f := range reflect.VisibleFields(goType) {
		if name, ok := rosName(f); ok && goFields[name].Type != nil {
			unmapped = append(unmapped, fmt.Errorf("%s: not in the installed type", name))
		}
	}
	if !lenient {
		faults = append(faults, unmapped...)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("Go type %v does not fit: %s",
			goType, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	for _, u := range unmapped {
		p.unmapped = append(p.unmapped, u.Error())
	}
	return p, nil
}

// add appends a field. A field that continues its predecessor on both sides without a gap is
// merged with it; the gaps (padding) are never copied.
func (s *structCoder) add(f fieldCoder) {
	size, plain := plainSize(f.coder)
	if n := len(s.fields); n > 0 && plain {
		last := &s.fields[n-1]
		lastSize, lastPlain := plainSize(last.coder)
		if lastPlain && last.goOff+lastSize == f.goOff && last.cOff+lastSize == f.cOff {
			last.coder = plainCoder{lastSize + size}
			return
		}
	}
	s.fields = append(s.fields, f)
}

// fieldsByName returns a struct's exported fields by their ROS names.
func fieldsByName(t reflect.Type) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(t) {
		if name, ok := rosName(f); ok {
			fields[name] = f
		}
	}
	return fields
}

// rosName returns the ROS name of a struct field; false for a field that has none.
func rosName(f reflect.StructField) (string, bool) {
	if !f.IsExported() || len(f.Index) != 1 || f.Anonymous {
		return "", false
	}
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	switch name {
	case "-":
		return "", false
	case "":
		return strings.ToLower(f.Name), true
	}
	return name, true
}

// memberCoder returns the coder of one member; below are its unmapped fields.
func memberCoder(t reflect.Type, m *member, lenient bool) (c coder, below []string, err error) {
	switch m.shape {
	case array:
		if t.Kind() != reflect.Array || t.Len() != m.count {
			return nil, nil, fmt.Errorf("Go type %v instead of an array of %d", t, m.count)
		}
	case sequence:
		if t.Kind() != reflect.Slice {
			return nil, nil, fmt.Errorf("Go type %v instead of a slice", t)
		}
	case single:
		return valueCoder(t, m, lenient)
	}
	c, below, err = valueCoder(t.Elem(), m, lenient)
	if err != nil {
		return nil, nil, err
	}
	e := newElements(c, t.Elem().Size(), m.elementSize())
	if m.shape == array {
		return &arrayCoder{e, m.count}, below, nil
	}
	return &sequenceCoder{e, m.count, m.raw, t, m.flagged}, below, nil
}

// goKinds is the Go representation of each primitive.
var goKinds = map[typeID]reflect.Kind{
	idFloat: reflect.Float32, idDouble: reflect.Float64, idLongDouble: reflect.Float64,
	idChar: reflect.Uint8, idOctet: reflect.Uint8, idWChar: reflect.Uint16, idBool: reflect.Bool,
	idUint8: reflect.Uint8, idUint16: reflect.Uint16, idUint32: reflect.Uint32, idUint64: reflect.Uint64,
	idInt8: reflect.Int8, idInt16: reflect.Int16, idInt32: reflect.Int32, idInt64: reflect.Int64,
	idString: reflect.String, idWString: reflect.String,
}

// valueCoder returns the coder of one value of m, independent of its shape.
func valueCoder(t reflect.Type, m *member, lenient bool) (coder, []string, error) {
	if m.id == idMessage {
		p, err := planFor(t, m.nested, lenient)
		if err != nil {
			return nil, nil, err
		}
		return p.coder, p.unmapped, nil
	}
	kind, ok := goKinds[m.id]
	if !ok {
		return nil, nil, fmt.Errorf("unknown field type %d of the installed package", m.id)
	}
	if t.Kind() != kind {
		return nil, nil, fmt.Errorf("Go type %v instead of %v", t, kind)
	}
	switch m.id {
	case idBool:
		return boolCoder{}, nil, nil
	case idLongDouble:
		return longDoubleCoder{}, nil, nil
	case idString:
		return stringCoder{m.stringBound}, nil, nil
	case idWString:
		return wstringCoder{m.stringBound}, nil, nil
	}
	return plainCoder{m.elementSize()}, nil, nil
}
