package introspection_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	test_msgs_msg "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/msg"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// TestManyGoroutinesLoadOneType is most useful under the race detector.
func TestManyGoroutinesLoadOneType(t *testing.T) {
	var wg sync.WaitGroup
	for round := range 20 {
		ts := introspection.NewMessageType("test_msgs/msg/MultiNested",
			func() types.Message { return test_msgs_msg.NewMultiNested() })
		for worker := range 8 {
			wg.Go(func() {
				msg, back := ts.New(), ts.New()
				fill(reflect.ValueOf(msg), rand.New(rand.NewPCG(uint64(round), uint64(worker))))
				c := ts.PrepareMemory()
				defer ts.ReleaseMemory(c)
				ts.AsCStruct(c, msg)
				ts.AsGoStruct(back, c)
				if !reflect.DeepEqual(back, msg) {
					t.Errorf("round %d: the message came back changed", round)
				}
				if _, err := introspection.LoadDynamic("test_msgs", "Nested"); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
}

// TestMemoryStaysFlat makes, fills, resizes and frees messages of every kind of field.
func TestMemoryStaysFlat(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var pool []types.Message
	for range 50 {
		for _, m := range []types.Message{test_msgs_msg.NewUnboundedSequences(), test_msgs_msg.NewStrings(),
			test_msgs_msg.NewWStrings(), test_msgs_msg.NewNested()} {
			fill(reflect.ValueOf(m), r)
			pool = append(pool, m)
		}
	}
	use := func(n int) {
		for i := range n {
			msg := pool[i%len(pool)]
			ts := msg.GetTypeSupport()
			c := ts.PrepareMemory()
			ts.AsCStruct(c, msg)
			ts.AsCStruct(c, pool[(i+len(pool)/2)%len(pool)])
			ts.AsGoStruct(msg, c)
			ts.ReleaseMemory(c)
		}
	}
	use(20_000)
	before := residentKiB(t)
	use(100_000)
	if grown := residentKiB(t) - before; grown > 4096 {
		t.Errorf("100 000 messages took %d KiB and did not give them back", grown)
	}
}

// residentKiB returns the process's resident memory.
func residentKiB(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("no /proc here")
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	var kib int
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}

func benchmarkMessage() *test_msgs_msg.UnboundedSequences {
	m := test_msgs_msg.NewUnboundedSequences()
	m.StringValues = []string{"one", "two", "three"}
	m.Float64Values = make([]float64, 1000)
	m.BasicTypesValues = make([]test_msgs_msg.BasicTypes, 100)
	return m
}

func BenchmarkEncode(b *testing.B) {
	m := benchmarkMessage()
	c := prepare(b, m.GetTypeSupport())
	b.ReportAllocs()
	for b.Loop() {
		m.GetTypeSupport().AsCStruct(c, m)
	}
}

func BenchmarkDecode(b *testing.B) {
	m := benchmarkMessage()
	c := prepare(b, m.GetTypeSupport())
	m.GetTypeSupport().AsCStruct(c, m)
	b.ReportAllocs()
	for b.Loop() {
		m.GetTypeSupport().AsGoStruct(m, c)
	}
}

// TestPrefixesAreSearched: a package that the loader does not find by itself is found
// in AMENT_PREFIX_PATH. Its library is another package's, so loading goes as far as
// looking for the type.
func TestPrefixesAreSearched(t *testing.T) {
	prefix := t.TempDir()
	lib := filepath.Join(prefix, "lib")
	if err := os.Mkdir(lib, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AMENT_PREFIX_PATH", prefix+":"+filepath.Join(prefix, "none"))
	const suffix = "__rosidl_typesupport_c.so"
	if err := os.Symlink(loadedLibrary(t, "libtest_msgs"+suffix),
		filepath.Join(lib, "libmoved_msgs"+suffix)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(lib, "libbroken_msgs"+suffix), []byte("no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	for pkg, want := range map[string]string{
		"moved_msgs":  "package moved_msgs is installed but has no such message",
		"broken_msgs": "package broken_msgs is installed but does not load",
		"none_msgs":   "package none_msgs is not installed in AMENT_PREFIX_PATH (" + prefix,
	} {
		if err := introspection.Load(pkg + "/msg/Empty"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", pkg, err, want)
		}
	}
}

// loadedLibrary returns the path of a library that this process has loaded.
func loadedLibrary(t *testing.T, file string) string {
	t.Helper()
	if err := introspection.Load("test_msgs/msg/Empty"); err != nil {
		t.Fatal(err)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("no /proc here")
	}
	for line := range strings.Lines(string(maps)) {
		if at := strings.Index(line, "/"); at >= 0 && strings.HasSuffix(strings.TrimSpace(line), "/"+file) {
			return strings.TrimSpace(line[at:])
		}
	}
	t.Fatalf("%s is not among the loaded libraries", file)
	return ""
}
