package rclgo_test

import (
	"context"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// participant is what the GIDs of one participant have in common.
type participant [12]byte

// comesFrom checks that a request was sent between a moment and now, and returns its participant.
func comesFrom(t *testing.T, what string, info *rclgo.ServiceInfo, since time.Time) (p participant) {
	t.Helper()
	if at := info.SourceTimestamp; at.Before(since) || at.After(time.Now()) {
		t.Errorf("%s was sent at %v, and that was after %v", what, at, since)
	}
	for k := range p {
		p[k] = byte(info.RequestID.WriterGUID[k])
	}
	return p
}

// TestRequestsTellWhenAndByWhomTheyWereSent: requests to a service and for a goal, of this process and of rclpy.
func TestRequestsTellWhenAndByWhomTheyWereSent(t *testing.T) {
	n := newNode(t)
	spin(t, n.Context().Spin)
	gid := must[rclgo.GID](t)(must[*rclgo.Publisher](t)(n.NewPublisher(unique("/own"), setBool(t).Request(), nil)).GID())
	own := participant(gid[:12])

	calls, name := make(chan *rclgo.ServiceInfo, 1), unique("/service")
	service := must[*rclgo.Service](t)(n.NewService(name, setBool(t), nil,
		func(info *rclgo.ServiceInfo, _ types.Message, s rclgo.ServiceResponseSender) {
			calls <- info
			check(t, s.SendResponse(message(t, setBool(t).Response())))
		}))
	client := must[*rclgo.Client](t)(n.NewClient(service.ServiceName, setBool(t), nil))
	began := time.Now()
	_, _, err := client.Send(within(t), message(t, setBool(t).Request()))
	check(t, err)
	if p := comesFrom(t, "our request", await(t, "our request", calls), began); p != own {
		t.Errorf("our request is of %x, and we are %x", p, own)
	}
	began = time.Now()
	events := pyhost(t).do(t, "call", unique("call"), map[string]any{
		"type": "std_srvs/srv/SetBool", "name": name, "msg": map[string]any{"data": true}})
	if p := comesFrom(t, "rclpy's request", await(t, "rclpy's request", calls), began); p == own || [4]byte(p[:4]) != [4]byte(own[:4]) {
		t.Errorf("rclpy's request is of %x, and on this host we are %x", p, own)
	}
	until(t, events, "answered")

	goals := make(chan *rclgo.ServiceInfo, 1)
	s := serveFib(t, n, nil, func(ctx context.Context, g *fibHandle) (*fibResult, error) {
		goals <- g.RequestInfo()
		return fibonacci(nil)(ctx, g)
	})
	began = time.Now()
	accepted(t, fibClientOf(t, n, s.ActionName), 3)
	if p := comesFrom(t, "our goal", await(t, "our goal", goals), began); p != own {
		t.Errorf("our goal is of %x, and we are %x", p, own)
	}
}
