package introspection

import (
	"fmt"
	"unsafe"

	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// WrongCapacities names the strings in a C struct whose capacity is not their size and the zero at their end, or that
// have no such zero; n counts all strings. The type is a MessageType or a DynamicType.
func WrongCapacities(ts types.MessageTypeSupport, p unsafe.Pointer) (wrong []string, n int) {
	var l *layout
	switch t := ts.(type) {
	case *MessageType:
		l = t.mustLoad().layout
	case *DynamicType:
		l = t.layout
	}
	walkStrings(l, p, l.name, func(path string, s *cString, width uintptr) {
		n++
		end := unsafe.Slice((*byte)(unsafe.Add(s.data, s.size*width)), width)
		if s.capacity != s.size+1 || end[0] != 0 || end[width-1] != 0 {
			wrong = append(wrong, fmt.Sprintf("%s: size %d, capacity %d, ends with %v", path, s.size, s.capacity, end))
		}
	})
	return wrong, n
}

func walkStrings(l *layout, p unsafe.Pointer, path string, visit func(path string, s *cString, width uintptr)) {
	for i := range l.members {
		m := &l.members[i]
		at, n := unsafe.Add(p, m.offset), 1
		switch m.shape {
		case array:
			n = m.count
		case sequence:
			seq := (*cSequence)(at)
			at, n = seq.data, int(seq.size)
		}
		for j := range n {
			value, name := unsafe.Add(at, uintptr(j)*m.elementSize()), fmt.Sprintf("%s.%s[%d]", path, m.name, j)
			switch m.id {
			case idString:
				visit(name, (*cString)(value), 1)
			case idWString:
				visit(name, (*cString)(value), 2)
			case idMessage:
				walkStrings(m.nested, value, name, visit)
			}
		}
	}
}
