package explore

import (
	"hash/maphash"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"rstate/internal/machine"
)

// How values are digested: a walker for each type, compiled once.

// omitted are the fields that skipped names and a digest has met.
var omitted = map[string]bool{}

var worldWalker = sync.OnceValue(func() walker { return lockedWalkerOf(reflect.TypeFor[world]()) })

// lockedWalkerOf is walkerOf for those who do not compile.
func lockedWalkerOf(t reflect.Type) walker {
	compiles.Lock()
	defer compiles.Unlock()
	return walkerOf(t)
}

// walkerOf compiles the walker of a type, once. What is compiled may contain itself.
func walkerOf(t reflect.Type) walker {
	if w, ok := walkers[t]; ok {
		return w
	}
	var real walker
	walkers[t] = func(h *hasher, p unsafe.Pointer) { real(h, p) }
	real = compile(t)
	walkers[t] = real
	return real
}

func compile(t reflect.Type) walker {
	switch {
	case t == durationType:
		return func(h *hasher, p unsafe.Pointer) { h.time(*(*time.Duration)(p), oldAge) }
	case t == timeType:
		return func(*hasher, unsafe.Pointer) {}
	case t.String() == "machine.Judge":
		return func(h *hasher, p unsafe.Pointer) { h.text((*machine.Judge)(p).State()) }
	case t.String() == "engine.wakes":
		return compileWakes(t)
	case t.String() == "engine.phase":
		return func(h *hasher, p unsafe.Pointer) { h.word(uint64(uintptr(p))) }
	}
	switch t.Kind() {
	case reflect.Struct:
		return compileStruct(t)
	case reflect.Pointer:
		return compilePointer(t)
	case reflect.Slice:
		return compileSlice(t)
	case reflect.Array:
		return compileArray(t)
	case reflect.String:
		return func(h *hasher, p unsafe.Pointer) { h.text(*(*string)(p)) }
	case reflect.Interface:
		return compileInterface(t)
	case reflect.Map, reflect.Func, reflect.Chan:
		panic("explore: nothing is known of " + t.String())
	}
	return compilePlain(t)
}

func compilePlain(t reflect.Type) walker {
	switch t.Size() {
	case 1:
		return func(h *hasher, p unsafe.Pointer) { h.b = append(h.b, *(*byte)(p)) }
	case 2:
		return func(h *hasher, p unsafe.Pointer) { h.word(uint64(*(*uint16)(p))) }
	case 4:
		return func(h *hasher, p unsafe.Pointer) { h.word(uint64(*(*uint32)(p))) }
	}
	return func(h *hasher, p unsafe.Pointer) { h.word(*(*uint64)(p)) }
}

func compileStruct(t reflect.Type) walker {
	var parts []part
	for i := range t.NumField() {
		f := t.Field(i)
		if name := t.String() + "." + f.Name; slices.Contains(skipped, name) {
			omitted[name] = true
			continue
		}
		one := compileField(t, f)
		if k := len(parts) - 1; k >= 0 && one.plain > 0 && parts[k].plain > 0 && parts[k].at+parts[k].plain == one.at {
			parts[k].plain += one.plain
			continue
		}
		parts = append(parts, one)
	}
	walk := func(h *hasher, p unsafe.Pointer) {
		for k := range parts {
			if part := &parts[k]; part.plain > 0 {
				h.b = append(h.b, unsafe.Slice((*byte)(unsafe.Add(p, part.at)), part.plain)...)
			} else {
				part.walk(h, unsafe.Add(p, part.at))
			}
		}
	}
	scope := scopeOf(t)
	if scope == nil {
		return walk
	}
	return func(h *hasher, p unsafe.Pointer) {
		was := h.scope
		h.scope = scope(h, p)
		walk(h, p)
		h.scope = was
	}
}

// part is how a field is digested, or several plain ones side by side.
type part struct {
	at    uintptr
	plain uintptr // how many bytes are digested as they are; 0: walk does it
	walk  walker
}

func compileField(t reflect.Type, f reflect.StructField) part {
	one := part{at: f.Offset}
	old, known := ageOf(t, f)
	switch kind := f.Type.Kind(); {
	case kind == reflect.Uint64 && slices.Contains(numbered, f.Name) && !strings.HasPrefix(t.String(), "mirror."):
		sort := sortOf(f.Name)
		one.walk = func(h *hasher, p unsafe.Pointer) {
			h.ids = append(h.ids, newID(h.scope*sortsEach+sort, *(*uint64)(p)))
		}
	case known && f.Type == durationType:
		one.walk = func(h *hasher, p unsafe.Pointer) { h.time(*(*time.Duration)(p), old) }
	case t.String()+"."+f.Name == "mirror.Peer.clock":
		exact := walkerOf(f.Type)
		one.walk = func(h *hasher, p unsafe.Pointer) {
			if h.near == 0 { // it collects how long messages took
				exact(h, p)
			}
		}
	case slices.Contains(lengths, t.Name()+"."+f.Name), f.Type != durationType && kind >= reflect.Bool && kind <= reflect.Float64:
		one.plain = f.Type.Size()
	default:
		one.walk = walkerOf(f.Type)
	}
	return one
}

