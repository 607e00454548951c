package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// layout is the fields of the types of a definition, by name as in geometry_msgs/Point. The first type is named "".
type layout map[string][]field

// field is a field of a message.
type field struct {
	typ, name string
	count     int  // of a fixed array; 0: a single value
	sequence  bool // its length is in the message
}

// fieldLine is a line with a field: its type without a bound of a text, its dimension, its name. A constant has = after
// the name.
var fieldLine = regexp.MustCompile(`^\s*([A-Za-z][A-Za-z0-9_/]*)(?:<=\d+)?(\[(?:<=)?\d*\])?\s+([A-Za-z][A-Za-z0-9_]*)\s*([^\s=]|=|$)`)

// readLayout reads what Definition returns; root is the type, as in std_msgs/msg/String.
func readLayout(root, definition string) (layout, error) {
	first, err := readType(root)
	if err != nil {
		return nil, err
	}
	l := layout{}
	for i, text := range strings.Split("\n"+definition, "\n"+strings.Repeat("=", 80)+"\n") {
		pkg, name := first.pkg, ""
		if i > 0 {
			var head string
			head, text, _ = strings.Cut(text, "\n")
			name = strings.TrimPrefix(strings.TrimSpace(head), "MSG: ")
			pkg, _, _ = strings.Cut(name, "/")
		}
		l[name] = fieldsOf(pkg, text)
	}
	if _, err := l.count("", map[string]int{}); err != nil {
		return nil, fmt.Errorf("cannot use the definition of %s: %w", root, err)
	}
	return l, nil
}

// mostFields is more than any message has, without those in sequences and arrays.
const mostFields = 100_000

// count returns how many primitive fields a type has. An error says that no message can have this type: the definition
// lacks a type, or one has itself as a part. Otherwise each element of a sequence has a byte at least, so the data
// bound what is read.
func (l layout) count(typ string, counted map[string]int) (n int, err error) {
	const open = -1
	fields, known := l[typ]
	switch n, was := counted[typ]; {
	case !known:
		return 0, fmt.Errorf("%s is missing", typ)
	case was && n == open:
		return 0, fmt.Errorf("%s is a part of itself", typ)
	case was:
		return n, nil
	}
	counted[typ] = open
	for _, f := range fields {
		more := 1
		if !slices.Contains(primitives, f.typ) {
			if more, err = l.count(f.typ, counted); err != nil {
				return 0, err
			}
		}
		if n += more; n > mostFields {
			return 0, errors.New("it has too many fields")
		}
	}
	counted[typ] = n
	return n, nil
}

func fieldsOf(pkg, text string) (list []field) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		found := fieldLine.FindStringSubmatch(line)
		if found == nil || found[4] == "=" {
			continue
		}
		f := field{typ: found[1], name: found[3]}
		if !slices.Contains(primitives, f.typ) {
			if !strings.Contains(f.typ, "/") {
				f.typ = pkg + "/" + f.typ
			}
			f.typ = strings.Replace(f.typ, "/msg/", "/", 1)
		}
		if size := strings.Trim(found[2], "[]"); found[2] != "" {
			f.count, _ = strconv.Atoi(size)
			f.sequence = f.count == 0
		}
		list = append(list, f)
	}
	if list == nil {
		list = []field{{typ: "uint8", name: nothing}}
	}
	return list
}

// nothing is the field that a message without fields has in CDR.
const nothing = "structure_needs_at_least_one_member"

// numbers returns the names of all numeric fields of a type that are no part of a sequence or array, as in
// pose.position.x.
func (l layout) numbers(typ, prefix string) (list []string) {
	for _, f := range l[typ] {
		switch {
		case f.count > 0 || f.sequence || f.name == nothing || f.typ == "string" || f.typ == "wstring":
		case slices.Contains(primitives, f.typ):
			list = append(list, prefix+f.name)
		default:
			list = append(list, l.numbers(f.typ, prefix+f.name+".")...)
		}
	}
	return list
}

// sizes of the primitive types that are numbers.
var sizes = map[string]int{
	"bool": 1, "byte": 1, "char": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4,
	"float32": 4, "int64": 8, "uint64": 8, "float64": 8,
}

var errShort = errors.New("it ends too early")

// decoder looks for a field in a message.
type decoder struct {
	l     layout
	data  []byte // after the header
	at    int
	want  string
	found bool
	value float64
}

// number returns the value of a numeric field, such as pose.position.x or values[2].
func (l layout) number(data []byte, want string) (float64, error) {
	if len(data) < 4 || data[0] != 0 || data[1] != 1 {
		return 0, errors.New("it is no message in little-endian CDR")
	}
	d := decoder{l: l, data: data[4:], want: want}
	err := d.message("", "")
	switch {
	case d.found:
		return d.value, nil
	case err != nil:
		return 0, err
	}
	return math.NaN(), nil // a sequence that is shorter
}

var errFound = errors.New("found")

func (d *decoder) message(typ, prefix string) error {
	for _, f := range d.l[typ] {
		if err := d.field(f, prefix+f.name); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) field(f field, name string) error {
	if f.count == 0 && !f.sequence {
		return d.one(f.typ, name)
	}
	n := f.count
	if f.sequence {
		length, err := d.take(4)
		if err != nil {
			return err
		}
		n = int(binary.LittleEndian.Uint32(length))
	}
	inside := strings.HasPrefix(d.want, name+"[")
	if size := sizes[f.typ]; size > 0 && !inside {
		return d.skip(size, n)
	}
	for i := range n {
		if err := d.one(f.typ, fmt.Sprintf("%s[%d]", name, i)); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) one(typ, name string) error {
	size := sizes[typ]
	switch {
	case typ == "wstring":
		return errors.New("it has a wstring before the field")
	case typ == "string":
		length, err := d.take(4)
		if err != nil {
			return err
		}
		return d.skip(1, int(binary.LittleEndian.Uint32(length)))
	case size == 0:
		return d.message(typ, name+".")
	}
	value, err := d.take(size)
	if err != nil || name != d.want {
		return err
	}
	d.found, d.value = true, number(typ, value)
	return errFound
}

// take returns an aligned value.
func (d *decoder) take(size int) ([]byte, error) {
	if err := d.skip(size, 1); err != nil {
		return nil, err
	}
	return d.data[d.at-size : d.at], nil
}

// skip skips n aligned values.
func (d *decoder) skip(size, n int) error {
	if n == 0 {
		return nil
	}
	at := d.at + -d.at&(size-1)
	if at > len(d.data) || (len(d.data)-at)/size < n {
		return errShort
	}
	d.at = at + size*n
	return nil
}

func number(typ string, b []byte) float64 {
	order := binary.LittleEndian
	switch typ {
	case "int8":
		return float64(int8(b[0]))
	case "int16":
		return float64(int16(order.Uint16(b)))
	case "uint16":
		return float64(order.Uint16(b))
	case "int32":
		return float64(int32(order.Uint32(b)))
	case "uint32":
		return float64(order.Uint32(b))
	case "float32":
		return float64(math.Float32frombits(order.Uint32(b)))
	case "int64":
		return float64(int64(order.Uint64(b)))
	case "uint64":
		return float64(order.Uint64(b))
	case "float64":
		return math.Float64frombits(order.Uint64(b))
	}
	return float64(b[0])
}
