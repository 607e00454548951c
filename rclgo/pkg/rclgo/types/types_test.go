package types

import (
	"errors"
	"testing"
	"unsafe"
)

// plain is a type support without optional methods; it notes the calls.
type plain struct {
	MessageTypeSupport
	calls string
}

func (p *plain) AsCStruct(unsafe.Pointer, Message)  { p.calls += "c" }
func (p *plain) AsGoStruct(Message, unsafe.Pointer) { p.calls += "g" }

// able has all optional methods, which fail.
type able struct{ plain }

var errAble = errors.New("no")

func (*able) Check() error                         { return errAble }
func (*able) Encode(unsafe.Pointer, Message) error { return errAble }
func (*able) Decode(Message, unsafe.Pointer) error { return errAble }

func TestOptionalInterfacesAreUsedWhereTheyAre(t *testing.T) {
	p := &plain{}
	if err := errors.Join(Check(p), Encode(p, nil, nil), Decode(p, nil, nil)); err != nil || p.calls != "cg" {
		t.Errorf("without them: %v, calls %q", err, p.calls)
	}
	a := &able{}
	for name, err := range map[string]error{"Check": Check(a), "Encode": Encode(a, nil, nil),
		"Decode": Decode(a, nil, nil)} {
		if err != errAble || a.calls != "" {
			t.Errorf("%s: %v, calls %q", name, err, a.calls)
		}
	}
}

func TestGoalIDReadsAsHexDigits(t *testing.T) {
	id := GoalID{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0, 1, 2, 3, 4, 5, 6, 0xff}
	if got := id.String(); got != "0123456789abcdef00010203040506ff" {
		t.Errorf("got %s", got)
	}
}
