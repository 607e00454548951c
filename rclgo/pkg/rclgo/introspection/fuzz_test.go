package introspection_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	test_msgs_msg "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/msg"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// FuzzCodec writes values, some beyond their bounds, one after the other into the same
// C memory: each is refused, or is read back unchanged.
func FuzzCodec(f *testing.F) {
	f.Add(uint64(1), "text", uint8(2), uint8(3))
	f.Add(uint64(2), "\xff\x00 a text of more than twenty bytes", uint8(4), uint8(200))
	f.Fuzz(func(t *testing.T, seed uint64, text string, bounded, unbounded uint8) {
		r := rand.New(rand.NewPCG(seed, seed))
		s, w := test_msgs_msg.NewStrings(), test_msgs_msg.NewWStrings()
		b, u := test_msgs_msg.NewBoundedSequences(), test_msgs_msg.NewUnboundedSequences()
		n := test_msgs_msg.NewMultiNested()
		for _, m := range []types.Message{s, w, b, u, n} {
			fill(reflect.ValueOf(m), r)
		}
		s.StringValue, s.BoundedStringValue = text, text
		w.WstringValue = string([]rune(text)) // invalid UTF-8 is replaced
		b.StringValues = make([]string, bounded)
		b.BasicTypesValues = make([]test_msgs_msg.BasicTypes, bounded)
		u.StringValues = make([]string, unbounded)
		u.DefaultsValues = make([]test_msgs_msg.Defaults, unbounded)
		n.UnboundedSequenceOfBoundedSequences = []test_msgs_msg.BoundedSequences{*b.Clone()}
		for _, c := range []struct {
			msg  types.Message
			fits bool
		}{{s, len(text) <= 22}, {w, true}, {b, bounded <= 3}, {u, true}, {n, bounded <= 3}} {
			checkCodec(t, c.msg, c.fits)
		}
	})
}

func checkCodec(t *testing.T, msg types.Message, fits bool) {
	ts := msg.GetTypeSupport()
	mem := ts.PrepareMemory()
	defer ts.ReleaseMemory(mem)
	for range 2 {
		if err := types.Encode(ts, mem, msg); (err == nil) != fits {
			t.Fatalf("%+v: %v, want it to fit: %v", msg, err, fits)
		}
		if err := types.Encode(ts, mem, ts.New()); err != nil {
			t.Fatal(err)
		}
	}
	if !fits {
		return
	}
	if err := types.Encode(ts, mem, msg); err != nil {
		t.Fatal(err)
	}
	back := ts.New()
	if err := types.Decode(ts, back, mem); err != nil {
		t.Fatal(err)
	}
	if want := withoutEmpty(msg); !reflect.DeepEqual(back, want) {
		t.Fatalf("%+v came back as %+v", want, back)
	}
}

// withoutEmpty returns a copy with nil for slices without elements, as the decoder returns
// them.
func withoutEmpty(msg types.Message) types.Message {
	c := msg.CloneMsg()
	clearEmpty(reflect.ValueOf(c).Elem())
	return c
}

func clearEmpty(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			clearEmpty(v.Field(i))
		}
	case reflect.Slice:
		if v.Len() == 0 {
			v.SetZero()
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			clearEmpty(v.Index(i))
		}
	}
}
