package introspection

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// DynamicType is the type support of an installed message type without bindings. Its
// Go struct is made at run time from the layout of the C struct, so that dynamic
// messages and generated ones share one codec.
type DynamicType struct {
	*binding
	parts map[string]*DynamicType // of messages of an action: the types of their fields, by name
}

var (
	_ types.MessageTypeSupport = (*DynamicType)(nil)
	_ types.Checker            = (*DynamicType)(nil)
	_ types.Encoder            = (*DynamicType)(nil)
	_ types.Decoder            = (*DynamicType)(nil)
	_ types.Message            = (*DynamicMessage)(nil)
)

// LoadDynamic returns the installed message type called name in package pkg. name may
// carry its folder ("msg/String", "srv/SetBool_Request"); without one it is a msg.
func LoadDynamic(pkg, name string) (*DynamicType, error) {
	if !strings.Contains(name, "/") {
		name = "msg/" + name
	}
	b, err := bind(pkg+"/"+name, func(l *layout) reflect.Type {
		return reflect.PointerTo(structType(l))
	}, false)
	if err != nil {
		return nil, err
	}
	return &DynamicType{binding: b}, nil
}

// LoadDynamicService returns the installed service type called name in package pkg;
// its messages are dynamic.
func LoadDynamicService(pkg, name string) (*ServiceType, error) {
	if !strings.Contains(name, "/") {
		name = "srv/" + name
	}
	s := NewServiceType(pkg+"/"+name, nil, nil)
	if _, err := s.load(); err != nil {
		return nil, err
	}
	request, err := LoadDynamic(pkg, name+"_Request")
	if err != nil {
		return nil, err
	}
	response, err := LoadDynamic(pkg, name+"_Response")
	if err != nil {
		return nil, err
	}
	s.request, s.response = request, response
	return s, nil
}

// structType makes the Go struct type of a layout. Go names are the ROS names with a
// prefix, which exports them and keeps them apart.
func structType(l *layout) reflect.Type {
	var fields []reflect.StructField
	for i := range l.members {
		m := &l.members[i]
		if m.name == placeholder {
			continue
		}
		t := valueType(m)
		switch m.shape {
		case array:
			t = reflect.ArrayOf(m.count, t)
		case sequence:
			t = reflect.SliceOf(t)
		}
		fields = append(fields, reflect.StructField{
			Name: "F_" + m.name,
			Type: t,
			Tag:  reflect.StructTag(fmt.Sprintf("yaml:%q", m.name)),
		})
	}
	return reflect.StructOf(fields)
}

var primitiveTypes = map[reflect.Kind]reflect.Type{
	reflect.Bool: reflect.TypeFor[bool](), reflect.String: reflect.TypeFor[string](),
	reflect.Float32: reflect.TypeFor[float32](), reflect.Float64: reflect.TypeFor[float64](),
	reflect.Uint8: reflect.TypeFor[uint8](), reflect.Int8: reflect.TypeFor[int8](),
	reflect.Uint16: reflect.TypeFor[uint16](), reflect.Int16: reflect.TypeFor[int16](),
	reflect.Uint32: reflect.TypeFor[uint32](), reflect.Int32: reflect.TypeFor[int32](),
	reflect.Uint64: reflect.TypeFor[uint64](), reflect.Int64: reflect.TypeFor[int64](),
}

func valueType(m *member) reflect.Type {
	if m.id == idMessage {
		return structType(m.nested)
	}
	if t, ok := primitiveTypes[goKinds[m.id]]; ok {
		return t
	}
	return reflect.TypeFor[struct{}]() // planFor reports the unknown type
}

// TypeName returns the ROS name, such as "std_msgs/msg/String".
func (t *DynamicType) TypeName() string { return t.name }

// Check returns nil: a DynamicType exists only when it is loaded.
func (t *DynamicType) Check() error { return nil }

