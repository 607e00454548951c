package narrate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestTale(t *testing.T) {
	well := func(told string) func() (string, error) { return func() (string, error) { return told, nil } }
	for _, c := range []struct {
		name  string
		play  func(*Teller, context.Context) (string, error)
		limit time.Duration // 0: none
		stop  bool
		end   End
		want  []string
		last  string
	}{
		{"goes as expected", func(u *Teller, _ context.Context) (string, error) {
			fmt.Fprint(u.Shown(), "a\n\nb\n")
			return "so it was", nil
		}, 0, false, AsExpected,
			[]string{"Before.\n\n1. One\n\n   Result: well\n\n2. Two\n\n   a\n\n   b\n   Result: so it was\n"},
			"ended\nAfter.\n3 of 3 scenes as expected\n"},
		{"fails", func(u *Teller, _ context.Context) (string, error) { return "", errors.New("it rained") }, 0, false,
			Failed,
			[]string{"   UNEXPECTED: it rained\n", "the last word\n"}, "\n1 of 3 scenes as expected\n"},
		{"takes too long", func(_ *Teller, ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() },
			time.Millisecond, false, Failed, nil,
			"Ending everything: it took too long.\n1 of 3 scenes as expected\n"},
		{"is stopped", func(_ *Teller, ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }, 0,
			true, Stopped, nil,
			"Ending everything: enough.\n1 of 3 scenes as expected\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancelCause(t.Context())
				defer stop(nil)
				if c.limit > 0 {
					limited, cancel := context.WithTimeoutCause(ctx, c.limit, errors.New("it took too long"))
					defer cancel()
					ctx = limited
				}
				var out strings.Builder
				u := &Teller{Out: &out, Logs: &Tail{}}
				fmt.Fprint(u.Logs, strings.Repeat("before\n", Kept), "the last word\n")
				end := u.Tell(ctx, Story{"Before.\n", []Scene{{"One", well("well")}, {"Two", func() (string, error) {
					if c.stop {
						stop(errors.New("enough"))
					}
					return c.play(u, ctx)
				}}, {"Three", func() (string, error) {
					if c.end != AsExpected {
						t.Error("it went on")
					}
					return "well", nil
				}}}, "After.\n", func() { fmt.Fprint(&out, "ended\n") }})
				text := out.String()
				for _, part := range c.want {
					if !strings.Contains(text, part) {
						t.Errorf("want %q in:\n%s", part, text)
					}
				}
				if end != c.end || !strings.HasSuffix(text, c.last) || len(text) > 2*Kept {
					t.Errorf("it ended as %d, with %d bytes, the last of which are %q", end, len(text),
						text[max(0, len(text)-60):])
				}
			})
		})
	}
}
