package introspection_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/gen"
	_ "github.com/tiiuae/rclgo/internal/testmsgs/action_msgs/srv"
	_ "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	_ "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/msg"
	_ "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/srv"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

func TestMain(m *testing.M) {
	before := introspection.LiveMessages()
	code := m.Run()
	if n := introspection.LiveMessages() - before; n != 0 && code == 0 {
		println("C messages that were never released:", n)
		code = 1
	}
	os.Exit(code)
}

// installed returns the names of the installed messages of a package: messages, and
// the messages of services and actions.
func installed(t testing.TB, pkg string) []string {
	t.Helper()
	var names []string
	for _, i := range interfaces(t, pkg) {
		for _, m := range i.Messages {
			names = append(names, m.Name.String())
		}
	}
	return names
}

func interfaces(t testing.TB, pkg string) []*gen.Interface {
	t.Helper()
	source, err := gen.Find(filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH")))
	if err != nil {
		t.Fatal(err)
	}
	all, err := source.Read([]string{pkg})
	if err != nil {
		t.Fatal(err)
	}
	var own []*gen.Interface
	for _, i := range all {
		if i.Pkg == pkg {
			own = append(own, i)
		}
	}
	return own
}

// prepare returns a C struct that is released when the test ends.
func prepare(t testing.TB, ts types.MessageTypeSupport) unsafe.Pointer {
	t.Helper()
	if err := types.Check(ts); err != nil {
		t.Fatal(err)
	}
	p := ts.PrepareMemory()
	t.Cleanup(func() { ts.ReleaseMemory(p) })
	return p
}

// through sends a message to C and back into a new one.
func through(t testing.TB, msg types.Message) types.Message {
	t.Helper()
	ts := msg.GetTypeSupport()
	c := prepare(t, ts)
	if err := types.Encode(ts, c, msg); err != nil {
		t.Fatal(err)
	}
	back := ts.New()
	if err := types.Decode(ts, back, c); err != nil {
		t.Fatal(err)
	}
	return back
}

// fill sets every field to a value of its own. Lists have up to three elements and
// strings up to 20 bytes, which every bound in test_msgs allows.
func fill(v reflect.Value, r *rand.Rand) {
	switch v.Kind() {
	case reflect.Pointer:
		fill(v.Elem(), r)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), r)
		}
	case reflect.Slice:
		if n := r.IntN(4); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		} else {
			v.SetZero()
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), r)
		}
	case reflect.String:
		texts := []string{"", "a", "zwölf Zeichen", "\U0001F916 robot", "twenty bytes of text"}
		v.SetString(texts[r.IntN(len(texts))])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 1)
	default:
		fillNumber(v, r)
	}
}

// fillNumber sets all bits at random, but for floats, where that could be a NaN.
func fillNumber(v reflect.Value, r *rand.Rand) {
	switch {
	case v.CanFloat():
		v.SetFloat(float64(float32(r.NormFloat64() * 1e6)))
	case v.CanInt():
		v.SetInt(int64(r.Uint64()) >> (64 - v.Type().Bits()))
	case v.CanUint():
		v.SetUint(r.Uint64() >> (64 - v.Type().Bits()))
	default:
		panic("no message has a " + v.Type().String())
	}
}
