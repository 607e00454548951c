//go:build ros

package ros

import (
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// TestANodeOfASimilarNameIsNamed: a node that never appears often has a misspelt name. No other
// test has a node whose base name is similar to this one.
func TestANodeOfASimilarNameIsNamed(t *testing.T) {
	t.Parallel()
	host, space := bed.StartHost(t), "/"+bed.Unique(t, "alike")
	host.Node(bed.NodeSpec{Name: space + "/rangefinder_1"})
	d := daemon.Start(t, host, daemon.Config{
		Binary: binary, Name: space + "/rstate",
		Network: "nodes:\n  " + space + "/rangefinder: {deadline: {discover: 5s}}\n",
	})
	d.Await("the state suggests the other name", func(v daemon.View) bool {
		return daemon.HasAll(v.Deviation(space+"/rangefinder"),
			"is not there, but "+space+"/rangefinder_1 is: is that one meant?")
	})
	d.Rejected("configure", space+"/rangefinder_1")
}
