package explore

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func worldOf(t *testing.T, id string) (w *world, list string) {
	t.Helper()
	name, list, _ := strings.Cut(id, ":")
	setup, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return newWorld(setup), list
}

// tiny is the network with one command in its day.
func tiny(t *testing.T, name string) *Setup {
	t.Helper()
	setup := setupOf(t, name)
	setup.day = setup.day[:1]
	return setup
}

func setupOf(t *testing.T, name string) *Setup {
	t.Helper()
	setup, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return setup
}

// planted is a violation that a stub of the judge finds where a node is armed and stands still.
func planted(w *world) string {
	for i := range w.sides {
		for k := range w.sides[i].nodes {
			if n := &w.sides[i].nodes[k]; n.isArmed() && n.living().frozen && w.sides[i].stalled {
				return "planted"
			}
		}
	}
	return ""
}

// TestAPlantedViolationIsFound: one that needs two deviations, with two and not with one.
func TestAPlantedViolationIsFound(t *testing.T) {
	for depth, want := range []bool{false, false, true} {
		r := explore(tiny(t, "plain"), Options{Depth: depth, Only: []string{"is suspended", "stalls"}}, planted)
		k := slices.IndexFunc(r.Violations, func(v Violation) bool { return v.Words == "planted" })
		if (k >= 0) != want {
			t.Errorf("with %d deviations: found %v, want %v", depth, k >= 0, want)
		}
		if k >= 0 && strings.Count(r.Violations[k].ID, "@") != 2 {
			t.Errorf("the schedule is %s, want one with two deviations", r.Violations[k].ID)
		}
	}
}

func wordsOf(r Result) []string {
	var list []string
	for _, v := range r.Violations {
		list = append(list, v.Words)
	}
	slices.Sort(list)
	return list
}

// TestMergingChangesNoVerdict: with and without it the same is violated, and fewer events are gone through.
func TestMergingChangesNoVerdict(t *testing.T) {
	for _, c := range []struct {
		depth int
		name  string
		only  []string
	}{
		{2, "plain", []string{"is suspended", "stalls"}},
		{1, "lease", []string{"client disarms", "answer lost@/drive=arm", "answer late@/drive=arm"}},
	} {
		opt := Options{Depth: c.depth, Only: c.only}
		merged := explore(tiny(t, c.name), opt, planted)
		opt.NoMerge = true
		all := explore(tiny(t, c.name), opt, planted)
		if got, want := wordsOf(merged), wordsOf(all); !slices.Equal(got, want) || c.depth == 2 && len(want) == 0 {
			t.Errorf("%s: %v with merging, %v without", c.name, got, want)
		}
		if merged.Merged == 0 || all.Merged != 0 || merged.Schedules > all.Schedules {
			t.Errorf("%s: %d of %d schedules merged, and %d of %d without merging", c.name, merged.Merged,
				merged.Schedules, all.Merged, all.Schedules)
		}
	}
}

// TestTwoHandsFindWhatOneFinds: the same is violated, and the planted violation has a schedule that shows it.
func TestTwoHandsFindWhatOneFinds(t *testing.T) {
	opt := Options{Depth: 2, Only: []string{"is suspended", "stalls"}}
	one := explore(tiny(t, "plain"), opt, planted)
	opt.Hands = 2
	two := explore(tiny(t, "plain"), opt, planted)
	if !slices.Equal(wordsOf(one), wordsOf(two)) || !two.Finished {
		t.Errorf("two hands find %v, finished %v, one finds %v", wordsOf(two), two.Finished, wordsOf(one))
	}
	for _, v := range two.Violations {
		if strings.Count(v.ID, "@") != 2 {
			t.Errorf("the schedule of %q is %s, want one with two deviations", v.Words, v.ID)
		}
	}
}

