package introspection

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// live counts the C structs that are not yet released.
var live atomic.Int64

// LiveMessages returns the number of C structs of all types that are not yet released. In a
// program without leaks it returns to its initial value.
func LiveMessages() int64 { return live.Load() }

// Option changes how a message type is mapped.
type Option func(*MessageType)

// Lenient lets bindings made from one version of a message serve another. A Go field
// that the installed type lacks is ignored when sending and left as it is when
// receiving (zero or its default in a new message); a field that only the installed
// type has keeps its default when sending and is dropped when receiving. It holds for
// nested messages too. Fields of one name and different types stay an error.
func Lenient() Option { return func(t *MessageType) { t.lenient = true } }

// MessageType is the type support of a message type with a Go struct. It loads the
// installed type when it is first used; all methods may be called from any goroutine.
type MessageType struct {
	name    string
	make    func() types.Message
	lenient bool

	mu     sync.Mutex // held while loading
	loaded atomic.Pointer[binding]
}

var (
	_ types.MessageTypeSupport = (*MessageType)(nil)
	_ types.Checker            = (*MessageType)(nil)
	_ types.Encoder            = (*MessageType)(nil)
	_ types.Decoder            = (*MessageType)(nil)
	_ types.TypeNamer          = (*MessageType)(nil)
)

// NewMessageType describes the message type called name ("pkg/msg/Name",
// "pkg/srv/Name_Request", "pkg/action/Name_Goal" and so on). make returns a new
// message with default values: a pointer to a struct whose fields are called by their
// yaml tags as in ROS, or whose only field is such a struct with the tag ",inline".
func NewMessageType(name string, make func() types.Message, options ...Option) *MessageType {
	t := &MessageType{name: name, make: make}
	for _, o := range options {
		o(t)
	}
	return t
}

// binding is an installed type mapped to a Go type. It never changes.
type binding struct {
	name    string
	handle  unsafe.Pointer // rosidl_message_type_support_t, owned by its library
	layout  *layout
	plan    *plan
	pointer reflect.Type // of the Go struct
}

// bind loads the type called name and maps it to pointer's struct.
func bind(name string, pointer func(*layout) reflect.Type, lenient bool) (*binding, error) {
	handle, err := loadHandle(name, "message")
	if err != nil {
		return nil, err
	}
	l, err := loadLayout(name)
	if err != nil {
		return nil, err
	}
	t := pointer(l)
	if t.Kind() != reflect.Pointer {
		return nil, &LoadError{Kind: "message", Name: name,
			Cause: fmt.Sprintf("Go type %v is not a pointer to a struct", t)}
	}
	p, err := planFor(t.Elem(), l, lenient)
	if err != nil {
		return nil, &LoadError{Kind: "message", Name: name,
			Cause: err.Error() + "; generate the bindings anew from the packages that are installed"}
	}
	return &binding{name, handle, l, p, t}, nil
}

func (t *MessageType) load() (*binding, error) {
	if b := t.loaded.Load(); b != nil {
		return b, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if b := t.loaded.Load(); b != nil {
		return b, nil
	}
	b, err := bind(t.name, func(*layout) reflect.Type { return reflect.TypeOf(t.make()) }, t.lenient)
	if err == nil {
		t.loaded.Store(b)
	}
	return b, err
}

// mustLoad is for methods without an error result; callers should call Check first.
func (t *MessageType) mustLoad() *binding {
	b, err := t.load()
	if err != nil {
		panic(err)
	}
	return b
}

// TypeName returns the ROS name, such as "std_msgs/msg/String".
func (t *MessageType) TypeName() string { return t.name }

// Check loads the type and returns the reason if it cannot be used.
func (t *MessageType) Check() error {
	_, err := t.load()
	return err
}

// Unmapped names the fields that only the Go type or only the installed type has, each
// with the side that lacks it; only a Lenient type can have any.
func (t *MessageType) Unmapped() ([]string, error) {
	b, err := t.load()
	if err != nil {
		return nil, err
	}
	return b.plan.unmapped, nil
}

// New returns a message with default values, also for a type that is not installed.
func (t *MessageType) New() types.Message { return t.make() }

// TypeSupport panics for a type that cannot be loaded; see Check.
func (t *MessageType) TypeSupport() unsafe.Pointer { return t.mustLoad().handle }

// PrepareMemory panics for a type that cannot be loaded; see Check.
func (t *MessageType) PrepareMemory() unsafe.Pointer { return t.mustLoad().prepare() }

// ReleaseMemory finalises and frees what PrepareMemory returned.
func (t *MessageType) ReleaseMemory(p unsafe.Pointer) {
	if p != nil {
		t.mustLoad().release(p)
	}
}

// Encode copies src into dst, which PrepareMemory returned. After an error dst is partly
// written, and can still be released or written again.
func (t *MessageType) Encode(dst unsafe.Pointer, src types.Message) error {
	b, err := t.load()
	if err != nil {
		return err
	}
	g, err := b.body(src)
	if err != nil {
		return fmt.Errorf("cannot encode %s: %w", b.name, err)
	}
	return b.encode(dst, g)
}

// Decode copies src into dst.
func (t *MessageType) Decode(dst types.Message, src unsafe.Pointer) error {
	b, err := t.load()
	if err != nil {
		return err
	}
	g, err := b.body(dst)
	if err != nil {
		return fmt.Errorf("cannot decode %s: %w", b.name, err)
	}
	return b.decode(g, src)
}

// AsCStruct is Encode that panics with the error.
func (t *MessageType) AsCStruct(dst unsafe.Pointer, src types.Message) {
	if err := t.Encode(dst, src); err != nil {
		panic(err)
	}
}

// AsGoStruct is Decode that panics with the error.
func (t *MessageType) AsGoStruct(dst types.Message, src unsafe.Pointer) {
	if err := t.Decode(dst, src); err != nil {
		panic(err)
	}
}

// body returns the address of the struct that msg points to.
func (b *binding) body(msg types.Message) (unsafe.Pointer, error) {
	v := reflect.ValueOf(msg)
	switch {
	case !v.IsValid():
		return nil, fmt.Errorf("the message is nil; pass a %v", b.pointer)
	case v.Type() != b.pointer:
		return nil, fmt.Errorf("the message is a %v; pass a %v", v.Type(), b.pointer)
	case v.IsNil():
		return nil, fmt.Errorf("the message is a nil %v", b.pointer)
	}
	return v.UnsafePointer(), nil
}

func (b *binding) encode(c, g unsafe.Pointer) error {
	if err := b.plan.coder.encode(c, g); err != nil {
		return fmt.Errorf("cannot encode %s: %w", b.name, err)
	}
	return nil
}

func (b *binding) decode(g, c unsafe.Pointer) error {
	if err := b.plan.coder.decode(g, c); err != nil {
		return fmt.Errorf("cannot decode %s: %w", b.name, err)
	}
	return nil
}

func (b *binding) prepare() unsafe.Pointer {
	p := newStruct(b.layout)
	if p == nil {
		panic(fmt.Sprintf("cannot allocate a %s: out of memory", b.name))
	}
	live.Add(1)
	return p
}

func (b *binding) release(p unsafe.Pointer) {
	deleteStruct(b.layout, p)
	live.Add(-1)
}
