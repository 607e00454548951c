package page

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"rstate/internal/httpapi"
)

var update = flag.Bool("update", false, "write api.d.ts")

// TestTheTypesAreThoseOfTheAPI: make page checks the scripts against api.d.ts, so it must be what the server sends.
func TestTheTypesAreThoseOfTheAPI(t *testing.T) {
	text := declarations(httpapi.Simulation{}, httpapi.Alive{}, httpapi.Entry{}, httpapi.Result{}, httpapi.Problem{},
		httpapi.Look{}, httpapi.Challenge{}, httpapi.Why{}, httpapi.Network{}, httpapi.Order{})
	if *update {
		if err := os.WriteFile("api.d.ts", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile("api.d.ts"); err != nil || string(have) != text {
		t.Errorf("api.d.ts is older than internal/httpapi (%v); go test ./internal/page -update writes it", err)
	}
}

// declarations writes types of Go for TypeScript, with all that they need.
func declarations(values ...any) string {
	d := &declared{done: map[reflect.Type]bool{}}
	d.text.WriteString("// Made from internal/httpapi by: go test ./internal/page -update\n")
	for _, v := range values {
		d.declare(reflect.TypeOf(v))
	}
	return d.text.String()
}

type declared struct {
	text strings.Builder
	done map[reflect.Type]bool
}

func (d *declared) declare(t reflect.Type) {
	if d.done[t] {
		return
	}
	d.done[t] = true
	var fields strings.Builder
	d.fields(&fields, t)
	fmt.Fprintf(&d.text, "\nexport interface %s {\n%s}\n", t.Name(), fields.String())
}

func (d *declared) fields(b *strings.Builder, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			d.fields(b, f.Type)
		case name == "" || name == "-":
		default:
			optional := ""
			if strings.HasPrefix(options, "omit") {
				optional = "?"
			}
			fmt.Fprintf(b, "  /** %s */\n  %s%s: %s;\n", f.Tag.Get("doc"), name, optional, d.named(f.Type))
		}
	}
}

func (d *declared) named(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "string"
	case t.Kind() == reflect.Pointer:
		return d.named(t.Elem())
	case t.Kind() == reflect.Slice:
		return d.named(t.Elem()) + "[]"
	case t.Kind() == reflect.Struct:
		d.declare(t)
		return t.Name()
	case t.Kind() == reflect.Bool:
		return "boolean"
	case t.Kind() == reflect.String:
		return "string"
	case t.Kind() == reflect.Map:
		return "Record<string, unknown>"
	default:
		return "number"
	}
}
