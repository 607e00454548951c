package explore

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"unsafe"
)

// sharedTypes are never changed once they are made, so that a clone may share them. A judge with a clone makes another
// fsm before it fires.
var sharedTypes = []string{
	"network.Network", "network.Node", "network.Check", "machine.Machine", "engine.facts", "mirror.Config",
	"engine.phase",
	"mirror.Seen", "mirror.Status", "mirror.Change", "engine.Result", "engine.part.refused", "machine.Transition",
	"time.Location", "fsm.FSM", "stopinput.Writer", "stopinput.writer", "latch.Latch", "guards.Word",
}

// shares lists the memory that two values share, and that one of them could change.
func shares(path string, a, b reflect.Value, seen map[unsafe.Pointer]bool) (list []string) {
	t := a.Type()
	if slices.Contains(sharedTypes, t.String()) {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			list = append(list, shares(path+"."+t.Field(i).Name, a.Field(i), b.Field(i), seen)...)
		}
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() || slices.Contains(sharedTypes, t.Elem().String()) || seen[a.UnsafePointer()] {
			return nil
		}
		seen[a.UnsafePointer()] = true
		if a.Pointer() == b.Pointer() {
			return []string{path}
		}
		return shares(path, a.Elem(), b.Elem(), seen)
	case reflect.Slice:
		if a.Cap() == 0 || t.Elem().Size() == 0 || slices.Contains(sharedTypes, t.Elem().String()) {
			return nil
		}
		if a.Pointer() == b.Pointer() {
			return []string{path}
		}
		for i := range min(a.Len(), b.Len()) {
			list = append(list, shares(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i), seen)...)
		}
	case reflect.Map:
		if a.Len() > 0 && a.Pointer() == b.Pointer() {
			return []string{path}
		}
	}
	return list
}

// rich are schedules in which much is going on.
var rich = []string{
	"optional:1180000+0.dies@/gripper,1200000+1.client disarms@/a",
	"plain:1202000+0.slow@/drive=arm,4700000+0.client arms@/a",
	"checks:1700000+0.slows down@/drive,1800000+0.is late@/a",
	"sides:2200000+0.wire cut for 3 s,2200000+0.client disarms@/b",
	"required:1700000+0.is suspended@/crane,1800000+0.stalls@/a",
	"two:1203000+0.respawns@/left,1203500+0.client cancels@/a",
	"stop two:1700000+0.pressed@/a,1900000+0.acknowledged@/b",
	"guard two:1300000+0.guard killed@/a,1500000+0.guard suspended for 1 s@/a",
	"lease:1202000+1.cut off for 5 s@/drive,1210000+0.arms late by what it saw@/a",
	"lease:1203000+0.cut off then slow@/drive",
	"served:1190000+0.client cut off@/a,1700000+0.server hangs@/drive",
	"twice:1201000+0.cut off for 5 s@/drive,1300000+0.server killed@/drive",
}

// TestACloneOfTheEngineSharesNothing: no memory that a step may change belongs to two states.
func TestACloneOfTheEngineSharesNothing(t *testing.T) {
	for _, id := range rich {
		w := begin(t, id)
		for !w.over() {
			w.advance()
			for i := range w.sides {
				s := w.sides[i].state
				if s == nil || w.turns%7 != 0 {
					continue
				}
				c := s.Clone()
				if list := shares("State", reflect.ValueOf(s).Elem(), reflect.ValueOf(c).Elem(),
					map[unsafe.Pointer]bool{}); len(list) > 0 {
					t.Fatalf("%s at %v: a clone shares %v", id, w.now, list)
				}
			}
		}
	}
}

// TestAStepOfAWorldChangesNoCloneOfIt: what a clone goes through leaves the original as it was.
func TestAStepOfAWorldChangesNoCloneOfIt(t *testing.T) {
	for _, id := range rich {
		w := begin(t, id)
		for !w.over() {
			w.advance()
			if w.turns%11 != 0 {
				continue
			}
			was := w.digest(false)
			c := w.clone()
			if c.digest(false) != was {
				t.Fatalf("%s at %v: a clone is not equal", id, w.now)
			}
			for range 30 {
				if !c.over() {
					c.advance()
				}
			}
			if w.digest(false) != was {
				t.Fatalf("%s at %v: what a clone went through has changed the original", id, w.now)
			}
		}
	}
}

// TestACloneGoesOnAsTheOriginal: both hear the same from here on, and wish the same.
func TestACloneGoesOnAsTheOriginal(t *testing.T) {
	for _, id := range rich {
		w := begin(t, id)
		for w.turns < 200 && !w.over() {
			w.advance()
		}
		c := w.clone()
		w.story, c.story = &story{}, &story{}
		for _, one := range []*world{w, c} {
			for !one.over() {
				one.advance()
			}
		}
		if !slices.Equal(w.story.lines, c.story.lines) {
			t.Errorf("%s: a clone goes another way", id)
		}
	}
}

// begin returns a world right after the newest deviation of an id.
func begin(t *testing.T, id string) *world {
	t.Helper()
	w, list := worldOf(t, id)
	missed, err := w.deviations(list)
	if err != nil || len(missed) > 0 {
		t.Fatalf("%s: %v, %v were not possible", id, err, missed)
	}
	return w
}

// TestWhatIsLeftOutIsThere: a field with another name or place would count again, and equal worlds would not merge.
func TestWhatIsLeftOutIsThere(t *testing.T) {
	for _, name := range []string{"plain", "peers", "stop"} {
		setup, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		Explore(setup, Options{Depth: 1, Limit: 200})
	}
	compiles.Lock()
	defer compiles.Unlock()
	for _, name := range skipped {
		if !omitted[name] {
			t.Errorf("no digest meets %s: if it has a new name or place, correct it in digest.go", name)
		}
	}
}
