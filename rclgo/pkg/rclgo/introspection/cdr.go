package introspection

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The middleware trusts the lengths in a message, or checks them only in part, and a message may come from any
// participant of the domain. So CheckWire reads a serialized message first, as far as its lengths go.

// The representations that ROS middlewares write: plain CDR of versions 1 and 2.
const (
	plainCDR  = 0x00
	plainCDR2 = 0x06
	// The lowest bit says that numbers are little-endian.
	littleEndian = 0x01
)

const (
	headerSize = 4
	// The last two bits of the header count padding at the end of the message.
	paddingBits = 0x03
	// A character of a wide text takes so many bytes, by the middleware.
	wideSize, otherWideSize = 4, 2
)

var (
	errShort  = errors.New("it ends too early")
	errHeader = errors.New("it has no representation header")
)

// CheckWire returns what is wrong with a serialized message of this type, with its representation header: it ends
// before all its fields, or a text or sequence is longer than what follows or than its type allows. Bytes after the
// last field are allowed, because other middlewares align the end.
func (b *binding) CheckWire(buf []byte) error {
	if err := checkWire(b.layout, buf); err != nil {
		return fmt.Errorf("the bytes are no %s: %w", b.name, err)
	}
	return nil
}

// CheckWire returns what is wrong with a serialized message of this type; see the method of the same name of
// types.WireChecker.
func (t *MessageType) CheckWire(buf []byte) error {
	b, err := t.load()
	if err != nil {
		return err
	}
	return b.CheckWire(buf)
}

func checkWire(l *layout, buf []byte) error {
	r, err := newReader(buf)
	if err != nil {
		return err
	}
	err = r.message(l)
	if err != nil && r.sawWide {
		r.at, r.wide = 0, otherWideSize
		err = r.message(l)
	}
	return err
}

// newReader returns a reader at the first field.
func newReader(buf []byte) (*reader, error) {
	if len(buf) < headerSize || buf[0] != 0 {
		return nil, errHeader
	}
	r := &reader{buf: buf[headerSize:], order: binary.BigEndian, wide: wideSize}
	switch buf[1] &^ littleEndian {
	case plainCDR:
		r.widest = 8
	case plainCDR2:
		r.widest = 4
	default:
		return nil, fmt.Errorf("its representation %#x is not plain CDR", buf[1])
	}
	if buf[1]&littleEndian != 0 {
		r.order = binary.LittleEndian
	}
	if int(buf[3]&paddingBits) > len(r.buf) {
		return nil, errShort
	}
	return r, nil
}

// ClearPadding sets the bytes of a serialized message of this type to zero that belong to no field: those that align a
// field, and the padding bits of the header. It cuts what follows the last field. So equal messages become equal bytes,
// since middlewares leave there whatever was in their memory. A message that CheckWire refuses, and one with a wide
// text, whose characters have different sizes, is returned as it is.
func (b *binding) ClearPadding(buf []byte) []byte {
	return clearPadding(b.layout, buf)
}

// ClearPadding is the method of types.PaddingClearer.
func (t *MessageType) ClearPadding(buf []byte) []byte {
	b, err := t.load()
	if err != nil {
		return buf
	}
	return b.ClearPadding(buf)
}

func clearPadding(l *layout, buf []byte) []byte {
	r, err := newReader(buf)
	if err != nil || r.message(l) != nil || r.sawWide {
		return buf
	}
	r.at, r.clears = 0, true
	if r.message(l) != nil {
		return buf
	}
	buf[2], buf[3] = 0, 0
	return buf[:headerSize+r.at]
}

// reader goes through a message and keeps nothing of it.
type reader struct {
	buf    []byte // without the header, as alignment counts
	at     int
	order  binary.ByteOrder
	widest int // the greatest alignment

	wide    int // bytes of a character of a wide text
	sawWide bool
	clears  bool // the bytes that align a field become zero
}

func (r *reader) left() int { return len(r.buf) - r.at }

// values reads n values of a size, which lie side by side.
func (r *reader) values(size, n int) error {
	if n == 0 {
		return nil
	}
	gap := -r.at & (min(size, r.widest) - 1)
	if r.left() < gap || (r.left()-gap)/size < n {
		return errShort
	}
	if r.clears {
		clear(r.buf[r.at : r.at+gap])
	}
	r.at += gap + n*size
	return nil
}

// length reads the length of a text or sequence. Each element takes a byte at least. most is the greatest that the type
// allows; 0 is none.
func (r *reader) length(most int) (int, error) {
	if err := r.values(4, 1); err != nil {
		return 0, err
	}
	n := r.order.Uint32(r.buf[r.at-4:])
	if uint64(n) > uint64(r.left()) {
		return 0, fmt.Errorf("a length of %d is more than the %d bytes that follow", n, r.left())
	}
	if most > 0 && int(n) > most {
		return 0, fmt.Errorf("a length of %d, at most %d are allowed", n, most)
	}
	return int(n), nil
}

func (r *reader) message(l *layout) error {
	for i := range l.members {
		if err := r.member(&l.members[i]); err != nil {
			return within(l.members[i].name, err)
		}
	}
	return nil
}

func (r *reader) member(m *member) (err error) {
	n := 1
	switch m.shape {
	case array:
		n = m.count
	case sequence:
		if n, err = r.length(m.count); err != nil {
			return err
		}
	}
	switch m.id {
	case idString, idWString, idMessage:
	default:
		return r.values(int(m.elementSize()), n)
	}
	for range n {
		if err := r.element(m); err != nil {
			return err
		}
	}
	return nil
}

// element reads a value whose size is not fixed.
func (r *reader) element(m *member) error {
	switch m.id {
	case idMessage:
		return r.message(m.nested)
	case idWString:
		n, err := r.length(m.stringBound)
		if err != nil {
			return err
		}
		r.sawWide = true
		return r.values(r.wide, n)
	}
	most := m.stringBound
	if most > 0 {
		most++ // the zero at its end
	}
	n, err := r.length(most)
	if err != nil {
		return err
	}
	return r.values(1, n)
}
