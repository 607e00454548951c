package simnet

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
	"reflect"
	"slices"
)

// Digest returns a number that stands for all inputs and effects of a run. A run is a closed loop without chance: if
// two engines have equal digests for equal seeds, they have taken the same decisions in the same order.
//
// Sentences for people do not count, unless texts is true: their wording may change while the decisions do not.
func (t *Trace) Digest(texts bool) uint64 { return digestOf(texts, t) }

// Digest returns a number that stands for all inputs and effects of all instances; see Trace.Digest.
func (t *PeersTrace) Digest(texts bool) uint64 { return digestOf(texts, t.Worlds...) }

func digestOf(texts bool, traces ...*Trace) uint64 {
	d := digester{hash: sha256.New(), texts: texts}
	for _, t := range traces {
		d.add(t)
	}
	return binary.BigEndian.Uint64(d.hash.Sum(nil))
}

// wordings are the fields of inputs, effects and of what they hold that are sentences for people.
var wordings = []string{
	"Why", "Message", "Evidence", "Cause", "Sentence", "Deviations", "Deviates", "Silent", "Waiting", "Warnings",
	"Failing", "Reason",
}

type digester struct {
	hash  hash.Hash
	texts bool
	line  []byte
}

func (d *digester) add(t *Trace) {
	for _, l := range t.lines {
		if l.way == 'w' {
			continue
		}
		d.line = append(d.line[:0], l.way)
		d.number(uint64(l.at))
		d.value(reflect.ValueOf(l.what))
		d.hash.Write(d.line)
	}
}

func (d *digester) number(n uint64) { d.line = binary.AppendUvarint(d.line, n) }

func (d *digester) text(s string) {
	d.number(uint64(len(s)))
	d.line = append(d.line, s...)
}

func (d *digester) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		d.number(map[bool]uint64{true: 1}[v.Bool()])
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.number(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		d.number(v.Uint())
	case reflect.Float64:
		d.number(math.Float64bits(v.Float()))
	case reflect.String:
		d.text(v.String())
	case reflect.Slice, reflect.Array:
		d.number(uint64(v.Len()))
		for i := range v.Len() {
			d.value(v.Index(i))
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			d.number(0)
			return
		}
		if v.Kind() == reflect.Interface {
			d.text(v.Elem().Type().Name())
		}
		d.value(v.Elem())
	case reflect.Struct:
		d.fields(v)
	default:
		panic("simnet: a digest of a " + v.Type().String() + " is not defined")
	}
}

func (d *digester) fields(v reflect.Value) {
	t := v.Type()
	d.text(t.Name())
	for i := range v.NumField() {
		f := t.Field(i)
		if text := f.Type.Kind() == reflect.String ||
			f.Type == reflect.TypeFor[[]string](); text && !d.texts && slices.Contains(wordings, f.Name) {
			continue
		}
		d.value(v.Field(i))
	}
}
