//go:build ros

package faults

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// The daemon waits for a node that never appears as long as the file says. It names the node in the
// state, in the answer to a command and in rstate why. Meanwhile it asks the other nodes for
// nothing.
func TestANodeNeverAppears(t *testing.T) {
	n := newNetwork(t, "defaults: {deadline: {discover: 5m}}\n")
	host := bed.StartHost(t)
	front := host.Node(bed.NodeSpec{Name: n.front})
	host.Node(bed.NodeSpec{Name: n.rear + "_left"}) // a node of nearly the same name
	d := daemon.Start(t, host, daemon.Config{Binary: binary(t), Network: n.text})
	d.Await("the daemon waits", func(v daemon.View) bool { return v.State.Label == "unknown" })
	d.Rejected("active", "have not all been read", n.rear+" is not there")
	d.Process.Signal(syscall.SIGTERM)
	d.Process.Wait(t)
	hasty := strings.Replace(n.text, "5m", "1s", 1)
	d = daemon.Start(t, host, daemon.Config{Binary: binary(t), Network: hasty})
	d.Await("it goes on without", func(v daemon.View) bool {
		return v.State.Label == "unconfigured" && v.Settled && !v.Intact &&
			strings.Contains(v.Deviation(n.rear), "is not there")
	})
	d.Rejected("active", "not intact", n.rear+" is not there")
	if words := front.Truth().Words(); len(words) > 0 {
		t.Errorf("the other node was asked to %v", words)
	}
	why, err := exec.Command(binary(t), "why", "--dir", d.Journal()).CombinedOutput()
	if err != nil || !daemon.HasAll(string(why), n.rear+" is not there", "try: ") {
		t.Errorf("rstate why: %v:\n%s", err, why)
	}
	host.Node(bed.NodeSpec{Name: n.rear, Arm: n.rear + "/arm"})
	d.Intact("unconfigured")
	d.Do("active", "succeeded done active")
}
