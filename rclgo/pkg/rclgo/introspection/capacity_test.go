package introspection_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/typemap"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// TestCapacityOfStringsInReusedMemory: a string in C has room for itself and the zero at its end, and says no more,
// however long the one before it was. Middlewares check that. The paths are bindings, dynamic messages, and the
// middleware's own decoding.
func TestCapacityOfStringsInReusedMemory(t *testing.T) {
	all := 0
	check := func(t *testing.T, ts types.MessageTypeSupport, c unsafe.Pointer, after string) {
		t.Helper()
		wrong, n := introspection.WrongCapacities(ts, c)
		all += n
		for _, w := range wrong {
			t.Errorf("after %s: %s", after, w)
		}
	}
	for _, name := range installed(t, "test_msgs") {
		ts, ok := typemap.GetMessage(name)
		if !ok {
			continue // TestEveryInstalledTestMessage reports it
		}
		t.Run(name, func(t *testing.T) {
			c := prepare(t, ts)
			check(t, ts, c, "init")
			r := rand.New(rand.NewPCG(3, 4))
			for range 10 {
				msg := ts.New()
				fill(reflect.ValueOf(msg), r)
				if err := types.Encode(ts, c, msg); err != nil {
					t.Fatal(err)
				}
				check(t, ts, c, "encode")
				buf, err := rcl.Serialize(c, ts.TypeSupport())
				if err != nil {
					t.Fatal(err)
				}
				check(t, ts, c, "serialize")
				if err := rcl.Deserialize(buf, ts.TypeSupport(), c); err != nil {
					t.Fatal(err)
				}
				check(t, ts, c, "deserialize")
			}
		})
	}
	t.Run("dynamic", func(t *testing.T) {
		for _, name := range []string{"Strings", "WStrings"} {
			ts, err := introspection.LoadDynamic("test_msgs", name)
			if err != nil {
				t.Fatal(err)
			}
			c := prepare(t, ts)
			field := map[string]string{"Strings": "string_value", "WStrings": "wstring_value"}[name]
			for _, text := range []string{"a long text", "short", "", "x"} {
				msg := ts.New().(*introspection.DynamicMessage)
				if err := msg.Set(field, text); err != nil {
					t.Fatal(err)
				}
				if err := ts.Encode(c, msg); err != nil {
					t.Fatal(err)
				}
				check(t, ts, c, "dynamic encode")
			}
		}
	})
	if all < 1000 {
		t.Errorf("only %d strings were looked at", all)
	}
}
