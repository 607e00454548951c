package schedule

import (
	"fmt"
	"slices"
)

// broken are the seeds of lives that have shown a fault of the engine or of the checker once, with
// the drawing that they had then.
var broken = []struct {
	peers bool
	live  func(seed uint64) (report string)
	seeds []uint64
}{
	{false, alone(drawFormer), []uint64{13514, 118925, 125507, 130669, 151407, 152194, 200245, 238557, 248332, 264670,
		331558, 625463}},
	{false, alone(drawStories), []uint64{
		9071, 20077450, 30000018, 30000041, 30000069, 30001638, 30002268, 50008422, 50193389, 50312835, 50416974,
		50460590, 50539938,
		50607217, 50681307, 52404615,
	}},
	{false, alone(drawUnserved), []uint64{905777, 21009748, 2473, 19496}},
	{true, together(drawFormerPeers), []uint64{1903, 2632, 8368, 41007, 500610}},
	{true, together(DrawPeers), []uint64{
		2279, 2580, 7344, 40000347, 40001300, 40001344, 40001471, 40001662, 40003324, 40003809, 60003995, 60029803,
		60039149, 60049774,
		60070739, 60075039, 60082941, 60095633, 60301589, 26204, 30475, 38636, 68234, 88501,
	}},
	{true, kin(2), []uint64{35182, 98707}},
	{true, kin(3), []uint64{79004}},
}

// kin lets n instances live that have a drawn machine.
func kin(n int) func(uint64) string {
	return func(seed uint64) string {
		k, taken := DrawKin(seed, n)
		if !taken {
			return fmt.Sprintf("machine %d was refused", seed)
		}
		return reported(k.Live().Faults, k.Report)
	}
}

func alone(draw func(uint64) *Schedule) func(uint64) string {
	return func(seed uint64) string {
		return reported(draw(seed).Run().Faults, func(f []string) string { return Report(seed, f) })
	}
}

func together(draw func(uint64, int) *Peers) func(uint64) string {
	return func(seed uint64) string {
		p := draw(seed, 0)
		return reported(p.Run().Faults, p.Report)
	}
}

func reported(faults []string, report func([]string) string) string {
	if len(faults) == 0 {
		return ""
	}
	return report(faults)
}

// Broken runs the lives, of one instance or of several, that have shown a fault once. It returns a
// report of each that is not whole.
func Broken(peers bool) (reports []string) {
	for _, b := range broken {
		for _, seed := range b.seeds {
			if b.peers == peers {
				reports = append(reports, b.live(seed))
			}
		}
	}
	return slices.DeleteFunc(reports, func(r string) bool { return r == "" })
}
