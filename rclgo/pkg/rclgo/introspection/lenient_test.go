package introspection_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// The following are hand-written bindings of test_msgs/msg/Builtins, as another
// version of the package might have had them.

type stamp struct {
	Sec   int32
	Extra string `yaml:"extra"`
}

type builtins struct {
	Time    stamp  `yaml:"time_value"`
	Added   uint64 `yaml:"added"`
	Ignored int    `yaml:"-"`
	private int
}

type badBuiltins struct {
	Time     [2]int32 `yaml:"time_value"`
	Duration string   `yaml:"duration_value"`
}

func (b *builtins) CloneMsg() types.Message                  { c := *b; return &c }
func (b *builtins) SetDefaults()                             { *b = builtins{} }
func (b *builtins) GetTypeSupport() types.MessageTypeSupport { return lenientBuiltins }

func (b *badBuiltins) CloneMsg() types.Message                  { c := *b; return &c }
func (b *badBuiltins) SetDefaults()                             { *b = badBuiltins{} }
func (b *badBuiltins) GetTypeSupport() types.MessageTypeSupport { return nil }

var lenientBuiltins = introspection.NewMessageType("test_msgs/msg/Builtins",
	func() types.Message { return &builtins{} }, introspection.Lenient())

func TestOtherVersionOfAMessage(t *testing.T) {
	t.Run("strict bindings name every difference", func(t *testing.T) {
		ts := introspection.NewMessageType("test_msgs/msg/Builtins", func() types.Message { return &builtins{} })
		err := ts.Check()
		if err == nil {
			t.Fatal("no error")
		}
		for _, want := range []string{"duration_value: not in the Go type", "added: not in the installed type",
			"nanosec: not in the Go type", "extra: not in the installed type", "generate the bindings anew"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not say %q", err, want)
			}
		}
	})
	t.Run("lenient bindings carry what both have", func(t *testing.T) {
		sent := &builtins{Time: stamp{Sec: 7, Extra: "lost"}, Added: 8, private: 1}
		got := through(t, sent).(*builtins)
		if want := (&builtins{Time: stamp{Sec: 7}}); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
	t.Run("lenient bindings leave other fields alone", func(t *testing.T) {
		got := &builtins{Added: 5, Time: stamp{Extra: "mine"}}
		if err := lenientBuiltins.Decode(got, prepare(t, lenientBuiltins)); err != nil {
			t.Fatal(err)
		}
		if want := (&builtins{Added: 5, Time: stamp{Extra: "mine"}}); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
	t.Run("lenient bindings list the differences", func(t *testing.T) {
		got, err := lenientBuiltins.Unmapped()
		want := []string{"time_value.nanosec: not in the Go type", "time_value.extra: not in the installed type",
			"duration_value: not in the Go type", "added: not in the installed type"}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	})
	t.Run("fields of other types are always refused", func(t *testing.T) {
		ts := introspection.NewMessageType("test_msgs/msg/Builtins",
			func() types.Message { return &badBuiltins{} }, introspection.Lenient())
		err := ts.Check()
		if err == nil || !strings.Contains(err.Error(), "time_value: ") ||
			!strings.Contains(err.Error(), "duration_value: ") {
			t.Errorf("got %v", err)
		}
	})
}
