//go:build ros

package client

import (
	"context"
	"fmt"
	"os"
	"time"

	"go.uber.org/zap"

	"rstate/internal/doctor"
	"rstate/internal/gather"
	"rstate/internal/outline"
	"rstate/internal/session"
)

// SurveyAsksAtMost is how long a survey asks the nodes that it has found.
const SurveyAsksAtMost = gather.AskedInAtMost

// Survey describes what runs in this ROS, as a node of its own that changes nothing. It looks until the graph has
// settled, at most so long.
func Survey(ctx context.Context, rosArgs []string, within time.Duration) (outline.Robot, error) {
	lookForRouter(&doctor.Facts{})
	s, err := session.OpenToAsk(rosArgs, zap.NewNop())
	if err != nil {
		return outline.Robot{}, err
	}
	defer s.End()
	node, err := s.Node(fmt.Sprintf("rstate_init_%d", os.Getpid()), "")
	if err != nil {
		return outline.Robot{}, err
	}
	domain, err := s.Domain()
	if err != nil {
		return outline.Robot{}, err
	}
	s.Serve()
	robot, err := gather.Robot(ctx, node, within)
	robot.Source = fmt.Sprintf("the graph of domain %d", domain)
	return robot, err
}
