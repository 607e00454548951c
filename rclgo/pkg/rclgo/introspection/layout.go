package introspection

import (
	"errors"
	"unsafe"
)

// errLayout reports a description that the generator of another ROS 2 has written.
var errLayout = errors.New("its description has a layout that this program does not know; it knows those of " +
	"Jazzy, Kilted and Lyrical. Source one of these, or build the program with a newer rclgo")

// layout is the Go copy of the description of one C message struct. It never changes
// once it is read.
type layout struct {
	name    string // "String"; services and actions have their suffix, "SetBool_Request"
	size    uintptr
	stride  uintptr // the size of the description of a member
	members []member
	raw     unsafe.Pointer // rosidl_typesupport_introspection_c__MessageMembers; owned by its library
}

// shape says how many values a member has.
type shape uint8

const (
	single   shape = iota
	array          // count values inside the struct
	sequence       // a pointer, a size and a capacity; at most count values if count > 0
)

type member struct {
	name        string
	id          typeID
	shape       shape
	count       int
	stringBound int // of a string or wstring; 0 is unbounded
	offset      uintptr
	flagged     bool           // a sequence of primitives with the flags of cFlagged
	nested      *layout        // of idMessage
	raw         unsafe.Pointer // rosidl_typesupport_introspection_c__MessageMember; owned by its library
}

// placeholder is the member that C needs in a message without fields.
const placeholder = "structure_needs_at_least_one_member"

// cString is rosidl_runtime_c__String, and with a pointer to char16_t its wide twin.
type cString struct {
	data           unsafe.Pointer
	size, capacity uintptr // without and with the terminating zero
}

// cSequence is what all rosidl sequences look like.
type cSequence struct {
	data           unsafe.Pointer
	size, capacity uintptr
}

// cFlagged is a sequence of primitives since Lyrical. If isBuffer is set, data points to an object
// of C++, whose elements may be in the memory of a device.
type cFlagged struct {
	cSequence
	isBuffer, ownsBuffer uint8
}

// flagSequences finds the sequences that have flags, by the room that each has in its struct. With known,
// the description says that its generator makes such sequences. If there is only one description, its own size
// is not known, but then nothing follows the sequence.
func (l *layout) flagSequences(known bool) error {
	for i := range l.members {
		m := &l.members[i]
		if m.shape != sequence || unsafe.Sizeof(uintptr(0)) != 8 {
			continue
		}
		end := l.size
		for j := range l.members {
			if o := l.members[j].offset; o > m.offset {
				end = min(end, o)
			}
		}
		if end-m.offset < plainSequence {
			return errLayout
		}
		m.flagged = m.primitive() && end-m.offset >= flaggedSequence && (known || len(l.members) == 1)
	}
	return nil
}

func (m *member) primitive() bool { return m.id != idString && m.id != idWString && m.id != idMessage }

// elementSize returns the size of one value of m in C.
func (m *member) elementSize() uintptr {
	switch m.id {
	case idBool, idOctet, idChar, idUint8, idInt8:
		return 1
	case idWChar, idUint16, idInt16:
		return 2
	case idFloat, idUint32, idInt32:
		return 4
	case idDouble, idUint64, idInt64:
		return 8
	case idLongDouble:
		return longDoubleSize
	case idString, idWString:
		return unsafe.Sizeof(cString{})
	}
	return m.nested.size
}