// TypeSupport returns the rosidl_message_type_support_t.
func (t *DynamicType) TypeSupport() unsafe.Pointer { return t.handle }

// New returns a message with the type's default values.
func (t *DynamicType) New() types.Message {
	m := &DynamicMessage{t, reflect.New(t.pointer.Elem())}
	m.SetDefaults()
	return m
}

// PrepareMemory allocates a C struct, owned by the caller.
func (t *DynamicType) PrepareMemory() unsafe.Pointer { return t.prepare() }

// ReleaseMemory finalises and frees what PrepareMemory returned.
func (t *DynamicType) ReleaseMemory(p unsafe.Pointer) {
	if p != nil {
		t.release(p)
	}
}

// body returns the struct of a dynamic message of this type.
func (t *DynamicType) body(msg types.Message) (unsafe.Pointer, error) {
	m, ok := msg.(*DynamicMessage)
	if !ok || m == nil || m.typ.layout.raw != t.layout.raw {
		return nil, fmt.Errorf("the message is a %T; pass a dynamic %s", msg, t.name)
	}
	return m.body.UnsafePointer(), nil
}

// Encode copies src into dst, which PrepareMemory returned.
func (t *DynamicType) Encode(dst unsafe.Pointer, src types.Message) error {
	g, err := t.body(src)
	if err != nil {
		return fmt.Errorf("cannot encode %s: %w", t.name, err)
	}
	return t.encode(dst, g)
}

// Decode copies src into dst.
func (t *DynamicType) Decode(dst types.Message, src unsafe.Pointer) error {
	g, err := t.body(dst)
	if err != nil {
		return fmt.Errorf("cannot decode %s: %w", t.name, err)
	}
	return t.decode(g, src)
}

// AsCStruct is Encode that panics with the error.
func (t *DynamicType) AsCStruct(dst unsafe.Pointer, src types.Message) {
	if err := t.Encode(dst, src); err != nil {
		panic(err)
	}
}

// AsGoStruct is Decode that panics with the error.
func (t *DynamicType) AsGoStruct(dst types.Message, src unsafe.Pointer) {
	if err := t.Decode(dst, src); err != nil {
		panic(err)
	}
}

// DynamicMessage is a message of a type that is known at run time only. Like other
// messages it must not be read while another goroutine writes to it.
type DynamicMessage struct {
	typ  *DynamicType
	body reflect.Value // pointer to the struct
}

// GetTypeSupport returns the message's type, a *DynamicType.
func (m *DynamicMessage) GetTypeSupport() types.MessageTypeSupport { return m.typ }

// CloneMsg returns a deep copy.
func (m *DynamicMessage) CloneMsg() types.Message {
	c := &DynamicMessage{m.typ, reflect.New(m.body.Type().Elem())}
	deepCopy(c.body.Elem(), m.body.Elem())
	return c
}

// SetDefaults sets the values that the C struct is initialised to.
func (m *DynamicMessage) SetDefaults() {
	p := m.typ.prepare()
	defer m.typ.release(p)
	_ = m.typ.decode(m.body.UnsafePointer(), p) // no buffer of C++ holds a default
}

// MarshalYAML shows the message as the mapping of its fields, in their order.
func (m *DynamicMessage) MarshalYAML() (any, error) { return m.body.Interface(), nil }

// deepCopy copies src into dst, which is the zero value of the same type.
func deepCopy(dst, src reflect.Value) {
	switch src.Kind() {
	case reflect.Struct:
		for i := range src.NumField() {
			deepCopy(dst.Field(i), src.Field(i))
		}
	case reflect.Slice:
		if src.IsNil() {
			return
		}
		dst.Set(reflect.MakeSlice(src.Type(), src.Len(), src.Len()))
		fallthrough
	case reflect.Array:
		for i := range src.Len() {
			deepCopy(dst.Index(i), src.Index(i))
		}
	default:
		dst.Set(src)
	}
}
