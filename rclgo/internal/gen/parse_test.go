package gen

import (
	"reflect"
	"strings"
	"testing"
)

func TestFieldLines(t *testing.T) {
	nested := func(pkg, name string) Type { return Type{Nested: Name{pkg, "msg", name}} }
	list := func(t Type, s Shape, n int) Type { t.Shape, t.Len = s, n; return t }
	primitive := func(p string) Type { return Type{Primitive: p} }
	for _, c := range []struct {
		line string
		want Field
	}{
		{"int32 a", Field{"a", primitive("int32"), nil}},
		{"int32\t a \t-3", Field{"a", primitive("int32"), []string{"-3"}}},
		{"uint8 a 007", Field{"a", primitive("uint8"), []string{"7"}}},
		{"uint8 a 0xff", Field{"a", primitive("uint8"), []string{"255"}}},
		{"bool a True", Field{"a", primitive("bool"), []string{"true"}}},
		{"bool a 0", Field{"a", primitive("bool"), []string{"false"}}},
		{"float64 a 3", Field{"a", primitive("float64"), []string{"3"}}},
		{"string a b=c", Field{"a", primitive("string"), []string{`"b=c"`}}},
		{`string a "b\"c"`, Field{"a", primitive("string"), []string{`"b\"c"`}}},
		{`string a 'b\nc'`, Field{"a", primitive("string"), []string{`"b\nc"`}}},
		{"string<=5 a", Field{"a", primitive("string"), nil}},
		{"string<=5[<=2] a", Field{"a", list(primitive("string"), Sequence, 0), nil}},
		{"int8[] a [1, 2]", Field{"a", list(primitive("int8"), Sequence, 0), []string{"1", "2"}}},
		{"int8[] a []", Field{"a", list(primitive("int8"), Sequence, 0), []string{}}},
		{"int8[2] a [1,2]", Field{"a", list(primitive("int8"), Array, 2), []string{"1", "2"}}},
		{`string[] a ["x, y", z]`, Field{"a", list(primitive("string"), Sequence, 0), []string{`"x, y"`, `"z"`}}},
		{"Other a", Field{"a", nested("p", "Other"), nil}},
		{"q/Other[3] a", Field{"a", list(nested("q", "Other"), Array, 3), nil}},
		{"q/msg/Other[] a", Field{"a", list(nested("q", "Other"), Sequence, 0), nil}},
	} {
		t.Run(c.line, func(t *testing.T) {
			i, err := ParseMsg(Name{"p", "msg", "M"}, c.line+" # comment\r\n")
			if err != nil {
				t.Fatal(err)
			}
			if got := i.Messages[0].Fields; len(got) != 1 || !reflect.DeepEqual(got[0], c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestFaultyFiles(t *testing.T) {
	for _, c := range []struct{ kind, text, want string }{
		{"msg", "int32", "line 1: \"int32\": a type and a name are wanted"},
		{"msg", "\nint32 a 1.5", "line 2: field a: \"1.5\" is no value of type int32"},
		{"msg", "uint8 a 256", "no value of type uint8"},
		{"msg", "int8[2] a [1]", "1 default values for an array of 2"},
		{"msg", "int8[] a 1", "is no list of values"},
		{"msg", `string[] a ["x]`, "a quote is not closed"},
		{"msg", "int8[0] a", "an array of that length"},
		{"msg", "int8[<=] a", "the bound is missing"},
		{"msg", "int8<=3 a", "only strings"},
		{"msg", "int8[x] a", "is no type"},
		{"msg", "int8 2a", "is no field name"},
		{"msg", "Other a 3", "nested message has no default"},
		{"msg", "Other A=3", "constant A"},
		{"msg", "int8 a\n---\nint8 b", "line 2: a .msg file has 1 sections"},
		{"srv", "int8 a", "a .srv file has 2 sections"},
		{"action", "int8 a\n---\n", "a .action file has 3 sections"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if _, err := ParseMsg(Name{"p", c.kind, "M"}, c.text); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestFaultyIDL(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"module p { module msg { struct N { long a; }; }; };", "no struct M"},
		{"module p {\n union U {}; };", "line 2: \"union\" is not supported"},
		{"module p { struct M { long a } };", `"}" instead of ";"`},
		{"module p { struct M { sequence<sequence<long>> a; }; };", "a sequence of lists"},
		{"module p { struct M { a::b c; }; };", `"a::b" is no type`},
		{"module p { struct M { @default (value=\"x\") long a; }; };", "no value of type int32"},
		{"module p { $ };", "is not understood"},
		{"module p { struct M {", "instead of"},
		{"module p { ", "module p is not closed"},
		{"@verbatim (text=", "annotation @verbatim is not closed"},
	} {
		t.Run(c.text, func(t *testing.T) {
			if _, err := ParseIDL(Name{"p", "msg", "M"}, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestGoNames(t *testing.T) {
	for ros, want := range map[string]string{
		"goal_id": "GoalId", "uuid": "Uuid", "id": "Id", "http_url": "HttpUrl", "a1_b": "A1B",
		"stamp": "Stamp", "frame_ids": "FrameIds", "x": "X", "already_Upper": "AlreadyUpper",
	} {
		if got := goName(ros); got != want {
			t.Errorf("%s becomes %s, not %s", ros, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("int32[<=3] a [1, 2]\nstring S=x\n---\nq/T b")
	f.Add("module p { module msg { struct M { @default (value=1) sequence<long, 3> a; }; }; };")
	f.Fuzz(func(t *testing.T, text string) {
		for kind := range suffixes {
			_, _ = ParseMsg(Name{"p", kind, "M"}, text)
			_, _ = ParseIDL(Name{"p", kind, "M"}, text)
		}
	})
}
