//go:build ros

package trials

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// at returns a moment of a story, in ms.
func at(ms int) moment { return moment(time.Duration(ms+1000) * time.Millisecond) }

func told(ms int, armed bool) word { return word{node: "/n", at: at(ms), armed: armed} }

// shows is a message that takes 1 ms to arrive.
func shows(ms int, state string, named ...string) view {
	return view{at: at(ms + 1), stamp: at(ms), instance: "i", state: state, settled: true, named: named}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name string
		record
		want []string // a part of each fault
	}{
		{"an ordinary day", record{
			words:   []word{told(10, true), told(50, false)},
			views:   []view{shows(0, "active"), shows(5, "arming", "/n"), shows(55, "active")},
			endings: []ending{{at: at(56), command: "disarm", success: true}}}, nil},
		{"the message that names the node comes late", record{
			words: []word{told(10, true), told(500, false)},
			views: []view{shows(0, "active"),
				{at: at(200), stamp: at(5), instance: "i", state: "arming", named: []string{"/n"}}}}, nil},
		{"it comes too late", record{
			words: []word{told(10, true), told(500, false)},
			views: []view{shows(0, "active"),
				{at: at(220), stamp: at(5), instance: "i", state: "arming", named: []string{"/n"}}}},
			[]string{"shown as disarmed for 210ms"}},
		{"it never comes, in several messages", record{
			words: []word{told(10, true), told(300, false)},
			views: []view{shows(0, "active"), shows(100, "active"), shows(250, "active")}},
			[]string{"shown as disarmed for 290ms", "a state was made"}},
		{"a disarm is shown before it is true", record{
			words: []word{told(10, true), told(60, false)},
			views: []view{shows(0, "arming", "/n"), shows(55, "active")}}, []string{"a state was made"}},
		{"the result of a disarm comes before it is true", record{
			words:   []word{told(10, true), told(60, false)},
			views:   []view{shows(0, "arming", "/n")},
			endings: []ending{{at: at(59), command: "disarm", success: true}}}, []string{"the result of disarm"}},
		{"an arm that fails says that nothing is armed", record{
			words:   []word{told(10, true), told(60, false)},
			views:   []view{shows(0, "arming", "/n")},
			endings: []ending{{at: at(59), command: "arm", message: "arm failed; nothing is armed"}}},
			[]string{"the result of arm"}},
		{"the result of an arm, and a disarm that fails, say nothing", record{
			words:   []word{told(10, true)},
			views:   []view{shows(0, "arming", "/n")},
			endings: []ending{{at: at(20), command: "arm", success: true}, {at: at(30), command: "disarm"}}}, nil},
		{"a dead daemon shows nothing, and one that starts does not know", record{
			words: []word{told(10, true)},
			views: []view{shows(0, "arming", "/n"), {at: at(20)}, shows(300, "unknown")}}, nil},
		{"a suspended daemon still shows what it has shown", record{
			words: []word{told(10, true)},
			views: []view{shows(0, "active")}}, []string{"shown as disarmed for 990ms"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.judge([]string{"/n"}, at(1000))
			if len(got) != len(c.want) ||
				slices.ContainsFunc(c.want,
					func(part string) bool { return !strings.Contains(strings.Join(got, "\n"), part) }) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestASeedRepeatsItsTrials(t *testing.T) {
	shares := [places]int{1, 1, 1, 1, 1, 1}
	one, same := draw(random(7, 3), 3, linkDown, shares, 4), draw(random(7, 3), 3, linkDown, shares, 4)
	if one.String() != same.String() || !slices.Equal(one.arming, same.arming) || one.victim != same.victim {
		t.Errorf("one seed draws %+v and %+v", one, same)
	}
	var drawn [places]int
	for n := range 600 {
		drawn[draw(random(7, n), n, linkDown, shares, 4).place]++
	}
	if slices.Min(drawn[:]) < 50 {
		t.Errorf("of 600 trials so many are at each place: %v", drawn)
	}
}
