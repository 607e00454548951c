package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"rstate/internal/simnet/schedule"
)

// TestMain makes the test binary the command itself, in a process that a test starts.
func TestMain(m *testing.M) {
	if os.Getenv("RSTATE_SIMULATE_MAIN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestAReplayIsExact: the command that is printed for a schedule repeats the same run in another
// process, up to the last line.
func TestAReplayIsExact(t *testing.T) {
	for _, seed := range []uint64{1, 17, 4242, 1 << 40} {
		s, p := schedule.Draw(seed), schedule.DrawPeers(seed, 0)
		replays(t, schedule.Replay(seed), s.Files()+s.Run().String())
		replays(t, p.Replay(), p.Files()+p.Run().String())
	}
}

// TestAMachineReplays: so does the one of a drawn machine, alone and among peers.
func TestAMachineReplays(t *testing.T) {
	for _, peers := range []string{"", "drawn"} {
		var first, again strings.Builder
		for _, out := range []*strings.Builder{&first, &again} {
			run(plan{from: 1, seeds: 20, workers: 1, machines: true, tell: true, peers: peers}, out)
		}
		a, last, _ := cutLastLine(first.String())
		b, _, _ := cutLastLine(again.String())
		if a != b || !strings.Contains(last, " machines whole, in ") || strings.HasPrefix(last, "0 ") {
			t.Errorf("two runs of peers %q differ, or none was taken: %s", peers, last)
		}
	}
}

func replays(t *testing.T, command, want string) {
	t.Helper()
	args, ok := strings.CutPrefix(command, "go run ./tools/simulate ")
	if !ok {
		t.Fatalf("is replayed by %q", command)
	}
	cmd := exec.Command(os.Args[0], strings.Fields(args)...)
	cmd.Env = append(os.Environ(), "RSTATE_SIMULATE_MAIN=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	if got, last, _ := cutLastLine(string(out)); got != want || !strings.HasPrefix(last, "1 of 1 schedules whole") {
		t.Errorf("%s: the replay is\n%s\nand the run was\n%s", command, got, want)
	}
}

func cutLastLine(text string) (before, last string, ok bool) {
	k := strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")
	if k < 0 {
		return "", text, false
	}
	return text[:k+1], text[k+1:], true
}

func TestTheLastLineSaysHowManyAreWhole(t *testing.T) {
	var out strings.Builder
	if !run(plan{from: 1, seeds: 50, workers: 3, reports: 20}, &out) ||
		!strings.HasPrefix(out.String(), "50 of 50 schedules whole, in ") {
		t.Errorf("said %q", out.String())
	}
}

// TestADigestTellsRunsApart: a seed always has the same digest, and another seed has another one.
func TestADigestTellsRunsApart(t *testing.T) {
	for _, peers := range []string{"", "drawn"} {
		var first, again strings.Builder
		for _, out := range []*strings.Builder{&first, &again} {
			run(plan{from: 1, seeds: 20, workers: 2, reports: 20, peers: peers, digest: true}, out)
		}
		a, _, _ := cutLastLine(first.String())
		b, _, _ := cutLastLine(again.String())
		lines := strings.Split(strings.TrimSpace(a), "\n")
		if a != b || len(lines) != 20 {
			t.Fatalf("the digests are\n%s\nand then\n%s", a, b)
		}
		seen := map[string]bool{}
		for k, line := range lines {
			seed, digest, _ := strings.Cut(line, " ")
			if seed != fmt.Sprint(k+1) || seen[digest] {
				t.Errorf("line %d is %q", k, line)
			}
			seen[digest] = true
		}
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args string
		want plan
		ok   bool
	}{
		{"-workers 2", plan{from: 1, seeds: 10_000, workers: 2, reports: 20}, true},
		{"-seeds 5 -from 7 -workers 1", plan{from: 7, seeds: 5, workers: 1, reports: 20}, true},
		{"-seed 0 -tell -workers 1", plan{from: 0, seeds: 1, workers: 1, reports: 20, tell: true}, true},
		{"-peers 5 -seeds 3 -workers 1", plan{from: 1, seeds: 3, workers: 1, reports: 20, peers: "5"}, true},
		{"-peers drawn -workers 1", plan{from: 1, seeds: 10_000, workers: 1, reports: 20, peers: "drawn"}, true},
		{"-digest -texts -workers 1", plan{from: 1, seeds: 10_000, workers: 1, reports: 20, digest: true, texts: true},
			true},
		{"-machines -peers drawn -workers 1",
			plan{from: 1, seeds: 10_000, workers: 1, reports: 20, peers: "drawn", machines: true}, true},
		{"-peers 1", plan{}, false},
		{"-peers few", plan{}, false},
		{"-seeds many", plan{}, false},
		{"-workers 0", plan{}, false},
		{"7", plan{}, false},
	} {
		t.Run(c.args, func(t *testing.T) {
			var said strings.Builder
			got, ok := parse(strings.Fields(c.args), &said)
			if ok != c.ok || ok && fmt.Sprint(got) != fmt.Sprint(c.want) || !ok && said.Len() == 0 {
				t.Errorf("%+v, %v, want %+v; said %q", got, ok, c.want, said.String())
			}
		})
	}
}
