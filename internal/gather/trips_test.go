//go:build ros

package gather

import (
	"context"
	"testing"
	"time"

	"rstate/internal/doctor"
	"rstate/test/bed"
)

// TestReadsOfANodeAreTimed, of one that answers; another has no times.
func TestReadsOfANodeAreTimed(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "arm")
	host.Ready(host.Node(bed.NodeSpec{Name: name}))
	l := &looker{node: newNode(t, "asker")}
	ctx, cancel := context.WithTimeout(t.Context(), bed.Deadline)
	defer cancel()
	if got := l.trips(ctx, name); got.Count == 0 || got.Median <= 0 || got.P99 < got.Median {
		t.Errorf("got %+v", got)
	}
	cancel()
	if got := l.trips(ctx, name+"_2"); got != (doctor.Trips{}) {
		t.Errorf("of a node that is not there: %+v", got)
	}
}

func TestTripsOf(t *testing.T) {
	var hundred []time.Duration
	for ms := 100; ms >= 1; ms-- {
		hundred = append(hundred, time.Duration(ms))
	}
	for name, c := range map[string]struct {
		took []time.Duration
		want doctor.Trips
	}{
		"none":      {nil, doctor.Trips{}},
		"one":       {[]time.Duration{7}, doctor.Trips{Count: 1, Median: 7, P99: 7}},
		"a few":     {[]time.Duration{9, 1, 5}, doctor.Trips{Count: 3, Median: 5, P99: 9}},
		"a hundred": {hundred, doctor.Trips{Count: 100, Median: 51, P99: 99}},
	} {
		if got := tripsOf(c.took); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
