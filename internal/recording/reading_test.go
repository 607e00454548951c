package recording

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// pose is a type with every kind of field before and after the numbers.
const pose = `std_msgs/Header header # of b/Header
uint8 OLD=3
string<=9 name "none = 5"
bool yes true
float32[3] axis
Deep[<=2] deep
float64 x
int16[] list
uint64 last
` + "\n================================================================================\nMSG: std_msgs/Header\nint32 sec\nstring frame\n" +
	"\n================================================================================\nMSG: a/Deep\nuint8 k\nfloat64 y\n"

// TestAFieldOfAMessage: every kind of field is skipped or found.
func TestAFieldOfAMessage(t *testing.T) {
	l, err := readLayout("a/msg/Pose", pose)
	if err != nil {
		t.Fatal(err)
	}
	var b []byte
	align := func(n int) {
		for len(b)%n != 0 {
			b = append(b, 0xAA)
		}
	}
	u32 := func(v uint32) { align(4); b = binary.LittleEndian.AppendUint32(b, v) }
	u64 := func(v uint64) { align(8); b = binary.LittleEndian.AppendUint64(b, v) }
	text := func(s string) { u32(uint32(len(s) + 1)); b = append(b, s+"\x00"...) }
	u32(math.MaxUint32) // header.sec is -1
	text("map")
	text("ab")
	b = append(b, 1)
	for i := range 3 {
		u32(math.Float32bits(float32(i) + 0.5))
	}
	u32(2)
	for i := range 2 {
		b = append(b, byte(7+i))
		u64(math.Float64bits(float64(i) + 0.25))
	}
	u64(math.Float64bits(2.5))
	u32(3)
	for i := range 3 {
		b = binary.LittleEndian.AppendUint16(b, uint16(-i))
	}
	u64(1 << 40)
	data := append([]byte{0, 1, 0, 0}, b...)
	for name, want := range map[string]float64{
		"header.sec": -1, "yes": 1, "axis[2]": 2.5, "deep[1].k": 8, "deep[1].y": 1.25, "x": 2.5, "list[2]": -2,
		"last": 1 << 40,
	} {
		if got, err := l.number(data, name); err != nil || got != want {
			t.Errorf("%s is %v, %v, want %v", name, got, err, want)
		}
	}
	if got, err := l.number(data, "list[3]"); err != nil || !math.IsNaN(got) {
		t.Errorf("an element that is not there is %v, %v", got, err)
	}
	for n := range data {
		if _, err := l.number(data[:n], "last"); err == nil {
			t.Errorf("%d of %d bytes are enough", n, len(data))
		}
	}
	if got := l.numbers("", ""); !slices.Equal(got, []string{"header.sec", "yes", "x", "last"}) {
		t.Errorf("the numbers are %q", got)
	}
}

// TestReadASeries: of a recording, also of one without its end, and the errors of a field that is not there.
func TestReadASeries(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "run.mcap")
	in(t, file, nil, func(w *world) {
		w.r.conf.Definition = func(typ string) (string, error) {
			return map[string]string{"std_msgs/msg/Float64": "float64 data\n",
				StepsType: "uint64 step\nint32 sec\n"}[typ], nil
		}
		w.r.conf.Encode = func(s Step) ([]byte, error) {
			return append(binary.LittleEndian.AppendUint64([]byte{0, 1, 0, 0}, s.Number), 0, 0, 0, 0), nil
		}
		w.opens()
		for i := range 25 {
			w.arrives("/angle", "/physics",
				"\x00\x01\x00\x00"+string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(i)/2))))
			w.steps(w.says("/angle", "/physics", 1))
		}
	})
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for at := range text { // reading ends, with an error or not
		bad := filepath.Join(folder, "bad.mcap")
		other := slices.Clone(text)
		other[at] ^= 0xff
		if err := os.WriteFile(bad, other, 0o600); err != nil {
			t.Fatal(err)
		}
		if list, err := Read(bad, []string{"/angle"}); err == nil && len(list) != 1 {
			t.Fatalf("byte %d: %v", at, list)
		}
	}
	torn := filepath.Join(folder, "torn.mcap")
	if err := os.WriteFile(torn, text[:len(text)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	for file, least := range map[string]int{file: 25, torn: 11} {
		got, err := Read(file, []string{"/angle", "/rstate/steps.step"})
		if err != nil || len(got) != 2 {
			t.Fatalf("%s: %v, %v", file, got, err)
		}
		angle, step := got[0], got[1]
		if n := len(angle.Values); n < least || angle.Name != "/angle.data" || angle.Values[10] != 5 ||
			angle.Times[10] != time.Second || step.Values[10] != 11 {
			t.Errorf("%s: it is %+v and %+v", file, angle, step)
		}
	}
	for field, why := range map[string]string{
		"/angel":            "has no message on /angel; there are /angle, /rstate/steps",
		"/rstate/steps":     "/rstate/steps is rstate_msgs/msg/LoopStep, and a number of it must be named, as in /rstate/steps.step; there are step, sec, elements",
		"/angle.no":         "as in /angle.data; there are data, ",
		"/rstate/steps.a.b": "must be named",
	} {
		if _, err := Read(file, []string{field}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: the error is %v, want %q", field, err, why)
		}
	}
	if _, err := Read(filepath.Join(folder, "none.mcap"), []string{"/angle"}); !os.IsNotExist(err) {
		t.Errorf("a file that is not there is %v", err)
	}
}

// TestADefinitionOfNoMessage: a file of another program may have any definition. Reading it ends with an error that
// names the type.
func TestADefinitionOfNoMessage(t *testing.T) {
	doubling := "A a\n"
	for c := 'A'; c < 'Z'; c++ {
		doubling += fmt.Sprintf("%sx/%c\n%c one\n%[3]c two\n", separator, c, c+1)
	}
	doubling += separator + "x/Z\nuint8 n\n"
	for definition, want := range map[string]string{
		"Other o\n":                             "x/Other is missing",
		"A a\n" + separator + "x/A\nA again\n":  "x/A is a part of itself",
		"A[] a\n" + separator + "x/A\nA[2] b\n": "x/A is a part of itself",
		doubling:                                "it has too many fields",
	} {
		if _, err := readLayout("x/msg/Root", definition); err == nil ||
			err.Error() != "cannot use the definition of x/msg/Root: "+want {
			t.Errorf("%.40q: %v, want %s", definition, err, want)
		}
	}
}
