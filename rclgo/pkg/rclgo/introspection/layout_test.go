package introspection

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/lyrical"
)

type (
	layoutBlob struct {
		Data []byte `yaml:"data"`
	}
	layoutMixed struct {
		Flag    bool         `yaml:"flag"`
		Bytes   []byte       `yaml:"bytes"`
		Numbers []float64    `yaml:"numbers"`
		Text    string       `yaml:"text"`
		Words   []string     `yaml:"words"`
		Precise float64      `yaml:"precise"`
		Inner   layoutBlob   `yaml:"inner"`
		List    []layoutBlob `yaml:"list"`
		Last    uint8        `yaml:"last"`
	}
	// layoutEvent has the time of both releases, as a lenient binding may.
	layoutEvent struct {
		Timestamp  uint64 `yaml:"timestamp"`
		Transition uint8  `yaml:"transition"`
	}
	layoutStampedEvent struct {
		Stamp struct {
			Sec     int32  `yaml:"sec"`
			Nanosec uint32 `yaml:"nanosec"`
		} `yaml:"stamp"`
		Transition uint8 `yaml:"transition"`
	}
)

// layoutLibrary compiles testdata/layout.c against one ROS 2.
func layoutLibrary(t *testing.T, newer bool, args ...string) unsafe.Pointer {
	t.Helper()
	file := filepath.Join(t.TempDir(), "liblayout.so")
	args = append(args, "-std=gnu11", "-Wall", "-Werror", "-Wno-unused", "-Wno-override-init", "-Wno-sign-compare",
		"-fPIC", "-shared", "-o", file, "testdata/layout.c")
	if out, err := lyrical.Compile(newer, args...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lib, err := dlopen(file)
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// said is the text that a function of the library returns.
func said(lib unsafe.Pointer, function string) string {
	p := (*byte)(handleOf(lib, function))
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

func layoutOf(t *testing.T, lib unsafe.Pointer, function string) *layout {
	t.Helper()
	l, err := readLayout(handleOf(lib, function))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func planOf(t *testing.T, l *layout, goType reflect.Type, lenient bool) *plan {
	t.Helper()
	p, err := planFor(goType, l, lenient)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCodecOnBothLayouts: a library of one ROS 2 works with a program that was built with the headers of the other.
func TestCodecOnBothLayouts(t *testing.T) {
	for name, c := range map[string]struct {
		newer bool
		sizes string
	}{
		"until Kilted":  {false, "member 112, sequence 24, lyrical 0"},
		"since Lyrical": {true, "member 120, sequence 32, lyrical 1"},
	} {
		t.Run(name, func(t *testing.T) {
			lib := layoutLibrary(t, c.newer)
			if got := said(lib, "layout_sizes"); got != c.sizes {
				t.Skipf("the installed ROS 2 has %s", got) // it is the newer one itself
			}
			l := layoutOf(t, lib, "layout_mixed")
			p := planOf(t, l, reflect.TypeFor[layoutMixed](), false)
			want := layoutMixed{
				Flag: true, Bytes: []byte{1, 2, 3}, Numbers: []float64{1.5, -2}, Text: "text", Words: []string{"a", "b"},
				Precise: 2.5,
				Inner:   layoutBlob{[]byte{7}}, List: []layoutBlob{{}, {[]byte{4, 5}}}, Last: 9,
			}
			mem := newStruct(l)
			defer deleteStruct(l, mem)
			longer := want
			longer.Text, longer.Bytes = "a longer text", make([]byte, 100)
			for _, msg := range []*layoutMixed{&longer, &want} { // the second into memory that held the first
				if err := p.coder.encode(mem, unsafe.Pointer(msg)); err != nil {
					t.Fatal(err)
				}
			}
			if wrong := said(lib, "layout_check"); wrong != "" {
				t.Fatalf("in C this is not true: %s", wrong)
			}
			var got layoutMixed
			if err := p.coder.decode(unsafe.Pointer(&got), mem); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
			}
			if handleOf(lib, "layout_lend") == nil {
				return
			}
			err := p.coder.decode(unsafe.Pointer(&got), mem)
			if !errors.Is(err, errBuffer) || !strings.Contains(err.Error(), `"bytes"`) {
				t.Errorf("a buffer of C++ is read: %v", err)
			}
			if err := p.coder.encode(mem, unsafe.Pointer(&want)); err != nil {
				t.Errorf("memory that held such a buffer cannot be used again: %v", err)
			}
			if n := said(lib, "layout_returned"); n != "1" {
				t.Errorf("%s buffers were given back, want 1", n)
			}
			if wrong := said(lib, "layout_check"); wrong != "" {
				t.Errorf("after that in C this is not true: %s", wrong)
			}
		})
	}
}

// TestFlagsOfSequences: of a message with one field the size of descriptions is not known, but that of the field is.
func TestFlagsOfSequences(t *testing.T) {
	for _, newer := range []bool{false, true} {
		lib := layoutLibrary(t, newer)
		flagged := !strings.Contains(said(lib, "layout_sizes"), "sequence 24")
		for function, want := range map[string]map[string]bool{
			"layout_blob":  {"data": flagged},
			"layout_mixed": {"bytes": flagged, "numbers": flagged}, // strings and messages never
		} {
			for _, m := range layoutOf(t, lib, function).members {
				if m.flagged != want[m.name] {
					t.Errorf("newer %v: %s of %s is flagged: %v", newer, m.name, function, m.flagged)
				}
			}
		}
	}
}

// TestTransitionEventOfBothReleases: a lenient binding reads the rest of the event, whichever time it has.
func TestTransitionEventOfBothReleases(t *testing.T) {
	for _, newer := range []bool{false, true} {
		lib := layoutLibrary(t, newer)
		stamped := strings.Contains(said(lib, "layout_sizes"), "lyrical 1")
		l := layoutOf(t, lib, "layout_event")
		mem := newStruct(l)
		defer deleteStruct(l, mem)
		var one, two layoutEvent
		var stampedOne, stampedTwo layoutStampedEvent
		one.Timestamp, one.Transition = 5, 3
		stampedOne.Stamp.Sec, stampedOne.Stamp.Nanosec, stampedOne.Transition = 6, 7, 4
		plain := planOf(t, l, reflect.TypeFor[layoutEvent](), true)
		stamp := planOf(t, l, reflect.TypeFor[layoutStampedEvent](), true)
		if err := errors.Join(plain.coder.encode(mem, unsafe.Pointer(&one)),
			plain.coder.decode(unsafe.Pointer(&two), mem)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(stamp.coder.encode(mem, unsafe.Pointer(&stampedOne)),
			stamp.coder.decode(unsafe.Pointer(&stampedTwo), mem)); err != nil {
			t.Fatal(err)
		}
		if two.Transition != 3 || stampedTwo.Transition != 4 ||
			(two.Timestamp == 5) == stamped || (stampedTwo.Stamp == stampedOne.Stamp) != stamped {
			t.Errorf("newer %v: %+v and %+v", newer, two, stampedTwo)
		}
	}
}

// TestALayoutThatNobodyKnows is one message, and no guess.
func TestALayoutThatNobodyKnows(t *testing.T) {
	lib := layoutLibrary(t, true, "-DRCLGO_UNKNOWN_LAYOUT", "-D_Static_assert(...)=struct nothing")
	for _, function := range []string{"layout_mixed", "layout_stamp"} {
		if l, err := readLayout(handleOf(lib, function)); !errors.Is(err, errLayout) {
			t.Errorf("%s: %+v, %v", function, l, err)
		}
	}
	if out, err := lyrical.Compile(true, "-DRCLGO_UNKNOWN_LAYOUT", "-fsyntax-only", "testdata/layout.c"); err == nil ||
		!strings.Contains(out, "rclgo does not know the layout of this ROS 2; it knows those of") {
		t.Errorf("the compiler says %v\n%s", err, out)
	}
}

// TestOtherReleaseIsRefused: a context is made only on a ROS 2 of the layout for which the program was built.
func TestOtherReleaseIsRefused(t *testing.T) {
	for _, newer := range []bool{false, true} {
		lib := layoutLibrary(t, newer)
		size, releases := uintptr(112), "ROS 2 Kilted or older"
		if strings.HasPrefix(said(lib, "layout_sizes"), "member 120") {
			size, releases = 120, "ROS 2 Lyrical or newer"
		}
		err := checkTime(layoutOf(t, lib, "layout_stamp"))
		switch {
		case size == builtStride && err != nil:
			t.Errorf("the release of the program: %v", err)
		case size != builtStride && (err == nil || !strings.Contains(err.Error(), "built for "+release(builtStride)+
			", but it runs on "+releases+": build it again")):
			t.Errorf("on %s: %v", releases, err)
		}
	}
}

// TestTimeIsKnown: the check at the start of a context accepts the ROS 2 for which this test is built, and no other
// message.
func TestTimeIsKnown(t *testing.T) {
	l, err := loadLayout("builtin_interfaces/msg/Time")
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckLayout(); (err == nil) != (l.stride == builtStride) {
		t.Error(err)
	}
	lib := layoutLibrary(t, false)
	if !isTime(layoutOf(t, lib, "layout_stamp")) || isTime(layoutOf(t, lib, "layout_blob")) ||
		isTime(layoutOf(t, lib, "layout_event")) {
		t.Error("another message is taken for a time, or a time is not")
	}
}