// TestPartsAreTheWhole: what the whole meets, some part meets, and each part meets less.
func TestPartsAreTheWhole(t *testing.T) {
	setup, err := Find("plain")
	if err != nil {
		t.Fatal(err)
	}
	firsts := func(opt Options) (all map[string]bool) {
		all = map[string]bool{}
		explore(setup, opt, func(w *world) string {
			for _, c := range w.choices(everything, nil) {
				all[fmt.Sprintf("%v %s", w.now, c.key)] = true
			}
			return ""
		})
		return all
	}
	whole := firsts(Options{Depth: 1, NoMerge: true})
	parts := map[string]bool{}
	for k := range 3 {
		one := firsts(Options{Depth: 1, NoMerge: true, Part: Part{Number: k + 1, Of: 3}})
		if len(one) >= len(whole) {
			t.Errorf("part %d meets %d moments, and the whole %d", k+1, len(one), len(whole))
		}
		for m := range one {
			parts[m] = true
		}
	}
	if len(parts) != len(whole) {
		t.Errorf("the parts meet %d moments, and the whole %d", len(parts), len(whole))
	}
	for _, text := range []string{"3", "0/2", "3/2", "a/b", "1/2/3"} {
		if p, err := ParsePart(text); err == nil {
			t.Errorf("%q is the part %v", text, p)
		}
	}
	if p, err := ParsePart("2/3"); err != nil || p != (Part{2, 3}) || p.has(0) || !p.has(1) {
		t.Errorf("2/3 is the part %v, %v", p, err)
	}
}

// TestARoundIsExploredOnce: while an instance that is armed waits for the other one, each proof finds the world of the
// proof before, and what changes is not taken for that.
func TestARoundIsExploredOnce(t *testing.T) {
	w, met := newWorld(setupOf(t, "sides")), round{}
	rounds, news, changes := 0, 0, 0
	for w.beat < len(w.setup.day) {
		was := w.sides[0].shown.State + w.sides[1].shown.State
		w.advance()
		again := met.again(w)
		switch changed := w.sides[0].shown.State+w.sides[1].shown.State != was; {
		case changed && again:
			t.Errorf("at %v an instance changes its state, and the world was met before", w.now)
		case changed:
			changes++
		case again:
			rounds++
		default:
			news++
		}
	}
	if changes < 6 || rounds < 60 || news < 60 {
		t.Errorf("%d changes of a state, %d moments met again, and %d others", changes, rounds, news)
	}
}

// TestAScheduleReplays: to the letter.
func TestAScheduleReplays(t *testing.T) {
	const id = "plain:1500000+0.dies@/drive,21505000+0.restarts@/a"
	one, err := Replay(id, true)
	if err != nil || len(one.Missed) > 0 || len(one.Lines) < 100 {
		t.Fatalf("%d lines, %v, %v were not possible", len(one.Lines), err, one.Missed)
	}
	two, _ := Replay(id, true)
	if !slices.Equal(one.Lines, two.Lines) {
		t.Error("it goes two ways")
	}
}

// TestIDsAreRead: what is no id is refused.
func TestIDsAreRead(t *testing.T) {
	for _, id := range []string{"nowhere:", "plain:x", "plain:1.dies@/drive", "plain:1+x.dies@/drive"} {
		if _, err := Replay(id, false); err == nil {
			t.Errorf("%q is taken for an id", id)
		}
	}
}

// TestTheMenu is the list of deviations: a change of it changes what was explored.
func TestTheMenu(t *testing.T) {
	want, err := os.ReadFile("testdata/menu.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := Menu(); got != string(want) {
		t.Errorf("the menu is\n%s\nwant\n%s", got, want)
	}
}

// TestWhatTheFirstEngineViolated: each schedule of testdata/violations.txt violated what stands beside it when the
// explorer was made, and violates nothing once that is mended.
func TestWhatTheFirstEngineViolated(t *testing.T) {
	file, err := os.Open("testdata/violations.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		fields := strings.Split(lines.Text(), " | ")
		if len(fields) != 4 {
			continue
		}
		rows++
		name, id := fields[0], fields[2]
		story, err := Replay(id, false)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		if len(story.Missed) > 0 {
			t.Logf("%s: %s: %v are not possible any more", name, id, story.Missed)
		}
		if len(story.Violations) > 0 {
			t.Errorf("%s: %s violates %v", name, id, story.Violations)
		}
	}
	if rows < 10 {
		t.Errorf("only %d violations were found in the file", rows)
	}
}

// TestTheNormalDayIsClean: without a deviation no network violates anything.
func TestTheNormalDayIsClean(t *testing.T) {
	setups, err := Setups()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range setups {
		if r := Explore(s, Options{}); len(r.Violations) > 0 || r.Schedules != 1 {
			t.Errorf("%s: %d schedules, %v", s.Name, r.Schedules, r.Violations)
		}
	}
}
