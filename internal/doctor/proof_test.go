package doctor

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestProofFitsTheReads: the doctor compares proof with the time that reads of an armable node take, and proposes one.
func TestProofFitsTheReads(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		proof, median, p99 time.Duration
		level              Level
		says               string
	}{
		"a fast node": {500 * ms, ms, 3 * ms, OK,
			"reads take 1.0 ms, and 99 of 100 at most 3.0 ms: proof: 500ms fits"},
		"more than it needs": {5 * time.Second, ms, 3 * ms, OK, "proof: 5s fits, and proof: 500ms would do"},
		"little to spare": {500 * ms, 20 * ms, 81 * ms, OK,
			"proof: 500ms has little to spare; proof: 900ms has enough"},
		"a slow node": {500 * ms, 50 * ms, 130 * ms, Warning,
			"proof: 1.3s, if all may stay armed for so long"},
		"nothing was measured": {500 * ms, 0, 0, "", ""},
		"proof is not known":   {0, ms, ms, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := healthy()
			f.Network.Proof, f.Network.Nodes[1].Proves = c.proof, true
			if c.p99 > 0 {
				f.Answers[1].Trips = Trips{100, c.median, c.p99}
			}
			var found []Finding
			for _, f := range Judge(f).Findings {
				if strings.Contains(f.What, "proof: ") {
					found = append(found, f)
				}
			}
			if c.level == "" && len(found) == 0 {
				return
			}
			if len(found) != 1 || found[0].About != "/arm" || found[0].Level != c.level ||
				!strings.Contains(found[0].What+found[0].Do, c.says) {
				t.Errorf("got %+v, want %s: %q", found, c.level, c.says)
			}
		})
	}
}

// TestProofIsChosenAsDocumented: the page on arming tells how proof is chosen, with the numbers of the doctor.
func TestProofIsChosenAsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/arming.md")
	if err != nil {
		t.Fatal(err)
	}
	prose := strings.Join(strings.Fields(string(text)), " ")
	times := map[int]string{5: "five", 10: "ten", 20: "twenty"}
	for _, want := range []string{
		"### Choose proof", "`rstate doctor my_robot.yaml`",
		fmt.Sprintf("a `proof` of %s times the latter, %d ms at least", times[readsPerProof*spare],
			leastProof.Milliseconds()),
		fmt.Sprintf("%s times in `proof`", times[readsPerProof]),
	} {
		if !strings.Contains(prose, want) {
			t.Errorf("docs/arming.md does not say %q", want)
		}
	}
}

// TestRobotThatIsNotConfiguredIsHealthy: a node publishes what it is checked by once it is active.
func TestRobotThatIsNotConfiguredIsHealthy(t *testing.T) {
	for _, state := range []string{"unconfigured", "inactive"} {
		f := healthy()
		f.Topics, f.Others, f.Answers[1].State = nil, nil, state
		if r := Judge(f); r.Faults+r.Warnings > 0 {
			t.Errorf("%s: %s: %+v", state, r.Summary, r.Findings)
		}
	}
}
