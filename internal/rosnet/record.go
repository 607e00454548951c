//go:build ros

package rosnet

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/clean"
	"rstate/internal/looper"
	"rstate/internal/recording"
	"rstate/internal/tally"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// The recording of a loop: a subscriber of the topics that belongs to the lockstep, like those of the participants.

// openRecorder makes the recorder of the loop, if the network has one. The driver does not exist yet.
func (w *World) openRecorder(conf *looper.Config) error {
	spec := w.net.Loop.Record
	if spec == nil {
		return nil
	}
	file, err := filepath.Abs(spec.File)
	if err != nil {
		return fmt.Errorf("cannot record: %w", err)
	}
	r := recording.New(recording.Config{
		File: file, Topics: spec.Topics, Source: &recorded{w: w, readers: map[string]*reader{}},
		Definition: func(typ string) (string, error) {
			return recording.Definition(filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH")), typ)
		},
		Encode: func(s recording.Step) ([]byte, error) {
			return rclgo.Serialize(&rstate_msgs_msg.LoopStep{Step: s.Number, Now: simulated(s.Now), Dt: duration(s.DT)})
		},
		Began: func(file string) { w.log.Info("the loop is recorded", zap.String("file", file)) },
		Fault: func(why string) {
			w.log.Error("the recording has ended", zap.String("cause", why))
			w.looper.Broken(why)
		},
	})
	w.owns(r.Close)
	conf.Tape, conf.Name = r, w.name
	return nil
}

// recorded is where the recorder gets its messages from.
type recorded struct {
	w *World

	mu      sync.Mutex         // Matched is called beside the other methods
	readers map[string]*reader // by topic
}

// reader returns that of a topic; nil: it is closed.
func (d *recorded) reader(topic string) *reader {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.readers[topic]
}

var errNotOpen = errors.New("it is not received any more")

// reader receives a topic. No loop of rclgo serves it: the recorder takes its messages.
type reader struct {
	*rclgo.Subscription
	topic string
	typ   string
	nodes map[rclgo.GID]string // of the publishers that count; recorder's goroutine only
}

// node returns the node of a publisher. If messages do not carry the GIDs of the graph, the only publisher of the topic
// is meant; see publishers. It is an error if the topic has more of them than when it was opened, as matched counts.
func (r *reader) node(publisher rclgo.GID, carried bool, matched func() (int, error)) (string, error) {
	if carried {
		return r.nodes[publisher], nil
	}
	count, err := matched()
	if err != nil {
		return "", err
	}
	if count > len(r.nodes) {
		return "", fmt.Errorf("%d participants publish %s now, and this middleware does not tell whose a message is; record topics of one publisher",
			count, r.topic)
	}
	for _, node := range r.nodes {
		return node, nil
	}
	return "", nil
}

// Open subscribes to the topics, and to no others.
func (d *recorded) Open(topics []tally.Topic) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, r := range d.readers {
		if !slices.ContainsFunc(topics, func(t tally.Topic) bool { return t.Name == name && t.Type == r.typ }) {
			delete(d.readers, name)
			if err := r.Close(); err != nil {
				return err
			}
		}
	}
	for _, t := range topics {
		if d.readers[t.Name] != nil {
			continue
		}
		pkg, name, _ := strings.Cut(t.Type, "/")
		support, err := rclgo.LoadDynamicMessageTypeSupport(pkg, strings.TrimPrefix(name, "msg/"))
		if err != nil {
			return err
		}
		opts := rclgo.NewDefaultSubscriptionOptions()
		opts.Qos.History, opts.Qos.Depth = rclgo.HistoryKeepAll, 0
		sub, err := d.w.node.NewSubscription(t.Name, support, opts, nil)
		if err != nil {
			return err
		}
		d.readers[t.Name] = &reader{Subscription: sub, topic: t.Name, typ: t.Type}
	}
	return nil
}

// Matched returns why not each message of the topics would arrive.
func (d *recorded) Matched(topics []tally.Topic) error {
	for _, t := range topics {
		if _, err := d.publishers(t); err != nil {
			return err
		}
	}
	return nil
}

// publishers returns the publishers of a topic, if they are those that count and all are matched.
func (d *recorded) publishers(t tally.Topic) (map[rclgo.GID]string, error) {
	infos, err := d.w.node.GetPublishersInfoByTopic(t.Name, true)
	if err != nil {
		return nil, err
	}
	nodes := map[rclgo.GID]string{}
	var found []string
	for _, i := range infos {
		name := path.Join(i.NodeNamespace, i.NodeName)
		if !slices.Contains(t.Publishers, name) {
			return nil, fmt.Errorf("%s publishes %s too, and does not count; stop it, or rename its topic",
				clean.Text(name), t.Name)
		}
		nodes[i.EndpointGID] = name
		found = append(found, name)
	}
	for _, p := range t.Publishers {
		if !slices.Contains(found, p) {
			return nil, fmt.Errorf("rstate has not found %s on %s yet", p, t.Name)
		}
	}
	if len(nodes) > 1 && !d.w.able().GIDs {
		return nil, fmt.Errorf("%d participants publish %s, and this middleware does not tell whose a message is; record topics of one publisher",
			len(nodes), t.Name)
	}
	r := d.reader(t.Name)
	if r == nil {
		return nil, errNotOpen
	}
	count, err := r.GetPublisherCount()
	if err == nil && count != len(infos) { // also those of a node that has ended and is not forgotten yet
		err = fmt.Errorf("rstate is matched with %d of %d publishers of %s", count, len(infos), t.Name)
	}
	return nodes, err
}

// Zero learns whose messages count.
func (d *recorded) Zero(topics []tally.Topic) error {
	for _, t := range topics {
		nodes, err := d.publishers(t)
		if err != nil {
			return err
		}
		d.reader(t.Name).nodes = nodes
	}
	return nil
}

// Take returns the next message of a topic.
func (d *recorded) Take(topic string) (data []byte, publisher string, ok bool, err error) {
	r := d.reader(topic)
	if r == nil {
		return nil, "", false, errNotOpen
	}
	data, info, err := r.TakeSerializedMessage()
	switch {
	case errors.Is(err, &rclgo.SubscriptionTakeFailed{}):
		return nil, "", false, nil
	case err != nil:
		return nil, "", false, err
	}
	if publisher, err = r.node(info.PublisherGID, d.w.able().GIDs, r.GetPublisherCount); err != nil {
		return nil, "", false, err
	}
	return types.ClearPadding(r.Ros2MsgType, data), publisher, true, nil
}

// Close ends all subscriptions.
func (d *recorded) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, r := range d.readers {
		errs = append(errs, r.Close())
	}
	clear(d.readers)
	return errors.Join(errs...)
}
