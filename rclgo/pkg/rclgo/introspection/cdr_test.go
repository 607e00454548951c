package introspection_test

import (
	"encoding/hex"
	"math/rand/v2"
	"reflect"
	"sort"
	"strings"
	"testing"

	test_msgs_msg "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/msg"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// TestTheCheckTakesWhatTheMiddlewareWrites: messages of every kind of field pass, with more bytes behind them too. The
// shortest beginning that passes is the whole message.
func TestTheCheckTakesWhatTheMiddlewareWrites(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		for _, msg := range []types.Message{
			test_msgs_msg.NewArrays(), test_msgs_msg.NewBasicTypes(), test_msgs_msg.NewBoundedSequences(),
			test_msgs_msg.NewEmpty(), test_msgs_msg.NewMultiNested(), test_msgs_msg.NewStrings(),
			test_msgs_msg.NewUnboundedSequences(), test_msgs_msg.NewWStrings(),
		} {
			fill(reflect.ValueOf(msg), r)
			if buf, err := rclgo.Serialize(msg); err == nil { // it is within its bounds
				checkWire(t, msg, buf)
			}
		}
	}
}

func checkWire(t *testing.T, msg types.Message, buf []byte) {
	t.Helper()
	ts := msg.GetTypeSupport()
	if err := types.CheckWire(ts, append(buf[:len(buf):len(buf)], 0, 0, 0)); err != nil {
		t.Fatalf("%+v: %v\n%x", msg, err, buf)
	}
	n := sort.Search(len(buf), func(n int) bool { return types.CheckWire(ts, buf[:n]) == nil })
	if _, wide := msg.(*test_msgs_msg.WStrings); wide {
		n = len(buf) // a half may be whole with characters of half the size
	}
	got, err := rclgo.Deserialize(buf[:n], ts)
	if err != nil || !reflect.DeepEqual(got, withoutEmpty(msg)) {
		t.Fatalf("%+v: from its first %d of %d bytes came %+v, %v", msg, n, len(buf), got, err)
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
		{"a sequence that is longer than its bound", "00010000040000000101010101010101", "at most 3 are allowed",
			bounded},
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
