package stepped

import (
	"strings"
	"testing"
)

// counts is how many publishers a subscription is matched with.
func counts(n int) func() (int, error) { return func() (int, error) { return n, nil } }

// begun is a reader of a topic whose only publisher, /driver, the graph shows as 1.
func begun(t *testing.T) *senders[int] {
	t.Helper()
	s := &senders[int]{}
	if err := s.zero("/in", []string{"/driver"}, 1, map[int]string{1: "/driver"}); err != nil {
		t.Fatal(err)
	}
	return s
}

func nothing() map[int]string { return nil }

// TestAStrangersMessageIsNotCounted: a stranger that has joined and left between two looks is not taken for the only
// publisher.
func TestAStrangersMessageIsNotCounted(t *testing.T) {
	t.Run("where messages carry what the graph shows", func(t *testing.T) {
		s := begun(t)
		for k, want := range []string{"/driver", "", "/driver", ""} {
			if got := s.name([]int{1, 9}[k%2], nothing, counts(1)); got != want {
				t.Errorf("message %d is of %q, want %s", k, got, want)
			}
		}
		if err := s.zero("/in", []string{"/driver"}, 1, map[int]string{1: "/driver"}); err != nil {
			t.Fatal(err)
		}
		if got := s.name(9, nothing, counts(1)); got != "" {
			t.Errorf("after the next zero a stranger's message is of %q", got)
		}
	})
	t.Run("where they do not", func(t *testing.T) {
		s := begun(t)
		for _, c := range []struct {
			id, matched int
			want        string
		}{{7, 2, ""}, {7, 1, "/driver"}, {9, 1, ""}, {7, 2, "/driver"}} {
			if got := s.name(c.id, nothing, counts(c.matched)); got != c.want {
				t.Errorf("%d with %d publishers is of %q, want %s", c.id, c.matched, got, c.want)
			}
		}
		if s.untold {
			t.Error("a stranger is taken for a fault of the middleware")
		}
		if err := s.zero("/in", []string{"/driver"}, 1, nil); err != nil {
			t.Fatal(err)
		}
		if got := s.name(8, nothing, counts(1)); got != "/driver" {
			t.Errorf("the new identifier of the publisher after zero is of %q", got)
		}
	})
	t.Run("and comes first", func(t *testing.T) {
		s := begun(t)
		s.name(9, nothing, counts(1))
		if got := s.name(1, nothing, counts(1)); got != "/driver" {
			t.Errorf("the publisher's message is of %q", got)
		}
		if got := s.name(9, nothing, counts(1)); got != "" {
			t.Errorf("the stranger's second message is of %q", got)
		}
	})
	t.Run("that the graph shows", func(t *testing.T) {
		s := begun(t)
		if got := s.name(9, func() map[int]string { return map[int]string{9: "/stranger"} }, counts(2)); got != "/stranger" {
			t.Errorf("a message is of %q", got)
		}
		if got := s.name(8, nothing, counts(1)); got != "" {
			t.Errorf("a message of an unknown publisher is of %q", got)
		}
	})
}

// TestOneOfSeveralPublishers: if messages do not carry what the graph shows, one of several publishers is not known.
func TestOneOfSeveralPublishers(t *testing.T) {
	both := map[int]string{1: "/driver", 2: "/pilot"}
	for _, c := range []struct {
		id     int
		untold bool
	}{{7, true}, {2, false}} {
		s := &senders[int]{}
		if err := s.zero("/in", []string{"/driver", "/pilot"}, 2, both); err != nil {
			t.Fatal(err)
		}
		if got, want := s.name(c.id, nothing, counts(2)), map[int]string{2: "/pilot"}[c.id]; got != want {
			t.Errorf("%d is of %q, want %s", c.id, got, want)
		}
		s.name(9, nothing, counts(2))
		if s.untold != c.untold {
			t.Errorf("untold is %v after %d", s.untold, c.id)
		}
		if s.name(1, nothing, counts(2)); s.untold {
			t.Errorf("untold after %d and a message that the middleware tells", c.id)
		}
	}
}

// TestZeroWithAStranger: counts are not zero while a topic of one publisher has two.
func TestZeroWithAStranger(t *testing.T) {
	for _, matched := range []int{0, 2} {
		err := (&senders[int]{}).zero("/in", []string{"/driver"}, matched, nil)
		if err == nil || !strings.Contains(err.Error(), "only that of /driver counts") {
			t.Errorf("matched with %d: %v", matched, err)
		}
	}
	if err := (&senders[int]{}).zero("/in", []string{"/driver", "/pilot"}, 2, nil); err != nil {
		t.Error(err)
	}
}