// sortOf is the sort of a field with a number.
func sortOf(name string) int {
	switch {
	case slices.Contains(eras, name):
		return 1
	case slices.Contains(orders, name):
		return 2
	case slices.Contains(terms, name):
		return 3
	case slices.Contains(seqs, name):
		return 4
	}
	return 0
}

// scopeOf says to which instance the numbers in a value belong; nil: to that of the value around it.
func scopeOf(t reflect.Type) func(h *hasher, p unsafe.Pointer) int {
	switch t {
	case reflect.TypeFor[event]():
		return func(_ *hasher, p unsafe.Pointer) int { return (*event)(p).side + 1 }
	case reflect.TypeFor[side]():
		return func(h *hasher, _ unsafe.Pointer) int { h.walked++; return h.walked }
	}
	return nil
}

// ageOf is the age beyond which moments in a field are all the same.
func ageOf(t reflect.Type, f reflect.StructField) (time.Duration, bool) {
	switch {
	case slices.Contains(untils, f.Name):
		return -1, true
	case slices.Contains(brief, t.Name()+"."+f.Name):
		return briefly, true
	}
	return 0, false
}

func compilePointer(t reflect.Type) walker {
	walk := walkerOf(t.Elem())
	return func(h *hasher, p unsafe.Pointer) {
		to := *(*unsafe.Pointer)(p)
		if to == nil {
			h.b = append(h.b, 0)
			return
		}
		h.b = append(h.b, 1)
		walk(h, to)
	}
}

type header struct {
	data unsafe.Pointer
	len  int
	cap  int
}

func compileSlice(t reflect.Type) walker {
	walk, size := walkerOf(t.Elem()), t.Elem().Size()
	return func(h *hasher, p unsafe.Pointer) {
		s := (*header)(p)
		h.word(uint64(s.len))
		for i := range s.len {
			walk(h, unsafe.Add(s.data, uintptr(i)*size))
		}
	}
}

func compileArray(t reflect.Type) walker {
	walk, size := walkerOf(t.Elem()), t.Elem().Size()
	return func(h *hasher, p unsafe.Pointer) {
		for i := range t.Len() {
			walk(h, unsafe.Add(p, uintptr(i)*size))
		}
	}
}

// compileWakes digests a heap, whose order says nothing, and in which what is past comes next.
func compileWakes(t reflect.Type) walker {
	walk, size := walkerOf(t.Elem()), t.Elem().Size()
	return func(h *hasher, p unsafe.Pointer) {
		s, begin := (*header)(p), len(h.b)
		ends := h.ends[:0]
		for i := range s.len {
			walk(h, unsafe.Add(s.data, uintptr(i)*size))
			ends = append(ends, maphash.Bytes(seed, h.b[begin:]))
			h.b = h.b[:begin]
		}
		slices.Sort(ends)
		for _, e := range slices.Compact(ends) {
			h.word(e)
		}
		h.ends = ends
	}
}

// inside is how the values of one type in an interface are digested.
type inside struct {
	name   string // of the type
	walk   walker
	direct bool // the interface holds the value itself, as it is a pointer
}

var insides sync.Map // the insides, by what an interface has of the type

// iface is an interface with methods as it lies in memory.
type iface struct {
	table, data unsafe.Pointer
}

// insideOf returns how the value in an interface of type t is digested. A type has one table for each type of interface,
// which stays where it is.
func insideOf(t reflect.Type, p unsafe.Pointer) inside {
	table := (*iface)(p).table
	if one, ok := insides.Load(table); ok {
		return one.(inside)
	}
	v := reflect.NewAt(t, p).Elem().Elem().Type()
	one := inside{name: v.String(), walk: lockedWalkerOf(v), direct: pointerShaped(v)}
	insides.Store(table, one)
	return one
}

// pointerShaped reports whether an interface holds values of the type themselves, and no pointer to them.
func pointerShaped(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Struct:
		return t.NumField() == 1 && pointerShaped(t.Field(0).Type)
	case reflect.Array:
		return t.Len() == 1 && pointerShaped(t.Elem())
	}
	return false
}

// compileInterface digests the value in an interface with methods: inputs and effects, which are plain values.
func compileInterface(t reflect.Type) walker {
	if t.NumMethod() == 0 {
		panic("explore: " + t.String() + " has no table of methods")
	}
	return func(h *hasher, p unsafe.Pointer) {
		if (*iface)(p).table == nil {
			h.b = append(h.b, 0)
			return
		}
		one := insideOf(t, p)
		h.text(one.name)
		if one.direct {
			one.walk(h, unsafe.Pointer(&(*iface)(p).data))
			return
		}
		one.walk(h, (*iface)(p).data)
	}
}
