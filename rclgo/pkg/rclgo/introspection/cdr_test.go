package introspection_test

import (
	"encoding/hex"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	test_msgs_msg "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/msg"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// TestTheCheckTakesWhatTheMiddlewareWrites: messages of every kind of field pass, each cut of them does not, and bytes
// after their end do.
func TestTheCheckTakesWhatTheMiddlewareWrites(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		for _, msg := range []types.Message{
			test_msgs_msg.NewArrays(), test_msgs_msg.NewBasicTypes(), test_msgs_msg.NewBoundedSequences(),
			test_msgs_msg.NewEmpty(), test_msgs_msg.NewMultiNested(), test_msgs_msg.NewStrings(),
			test_msgs_msg.NewUnboundedSequences(), test_msgs_msg.NewWStrings(),
		} {
			fill(reflect.ValueOf(msg), r)
			buf, err := rclgo.Serialize(msg)
			if err != nil {
				continue // beyond its bounds
			}
			ts := msg.GetTypeSupport()
			for _, whole := range [][]byte{buf, append(buf[:len(buf):len(buf)], 0, 0, 0)} {
				if err := types.CheckWire(ts, whole); err != nil {
					t.Fatalf("%+v: %v\n%x", msg, err, whole)
				}
			}
			if _, wide := msg.(*test_msgs_msg.WStrings); wide {
				continue // a half may be whole with characters of half the size
			}
			// The middleware may write a few bytes more than the fields take.
			for n := 0; n < len(buf)-8; n += 1 + len(buf)/50 {
				if err := types.CheckWire(ts, buf[:n]); err == nil {
					t.Fatalf("%+v passes without its last %d bytes", msg, len(buf)-n)
				}
			}
		}
	}
}

func TestTheCheckRefusesLengths(t *testing.T) {
	text, bounded := test_msgs_msg.StringsTypeSupport, test_msgs_msg.BoundedSequencesTypeSupport
	for _, c := range []struct {
		name, hex, says string
		ts              types.MessageTypeSupport
	}{
		{"nothing", "", "no representation header", text},
		{"half a header", "0001", "no representation header", text},
		{"a first byte that is not 0", "01010000", "no representation header", text},
		{"padding of which nothing is a part", "0001000e", "ends too early", text},
		{"a list of parameters", "0003000001000000", "not plain CDR", text},
		{"a text that is longer than all", "00010000ffffffff", "a length of 4294967295", text},
		{"big-endian", "0000000000000009", "a length of 9", text},
		{"a sequence that is longer than its bound", "00010000040000000101010101010101", "at most 3 are allowed", bounded},
	} {
		t.Run(c.name, func(t *testing.T) {
			buf, err := hex.DecodeString(c.hex)
			if err != nil {
				t.Fatal(err)
			}
			for _, decode := range []func() error{
				func() error { return types.CheckWire(c.ts, buf) },
				func() error { _, err := rclgo.Deserialize(buf, c.ts); return err },
			} {
				if err := decode(); err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v; want %q", err, c.says)
				}
			}
		})
	}
}
