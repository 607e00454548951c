package rclgo_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// TestEveryServerIsHeard: two servers of one name both answer one request. The end of its
// time is no error, and later responses are not kept.
func TestEveryServerIsHeard(t *testing.T) {
	before := rcl.LiveHandles()
	n, srv, name := newNode(t), setBool(t), unique("/shared")
	spin(t, n.Spin)
	for _, says := range []string{"one", "two"} {
		must[*rclgo.Service](t)(n.NewService(name, srv, nil,
			func(_ *rclgo.ServiceInfo, _ types.Message, s rclgo.ServiceResponseSender) {
				_ = s.SendResponse(message(t, srv.Response(), "message", says)) // fails after the end of the test
			}))
	}
	c := must[*rclgo.Client](t)(n.NewClient(name, srv, nil))
	eventually(t, "both servers are seen", func() bool {
		count, err := n.CountServices(name)
		check(t, err)
		return count == 2
	})
	var said []string
	eventually(t, "both are heard", func() bool { // a request to one that is not matched yet is lost
		said = nil
		enough, stop := context.WithTimeout(within(t), time.Second)
		defer stop()
		check(t, c.SendToAll(enough, srv.Request().New(), nil, func(m types.Message, info *rclgo.ServiceInfo) {
			word, err := m.(*introspection.DynamicMessage).Get("message")
			check(t, err)
			said = append(said, word.(string))
			if len(said) == 2 || info == nil {
				stop()
			}
		}))
		return len(said) == 2
	})
	if slices.Sort(said); !slices.Equal(said, []string{"one", "two"}) {
		t.Errorf("heard %v", said)
	}
	over, stop := context.WithCancel(context.Background())
	stop()
	check(t, c.SendToAll(over, srv.Request().New(), nil, func(types.Message, *rclgo.ServiceInfo) {}))
	asking := make(chan error, 1)
	begun := make(chan struct{}, 2)
	go func() {
		asking <- c.SendToAll(context.Background(), srv.Request().New(), nil,
			func(types.Message, *rclgo.ServiceInfo) { begun <- struct{}{} })
	}()
	await(t, "it has been answered", begun)
	check(t, c.Close())
	if err := await(t, "the call returns the client's end", asking); !errors.Is(err, &rclgo.ClientInvalid{}) {
		t.Errorf("after Close: %v", err)
	}
	check(t, n.Context().Close())
	if left := rcl.LiveHandles(); left != before {
		t.Errorf("%d handles, %d before", left, before)
	}
}
