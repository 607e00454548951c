package introspection_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	test_msgs_msg "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/msg"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// TestPaddingIsCleared: the bytes between two fields, at the end and in the header become zero, and no other ones.
func TestPaddingIsCleared(t *testing.T) {
	msg := test_msgs_msg.NewBasicTypes()
	msg.BoolValue, msg.ByteValue, msg.CharValue, msg.Float32Value, msg.Float64Value = true, 2, 3, 4, 5
	msg.Uint8Value, msg.Int16Value, msg.Uint64Value = 6, 7, 8
	plain, err := rclgo.Serialize(msg)
	if err != nil {
		t.Fatal(err)
	}
	want := types.ClearPadding(msg.GetTypeSupport(), bytes.Clone(plain))
	dirty := append(bytes.Clone(want), 0xAA, 0xAA)
	dirty[3] = 0x02        // so many bytes follow the last field
	dirty[4+3] = 0xAA      // aligns the float32
	if dirty[4+8+8] != 0 { // int8_value, uint8_value, then an int16 that is aligned already
		t.Fatalf("the layout of BasicTypes has changed: % x", plain)
	}
	if got := types.ClearPadding(msg.GetTypeSupport(), dirty); !bytes.Equal(got, want) {
		t.Errorf("it is\n% x, want\n% x", got, want)
	}
}

// TestClearingKeepsTheMessage: of every kind of field.
func TestClearingKeepsTheMessage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		for _, msg := range []types.Message{
			test_msgs_msg.NewArrays(), test_msgs_msg.NewBasicTypes(), test_msgs_msg.NewBoundedSequences(),
			test_msgs_msg.NewEmpty(), test_msgs_msg.NewMultiNested(), test_msgs_msg.NewStrings(),
			test_msgs_msg.NewUnboundedSequences(), test_msgs_msg.NewWStrings(),
		} {
			fill(reflect.ValueOf(msg), r)
			buf, err := rclgo.Serialize(msg)
			if err != nil { // it is not within its bounds
				continue
			}
			ts := msg.GetTypeSupport()
			got, err := rclgo.Deserialize(types.ClearPadding(ts, buf), ts)
			if err != nil || !reflect.DeepEqual(got, withoutEmpty(msg)) {
				t.Fatalf("%+v became %+v, %v", msg, got, err)
			}
		}
	}
	short := []byte{0, 1, 0, 0, 9}
	if got := types.ClearPadding(test_msgs_msg.StringsTypeSupport, short); !bytes.Equal(got, []byte{0, 1, 0, 0, 9}) {
		t.Errorf("what is no message became % x", got)
	}
}
