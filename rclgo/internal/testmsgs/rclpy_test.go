package testmsgs_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/internal/gen"
	_ "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	_ "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/msg"
	_ "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/srv"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/typemap"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// TestAgreesWithRclpy serialises messages of every installed test type. rclpy must
// read the values that were written, and its bytes for them must be ours but for
// padding, which neither side defines.
func TestAgreesWithRclpy(t *testing.T) {
	peer := startPeer(t)
	for _, name := range messageNames(t) {
		t.Run(name, func(t *testing.T) {
			ts, ok := typemap.GetMessage(name)
			if !ok {
				t.Fatal("it is installed and has no case; run go generate here")
			}
			r := rand.New(rand.NewPCG(11, 12))
			for range 20 {
				msg := ts.New()
				randomize(reflect.ValueOf(msg).Elem(), r)
				compare(t, peer, name, msg)
			}
			compare(t, peer, name, ts.New())
		})
	}
}

func compare(t *testing.T, peer *peer, name string, msg types.Message) {
	t.Helper()
	ours, err := rclgo.Serialize(msg)
	if err != nil {
		t.Fatal(err)
	}
	theirs := peer.ask(t, name, ours, msg)
	if len(ours) != len(theirs) {
		t.Fatalf("%+v: %d bytes, of rclpy %d", msg, len(ours), len(theirs))
	}
	back, err := rclgo.Deserialize(theirs, msg.GetTypeSupport())
	if err != nil || !reflect.DeepEqual(back, msg) {
		t.Fatalf("%+v came back as %+v, %v", msg, back, err)
	}
	if !isPadding(ours, theirs, msg) {
		t.Fatalf("%+v:\n%x, of rclpy\n%x", msg, ours, theirs)
	}
}

// isPadding reports whether two serialised messages differ only in bytes that can have any
// value without changing the message.
func isPadding(ours, theirs []byte, msg types.Message) bool {
	changed := bytes.Clone(ours)
	for i := range ours {
		if ours[i] != theirs[i] {
			changed[i] ^= 0xff
		}
	}
	back, err := rclgo.Deserialize(changed, msg.GetTypeSupport())
	return err == nil && reflect.DeepEqual(back, msg)
}

// peer is the Python process; testdata/agree.py describes its answers.
type peer struct {
	in  io.Writer
	out *bufio.Scanner
}

func startPeer(t *testing.T) *peer {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	cmd := exec.CommandContext(ctx, "python3", "testdata/agree.py")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("rclpy: %v", err)
		}
		cancel()
	})
	p := &peer{in, bufio.NewScanner(out)}
	p.out.Buffer(nil, 64<<20)
	return p
}

// ask returns the bytes of rclpy for a message that it has read and found correct.
func (p *peer) ask(t *testing.T, name string, cdr []byte, msg types.Message) []byte {
	t.Helper()
	line, err := json.Marshal(map[string]any{
		"type": name, "cdr": hex.EncodeToString(cdr), "values": values(reflect.ValueOf(msg).Elem()),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	if !p.out.Scan() {
		t.Fatalf("rclpy gave no answer: %v", p.out.Err())
	}
	var answer struct{ CDR, Error string }
	if err := json.Unmarshal(p.out.Bytes(), &answer); err != nil || answer.Error != "" {
		t.Fatal(err, answer.Error)
	}
	theirs, err := hex.DecodeString(answer.CDR)
	if err != nil {
		t.Fatal(err)
	}
	return theirs
}

// values turns a message into maps, slices and numbers.
func values(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Struct:
		m := map[string]any{}
		for i := range v.NumField() {
			m[v.Type().Field(i).Tag.Get("yaml")] = values(v.Field(i))
		}
		return m
	case reflect.Array, reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = values(v.Index(i))
		}
		return list
	case reflect.Float32:
		return v.Float() // as a float64: JSON would shorten a float32
	}
	return v.Interface()
}

// randomize sets every field, within the bounds of test_msgs.
func randomize(v reflect.Value, r *rand.Rand) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			randomize(v.Field(i), r)
		}
	case reflect.Slice:
		v.SetZero()
		if n := r.IntN(4); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			randomize(v.Index(i), r)
		}
	case reflect.String:
		v.SetString([]string{"", "a", "zwölf Zeichen", "a longer text"}[r.IntN(4)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(float32(r.NormFloat64() * 1e6)))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.Uint64()) >> (64 - v.Type().Bits()))
	default:
		v.SetUint(r.Uint64() >> (64 - v.Type().Bits()))
	}
}

// messageNames returns every installed message of test_msgs, those of services and
// actions too.
func messageNames(t *testing.T) (names []string) {
	t.Helper()
	for _, i := range interfaces(t) {
		for _, m := range i.Messages {
			if i.Pkg == "test_msgs" {
				names = append(names, m.Name.String())
			}
		}
	}
	return names
}

// interfaces reads the installed interfaces of test_msgs and of its dependencies.
func interfaces(t *testing.T) []*gen.Interface {
	t.Helper()
	source, err := gen.Find(filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH")))
	if err != nil {
		t.Fatal(err)
	}
	all, err := source.Read([]string{"test_msgs"})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
