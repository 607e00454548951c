package journal

import (
	"fmt"
	"strings"
	"testing"
)

// told is a picture in a few words.
func told(p *Picture) string {
	words := []string{p.State}
	if p.To != "" {
		words = append(words, "to "+p.To)
	}
	if p.Ended {
		words = append(words, "ended")
	}
	if p.Missing > 0 {
		words = append(words, fmt.Sprintf("%d missing", p.Missing))
	}
	for _, n := range p.Nodes {
		word := strings.TrimSpace(n.Name + " " + n.Seen)
		for _, flag := range []struct {
			on   bool
			word string
		}{{n.Gone, "gone"}, {n.Silent, "silent"}, {n.Strayed, "strayed"}, {n.MayBeArmed, "may be armed"},
			{n.Armed, "armed"}, {n.Asked != "", "asked " + n.Asked}} {
			if flag.on {
				word += " " + flag.word
			}
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// TestPictureFollowsTheLines: after each line, the picture says what the lines up to it have said.
func TestPictureFollowsTheLines(t *testing.T) {
	type said struct {
		line Line
		want string
	}
	there := Line{Kind: KindNode, Event: EventThere, Node: "/a", State: "inactive"}
	seen := said{Line{Kind: KindStep, Event: EventDone, Node: "/a", Step: "configure", Verdict: "done", Seen: "inactive"},
		"inactive, /a inactive"}
	armed := Line{Kind: KindNode, Event: EventMayBeArmed, Node: "/a", Armed: true}
	for name, lines := range map[string][]said{
		"a step": {
			{there, "inactive, /a"}, seen,
			{Line{Kind: KindStep, Event: EventSent, Node: "/a", Step: "activate"}, "inactive, /a inactive asked activate"},
			{Line{Kind: KindStep, Event: EventDone, Node: "/a", Step: "activate", Verdict: "refused", Seen: "inactive"},
				"inactive, /a inactive"},
		},
		"a transition": {
			{Line{Kind: KindState, Event: EventBegan, State: "activating", Command: "activate", To: "active"},
				"activating, to active"},
			{Line{Kind: KindState, Event: EventTurned, State: "deactivating", To: "inactive"}, "deactivating, to inactive"},
			{Line{Kind: KindState, Event: EventSettled, State: "inactive"}, "inactive"},
		},
		"a node that comes and goes": {
			{there, "inactive, /a"}, seen,
			{Line{Kind: KindNode, Event: EventSilent, Node: "/a"}, "inactive, /a inactive silent"},
			{Line{Kind: KindNode, Event: EventAnswers, Node: "/a"}, "inactive, /a inactive"},
			{Line{Kind: KindNode, Event: EventStrayed, Node: "/a", Seen: "unconfigured"},
				"inactive, /a unconfigured strayed"},
			{Line{Kind: KindNode, Event: EventFits, Node: "/a", Seen: "inactive"}, "inactive, /a inactive"},
			{Line{Kind: KindStep, Event: EventSent, Node: "/a", Step: "activate"}, "inactive, /a inactive asked activate"},
			{Line{Kind: KindNode, Event: EventGone, Node: "/a"}, "inactive, /a gone"},
			{there, "inactive, /a"},
		},
		"arming": {
			{there, "inactive, /a"},
			{Line{Kind: KindNode, Event: EventMayBeArmed, Node: "/a"}, "inactive, /a may be armed"},
			{armed, "inactive, /a may be armed armed"},
			{Line{Kind: KindNode, Event: EventDisarmed, Node: "/a"}, "inactive, /a"},
		},
		"another run": {
			{there, "inactive, /a"}, seen, {armed, "inactive, /a inactive may be armed armed"},
			{Line{Kind: KindNode, Event: EventThere, Node: "/b"}, "inactive, /a inactive may be armed armed, /b"},
			{Line{Kind: KindEnd}, "inactive, ended, /a inactive may be armed armed, /b"},
			{Line{Kind: KindStart, State: "unknown"}, "unknown, /a may be armed"},
		},
		"lost lines": {
			{Line{N: 4, State: "active"}, "active"},
			{Line{N: 5, State: "active"}, "active"},
			{Line{N: 9, State: "active"}, "active, 3 missing"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var p Picture
			for k, s := range lines {
				if s.line.N == 0 {
					s.line.N = uint64(k) + 1
				}
				p.Take(&s.line)
				if got := told(&p); got != s.want {
					t.Fatalf("after line %d: %q, want %q", k, got, s.want)
				}
			}
		})
	}
}
