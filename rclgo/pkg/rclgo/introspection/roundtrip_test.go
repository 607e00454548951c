package introspection_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/typemap"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// TestEveryInstalledTestMessage fails too when an installed type has no binding.
func TestEveryInstalledTestMessage(t *testing.T) {
	names := append(installed(t, "test_msgs"), installed(t, "action_msgs")...)
	if len(names) < 40 {
		t.Fatalf("only %d messages found: %v", len(names), names)
	}
	for _, name := range names {
		ts, ok := typemap.GetMessage(name)
		if !ok {
			t.Errorf("%s: no binding; run go generate in internal/testmsgs", name)
			continue
		}
		t.Run(name, func(t *testing.T) { checkMessage(t, ts, name) })
	}
}

func checkMessage(t *testing.T, ts types.MessageTypeSupport, name string) {
	if err := introspection.Load(name); err != nil {
		t.Fatal(err)
	}
	if ts.TypeSupport() == nil {
		t.Fatal("no type support")
	}
	t.Run("defaults are those of C", func(t *testing.T) {
		got, want := ts.New(), ts.New()
		fill(reflect.ValueOf(got), rand.New(rand.NewPCG(1, 2)))
		if err := types.Decode(ts, got, prepare(t, ts)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("C says %+v, Go %+v", got, want)
		}
	})
	t.Run("zero", func(t *testing.T) {
		zero := reflect.New(reflect.TypeOf(ts.New()).Elem()).Interface().(types.Message)
		if got := through(t, zero); !reflect.DeepEqual(got, zero) {
			t.Errorf("%+v came back as %+v", zero, got)
		}
	})
	for seed := range uint64(10) {
		t.Run(fmt.Sprintf("filled %d", seed), func(t *testing.T) { checkFilled(t, ts, seed) })
	}
}

// checkFilled sends random values through C memory that held others before, and
// clones them.
func checkFilled(t *testing.T, ts types.MessageTypeSupport, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 7))
	c := prepare(t, ts)
	for range 5 {
		msg := ts.New()
		fill(reflect.ValueOf(msg), r)
		clone := msg.CloneMsg()
		if err := types.Encode(ts, c, msg); err != nil {
			t.Fatal(err)
		}
		back := ts.New()
		if err := types.Decode(ts, back, c); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, msg) {
			t.Fatalf("%+v came back as %+v", msg, back)
		}
		fill(reflect.ValueOf(msg), r)
		if !reflect.DeepEqual(clone, back) {
			t.Fatalf("the clone changed with its original: %+v instead of %+v", clone, back)
		}
	}
}

func TestEveryInstalledTestServiceAndAction(t *testing.T) {
	for _, i := range interfaces(t, "test_msgs") {
		name := i.Name.String()
		var ts any
		ok := true
		switch i.Kind {
		case "srv":
			ts, ok = typemap.GetService(name)
		case "action":
			ts, ok = typemap.GetAction(name)
		default:
			continue
		}
		t.Run(name, func(t *testing.T) {
			if !ok {
				t.Fatal("no binding; run go generate in internal/testmsgs")
			}
			if err := types.Check(ts); err != nil {
				t.Fatal(err)
			}
			if ts.(interface{ TypeName() string }).TypeName() != name {
				t.Errorf("it is called %s", ts.(interface{ TypeName() string }).TypeName())
			}
		})
	}
}
