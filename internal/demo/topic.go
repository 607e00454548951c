//go:build ros

package demo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/session"
)

// Topic is what a demo node publishes: one message, at a rate, while it is active; a plain
// node always.
type Topic struct {
	Name, Type string
	Every      time.Duration
	Says       []Value // the fields that are not empty
}

// Value is a value under a name: of a field, or of a parameter.
type Value struct {
	Name  string
	Value any
}

// talk is a topic with its publisher.
type talk struct {
	Topic
	pub     *rclgo.Publisher
	message types.Message
}

func (b *body) openTopic(node *rclgo.Node, t Topic) error {
	pkg, name, _ := strings.Cut(t.Type, "/msg/")
	ts, err := rclgo.LoadDynamicMessageTypeSupport(pkg, name)
	if err != nil {
		return &session.NoROS{Cause: fmt.Errorf("cannot publish on %q: %w", t.Name, err)}
	}
	message := ts.New()
	for _, v := range t.Says {
		if err := message.(*introspection.DynamicMessage).Set(v.Name, v.Value); err != nil {
			return &session.NoROS{Cause: fmt.Errorf("cannot publish %s=%v on %q: %w", v.Name, v.Value, t.Name, err)}
		}
	}
	pub, err := node.NewPublisher(t.Name, ts, nil)
	if err != nil {
		return &session.NoROS{Cause: err}
	}
	b.talks = append(b.talks, talk{t, pub, message})
	return nil
}

// talk publishes until ctx is done.
func (b *body) talk(ctx context.Context, t talk) {
	tick := time.NewTicker(t.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if b.life != nil && b.life.State().ID != rclgo.LifecycleActive {
			continue
		}
		if err := t.pub.Publish(t.message); err != nil && ctx.Err() == nil {
			b.log.Warn("cannot publish", zap.String("topic", t.Name), zap.Error(err))
			return
		}
	}
}
