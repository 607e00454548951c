package main

import (
	"strings"
	"testing"
)

func TestSum(t *testing.T) {
	met := "BenchmarkPlan1000-2 \t 1104 \t 1621935 ns/op \t 0.1600 of-bound \t 668951 B/op\n"
	missed := "BenchmarkBringUp/nodes=1000-2 \t 6 \t 167096460 ns/op \t 1.670 of-bound\n"
	free := "BenchmarkBringUp/nodes=10-2 \t 1082 \t 1093970 ns/op\n"
	for _, c := range []struct {
		name, in, last string
		well           bool
	}{
		{"met", met + free, "1 of 1 met", true},
		{"not met", met + missed, "not met: BenchmarkBringUp/nodes=1000-2\n1 of 2 met", false},
		{"one failed", met + "--- FAIL: BenchmarkBringUp\nFAIL\n", "1 of 1 met", false},
		{"no bound at all", free + "PASS\n", "0 of 0 met", false},
		{"nothing", "", "0 of 0 met", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			if well := sum(strings.NewReader(c.in), &out); well != c.well ||
				!strings.HasSuffix(out.String(), c.last+"\n") || !strings.HasPrefix(out.String(), c.in) {
				t.Errorf("%v, said:\n%s\nwant %s", well, out.String(), c.last)
			}
		})
	}
}
