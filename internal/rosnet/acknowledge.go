//go:build ros

package rosnet

import (
	"cmp"
	"fmt"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// startAcknowledge offers ~/acknowledge, if the machine can arm: a stop may be that of a peer.
func (w *World) startAcknowledge() error {
	if !w.machine.CanArm() {
		return nil
	}
	service, err := rstate_msgs_srv.NewAcknowledgeService(w.node, "~/acknowledge", nil,
		func(_ *rclgo.ServiceInfo, req *rstate_msgs_srv.Acknowledge_Request,
			to rstate_msgs_srv.AcknowledgeServiceResponseSender) {
			who, authority := cmp.Or(req.Who, "a service client (~/acknowledge)"), req.Authority
			w.goes(func() {
				resp := rstate_msgs_srv.NewAcknowledge_Response()
				resp.Success, resp.Message = w.Acknowledge(w.asking, who, authority)
				w.sent(to.SendResponse(resp))
			})
		})
	if err != nil {
		return fmt.Errorf("cannot offer ~/acknowledge: %w", err)
	}
	w.owns(service.Close)
	return nil
}
