package introspection

import (
	"fmt"
	"reflect"
	"strings"
)

// Fields returns the names of the message's fields in their order.
func (m *DynamicMessage) Fields() []string {
	t := m.body.Type().Elem()
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = t.Field(i).Tag.Get("yaml")
	}
	return names
}

// Get returns a copy of the field at path, whose steps are joined by dots
// ("header.stamp.sec"): numbers, bools and strings as themselves, arrays and
// sequences of them as Go arrays and slices, a nested message as map[string]any, and
// several of them as []any.
func (m *DynamicMessage) Get(path string) (any, error) {
	v, err := m.field(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read field %q of %s: %w", path, m.typ.name, err)
	}
	return plainValue(v), nil
}

// Map returns the whole message in the form that Get describes.
func (m *DynamicMessage) Map() map[string]any {
	return plainValue(m.body.Elem()).(map[string]any)
}

// Size estimates how many bytes the message takes with the names of its fields. It copies nothing: a
// caller can ask before it copies a large message.
func (m *DynamicMessage) Size() int64 { return sizeOf(m.body.Elem()) }

func sizeOf(v reflect.Value) (size int64) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			size += int64(len(v.Type().Field(i).Name)) + sizeOf(v.Field(i))
		}
	case reflect.Array, reflect.Slice:
		switch kind := v.Type().Elem().Kind(); kind {
		case reflect.Struct, reflect.String, reflect.Array, reflect.Slice:
			for i := range v.Len() {
				size += sizeOf(v.Index(i))
			}
		default:
			size = int64(v.Len()) * int64(v.Type().Elem().Size())
		}
	case reflect.String:
		size = int64(v.Len()) + 2 // its quotes
	default:
		size = int64(v.Type().Size())
	}
	return size
}

// Set sets the field at path. value may be of any type that holds the field's value
// without loss: any integer within range for an integer field, []any for a sequence,
// map[string]any for a nested message (fields not in the map keep their values).
// After an error the field may be partly set.
func (m *DynamicMessage) Set(path string, value any) error {
	v, err := m.field(path)
	if err == nil {
		err = assign(v, reflect.ValueOf(value))
	}
	if err != nil {
		return fmt.Errorf("cannot set field %q of %s: %w", path, m.typ.name, err)
	}
	return nil
}

func (m *DynamicMessage) field(path string) (reflect.Value, error) {
	v := m.body.Elem()
	for step := range strings.SplitSeq(path, ".") {
		if v.Kind() != reflect.Struct {
			return v, fmt.Errorf("there is nothing below a %v", v.Type())
		}
		next, err := fieldOf(v, step)
		if err != nil {
			return v, err
		}
		v = next
	}
	return v, nil
}

func fieldOf(v reflect.Value, name string) (reflect.Value, error) {
	if f := v.FieldByName("F_" + name); f.IsValid() {
		return f, nil
	}
	return reflect.Value{}, fmt.Errorf("it has no field %q", name)
}

func plainValue(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Struct:
		m := make(map[string]any, v.NumField())
		for i := range v.NumField() {
			m[v.Type().Field(i).Tag.Get("yaml")] = plainValue(v.Field(i))
		}
		return m
	case reflect.Array, reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Struct {
			list := make([]any, v.Len())
			for i := range list {
				list[i] = plainValue(v.Index(i))
			}
			return list
		}
		c := reflect.New(v.Type()).Elem()
		deepCopy(c, v)
		return c.Interface()
	}
	return v.Interface()
}

// assign sets dst to src if dst can hold it.
func assign(dst, src reflect.Value) error {
	for src.Kind() == reflect.Interface {
		src = src.Elem()
	}
	if !src.IsValid() {
		return fmt.Errorf("no value for a %v", dst.Type())
	}
	switch dst.Kind() {
	case reflect.Struct:
		return assignStruct(dst, src)
	case reflect.Array, reflect.Slice:
		return assignList(dst, src)
	}
	return assignPrimitive(dst, src)
}

func assignStruct(dst, src reflect.Value) error {
	if src.Kind() != reflect.Map || src.Type().Key().Kind() != reflect.String {
		return fmt.Errorf("a message is set from a map[string]any, not from a %v", src.Type())
	}
	for it := src.MapRange(); it.Next(); {
		f, err := fieldOf(dst, it.Key().String())
		if err != nil {
			return err
		}
		if err := assign(f, it.Value()); err != nil {
			return within(it.Key().String(), err)
		}
	}
	return nil
}

func assignList(dst, src reflect.Value) error {
	if src.Kind() != reflect.Slice && src.Kind() != reflect.Array {
		return fmt.Errorf("a list is wanted, not a %v", src.Type())
	}
	if dst.Kind() == reflect.Slice {
		dst.Set(reflect.MakeSlice(dst.Type(), src.Len(), src.Len()))
	} else if dst.Len() != src.Len() {
		return fmt.Errorf("%d elements, exactly %d are wanted", src.Len(), dst.Len())
	}
	for i := range src.Len() {
		if err := assign(dst.Index(i), src.Index(i)); err != nil {
			return within(fmt.Sprintf("[%d]", i), err)
		}
	}
	return nil
}

func assignPrimitive(dst, src reflect.Value) error {
	if !fits(dst, src) {
		return fmt.Errorf("%v (%v) does not fit a %v", src.Interface(), src.Type(), dst.Type())
	}
	dst.Set(src.Convert(dst.Type()))
	return nil
}

// fits reports whether a value of another kind keeps its value in dst.
func fits(dst, src reflect.Value) bool {
	switch {
	case dst.Kind() == src.Kind():
		return true
	case dst.CanFloat() && src.CanFloat():
		return !dst.OverflowFloat(src.Float())
	case dst.CanFloat():
		return src.CanInt() || src.CanUint()
	case dst.CanInt():
		return fitsInt(dst, src)
	case dst.CanUint() && src.CanInt():
		return src.Int() >= 0 && !dst.OverflowUint(uint64(src.Int()))
	}
	return dst.CanUint() && src.CanUint() && !dst.OverflowUint(src.Uint())
}

// fitsInt is fits for a dst that is a signed number.
func fitsInt(dst, src reflect.Value) bool {
	switch {
	case src.CanInt():
		return !dst.OverflowInt(src.Int())
	case src.CanUint():
		return int64(src.Uint()) >= 0 && !dst.OverflowInt(int64(src.Uint()))
	}
	return false
}
