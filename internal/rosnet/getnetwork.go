//go:build ros

package rosnet

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/engine"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// startGetNetwork offers ~/get_network. Its answer is also the proof that we hold our name, so it
// waits while we might not.
func (w *World) startGetNetwork() error {
	answer := w.describeNetwork()
	service, err := rstate_msgs_srv.NewGetNetworkService(w.node, "~/get_network", nil,
		func(_ *rclgo.ServiceInfo, _ *rstate_msgs_srv.GetNetwork_Request,
			to rstate_msgs_srv.GetNetworkServiceResponseSender) {
			if w.naming.vouches(time.Now()) {
				w.sent(to.SendResponse(answer))
				return
			}
			w.goes(func() {
				if w.awaitVouching() {
					w.sent(to.SendResponse(answer))
				}
			})
		})
	if err != nil {
		return fmt.Errorf("cannot offer ~/get_network: %w", err)
	}
	w.owns(service.Close)
	return nil
}

// awaitVouching waits until we may tell others that we hold the name; it returns false where that
// does not come.
func (w *World) awaitVouching() bool {
	const every = 500 * time.Millisecond
	look := time.NewTicker(every)
	defer look.Stop()
	for range int(2 * engine.StoodFor / every) {
		select {
		case <-w.ctx.Done():
			return false
		case now := <-look.C:
			if w.naming.vouches(now) {
				return true
			}
		}
	}
	return false
}

// describeNetwork is what we drive. It does not change while we run.
func (w *World) describeNetwork() *rstate_msgs_srv.GetNetwork_Response {
	file := w.net.File
	if whole, err := filepath.Abs(file); err == nil {
		file = whole
	}
	resp := &rstate_msgs_srv.GetNetwork_Response{
		Simulation: w.net.Simulation, Name: w.name, InstanceId: w.instance, Started: stamp(w.began), File: file,
		Network: w.net.YAML(), Machine: w.machine.Name, MachineHash: w.hash, MachineYaml: w.machine.YAML(),
	}
	for i := range w.net.Nodes {
		resp.Nodes = append(resp.Nodes, w.net.Nodes[i].Name)
	}
	return resp
}
