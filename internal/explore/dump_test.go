package explore

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// dump lists what a digest is made of, field by field.
func dump(w *world) []string {
	var lines []string
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		t := v.Type()
		if t == durationType {
			d := time.Duration(v.Int())
			if d > 0 {
				d -= w.now
			}
			lines = append(lines, fmt.Sprintf("%s = %v", path, d))
			return
		}
		if t == timeType || t.String() == "engine.phase" {
			return
		}
		if t.String() == "machine.Judge" {
			return
		}
		switch t.Kind() {
		case reflect.Struct:
			for i := range t.NumField() {
				f := t.Field(i)
				if slices.Contains(skipped, t.String()+"."+f.Name) {
					continue
				}
				if f.Type.Kind() == reflect.Uint64 && slices.Contains(numbered, f.Name) {
					continue
				}
				walk(path+"."+f.Name, v.Field(i))
			}
		case reflect.Pointer:
			if v.IsNil() {
				lines = append(lines, path+" nil")
				return
			}
			walk(path, v.Elem())
		case reflect.Interface:
			if v.IsNil() {
				return
			}
			walk(path+"("+v.Elem().Type().String()+")", v.Elem())
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
			lines = append(lines, fmt.Sprintf("%s len %d", path, v.Len()))
		default:
			lines = append(lines, fmt.Sprintf("%s = %v", path, v))
		}
	}
	walk("w", reflect.NewAt(reflect.TypeFor[world](), unsafe.Pointer(w)).Elem())
	return lines
}

func TestDumpDiff(t *testing.T) {
	id := os.Getenv("ID")
	if id == "" {
		t.Skip()
	}
	name, list, _ := strings.Cut(id, ":")
	setup, _ := Find(name)
	var at time.Duration
	fmt.Sscan(os.Getenv("AT"), (*int64)(&at))
	at *= time.Millisecond
	run := func(list string) *world {
		w := newWorld(setup)
		for _, one := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
			moment, key, _ := strings.Cut(one, ".")
			var us int64
			var same int
			fmt.Sscanf(moment, "%d+%d", &us, &same)
			w.replayOne(time.Duration(us)*time.Microsecond, same, key)
		}
		for !w.over() && w.until() <= at {
			w.advance()
		}
		w.now = at
		return w
	}
	a, b := dump(run("")), dump(run(list))
	for _, l := range a {
		if !slices.Contains(b, l) {
			fmt.Println("-", l)
		}
	}
	for _, l := range b {
		if !slices.Contains(a, l) {
			fmt.Println("+", l)
		}
	}
}
