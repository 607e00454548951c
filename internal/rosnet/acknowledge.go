//go:build ros

package rosnet

import (
	"cmp"
	"fmt"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/engine"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// startAcknowledge offers ~/acknowledge, if the machine can arm: a stop may be that of a peer.
func (w *World) startAcknowledge() error {
	if !w.machine.CanArm() {
		return nil
	}
	service, err := rstate_msgs_srv.NewAcknowledgeService(w.node, "~/acknowledge", deep(),
		func(_ *rclgo.ServiceInfo, req *rstate_msgs_srv.Acknowledge_Request,
			to rstate_msgs_srv.AcknowledgeServiceResponseSender) {
			w.acknowledgeAsked(req, func(resp *rstate_msgs_srv.Acknowledge_Response) { w.sent(to.SendResponse(resp)) })
		})
	if err != nil {
		return fmt.Errorf("cannot offer ~/acknowledge: %w", err)
	}
	w.owns(service.Close)
	return nil
}

// acknowledgeAsked asks the engine at once, so that of two requests the first one is handled first, and no stop
// comes in between that a goroutine which runs late would acknowledge. It answers on a goroutine of its own. What its
// person was shown is not known.
func (w *World) acknowledgeAsked(req *rstate_msgs_srv.Acknowledge_Request,
	answer func(*rstate_msgs_srv.Acknowledge_Response)) {
	asked := engine.AcknowledgeAsked{Who: cmp.Or(req.Who, "a service client (~/acknowledge)"),
		Authorized: w.secret.Fits(req.Authority)}
	wait := w.acks.hand(w, asked)
	w.goes(func() {
		resp := rstate_msgs_srv.NewAcknowledge_Response()
		resp.Success, resp.Message = wait(w.asking)
		answer(resp)
	})
}
