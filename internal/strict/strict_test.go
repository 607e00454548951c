package strict

import (
	"testing"
	"time"
)

func TestSuggest(t *testing.T) {
	words := []string{"configure", "cleanup", "activate", "/lidar", "/slam"}
	cases := []struct{ typed, want string }{
		{"configur", "did you mean configure?"},
		{"conifgure", "did you mean configure?"},
		{"Activate", "did you mean activate?"},
		{"/lider", "did you mean /lidar?"},
		{"/camera", "look"},
		{"x", "look"},
		{"", "look"},
	}
	for _, c := range cases {
		if got := Suggest(c.typed, words, "look"); got != c.want {
			t.Errorf("%q: %s, want %s", c.typed, got, c.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"ab", "", 2}, {"ab", "ba", 1}, {"abc", "abd", 1}, {"adopt", "adpot", 1}, {"kitten", "sitting", 3}} {
		if got, back := distance(c.a, c.b), distance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q to %q is %d, back %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}

type thing struct {
	Wait time.Duration
	On   bool
	Size int
}

func thingKind() Kind[thing] {
	return Record([]Field[thing]{
		Key("wait", "how long", Duration(true), func(t *thing) *time.Duration { return &t.Wait }),
		Key("on", "whether", Bool(), func(t *thing) *bool { return &t.On }).Required(),
		Key("size", "how big", Int(1, 9), func(t *thing) *int { return &t.Size }),
	}, thing{Wait: 90 * time.Second, Size: 3})
}

// The destination holds the defaults; a faulty key keeps its default, and the other keys are still
// read.
func TestRecord(t *testing.T) {
	cases := []struct {
		name, text string
		want       thing
		faults     string
	}{
		{"defaults stay", "on: true", thing{90 * time.Second, true, 3}, ""},
		{"all given", "{wait: 1m30s, on: false, size: 9}", thing{90 * time.Second, false, 9}, ""},
		{"zero", "{wait: 0, on: true}", thing{0, true, 3}, ""},
		{"faults keep defaults", "{wait: 5, on: true, size: 10}", thing{90 * time.Second, true, 3},
			"f:1:8: wait: has no unit; write 5s for seconds, or ms, m, h\nf:1:27: size: is the number 10; write a whole number from 1 to 9"},
		{"missing", "size: 2", thing{90 * time.Second, false, 2}, "f:1:1: the key on is missing; add it: whether"},
		{"through an alias", "{wait: &w 2s, on: true, size: *w}", thing{2 * time.Second, true, 3},
			"f:1:31: size: is the text \"2s\"; write a whole number from 1 to 9"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := &Report{}
			v, ok := Parse("f", []byte(c.text), r)
			if !ok {
				t.Fatal(r.Err())
			}
			got := thing{Wait: 90 * time.Second, Size: 3}
			thingKind().Read(v, &got)
			faults := ""
			if err := r.Err(); err != nil {
				faults = err.Error()
			}
			if got != c.want || faults != c.faults {
				t.Errorf("read %+v with faults\n%s\nwant %+v with\n%s", got, faults, c.want, c.faults)
			}
		})
	}
}

// The schema shows a default as a person would write it.
func TestSchemaShowsDefaults(t *testing.T) {
	properties := thingKind().Schema["properties"].(Schema)
	if got := properties["wait"].(Schema)["default"]; got != "1m30s" {
		t.Errorf("default of wait is %v", got)
	}
	if _, has := properties["on"].(Schema)["default"]; has {
		t.Error("a required key has a default")
	}
	for d, want := range map[time.Duration]string{2 * time.Minute: "2m", time.Hour: "1h",
		500 * time.Millisecond: "500ms", 0: "0s"} {
		if got := showDuration(d); got != want {
			t.Errorf("%v is shown as %s, want %s", d, got, want)
		}
	}
}

// A file with many faults gets a limited number of messages, and the number of the others.
func TestFaultsAreBounded(t *testing.T) {
	r := &Report{}
	for i := range maxFaults + 7 {
		r.add(&r.faults, Fault{File: "f", Line: i + 1, Problem: "is wrong", Hint: "change it"})
	}
	faults, _ := r.Err().(Faults)
	if len(faults) != maxFaults+1 || faults[maxFaults].Problem != "and 7 more" {
		t.Errorf("%d faults, the last is %v", len(faults), faults[len(faults)-1])
	}
}
