//go:build ros

package rosnet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"go.uber.org/zap"

	"rstate/internal/network"
	"rstate/internal/patient"
)

// Simulation data for clients. What a reader gets is from between two steps of the loop.

const (
	// heldFor is how long a reader waits for the end of a step.
	heldFor = 5 * time.Second
	// dataIn is how long a service may take that is asked for data: the next step waits for it.
	dataIn = time.Second * patient.Factor
)

// ErrNoDatum says that the network has no data of a name.
var ErrNoDatum = errors.New("there are no data of this name")

// ErrLargeDatum says that the data have more bytes than the reader takes.
var ErrLargeDatum = errors.New("the data are too large")

// Datum is simulation data as they were between two steps.
type Datum struct {
	Type  string
	At    time.Time // when the message came, or the service answered
	Value map[string]any
}

// datum is the source of some data.
type datum struct {
	w    *World
	spec *network.Datum

	mu      sync.Mutex
	fault   string // why there is no source
	sub     *rclgo.Subscription
	client  *rclgo.Client
	request *introspection.DynamicMessage
	kind    string
	newest  *introspection.DynamicMessage
	at      time.Time
}

// openData makes the sources that can be made; the others are looked for again.
func (w *World) openData() {
	for i := range w.net.Data {
		w.data = append(w.data, &datum{w: w, spec: &w.net.Data[i], fault: "has not been looked for yet"})
	}
}

// startData looks for the sources until all are found.
func (w *World) startData() {
	if len(w.data) == 0 {
		return
	}
	w.goes(func() {
		look := time.NewTicker(lookForType)
		defer look.Stop()
		for left := slices.Clone(w.data); len(left) > 0; {
			left = slices.DeleteFunc(left, (*datum).open)
			select {
			case <-look.C:
			case <-w.ctx.Done():
				return
			}
		}
	})
}

// open makes the source if that is possible now, and reports whether it is made.
func (d *datum) open() bool {
	kind, err := d.find()
	if err == nil && d.spec.Topic != "" {
		err = d.subscribe(kind)
	} else if err == nil {
		err = d.connect(kind)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kind, d.fault = kind, ""
	if err != nil {
		d.fault = err.Error()
	}
	return err == nil
}

// find returns the type of the source.
func (d *datum) find() (string, error) {
	if d.spec.Type != "" {
		return d.spec.Type, nil
	}
	list, err := d.w.node.GetTopicNamesAndTypes(true)
	name := d.spec.Topic
	if name == "" {
		name = d.spec.Service
		list, err = d.w.node.GetServiceNamesAndTypes()
	}
	kinds := list[name]
	switch {
	case err != nil:
		return "", err
	case len(kinds) == 0:
		return "", fmt.Errorf("nobody offers %s", name)
	case len(kinds) > 1:
		return "", fmt.Errorf("%s is offered as %s; say with the key type which is meant", name,
			strings.Join(kinds, " and "))
	}
	return kinds[0], nil
}

func (d *datum) subscribe(kind string) error {
	pkg, name, _ := strings.Cut(kind, "/")
	support, err := rclgo.LoadDynamicMessageTypeSupport(pkg, name)
	if err != nil {
		return err
	}
	opts := rclgo.NewDefaultSubscriptionOptions()
	opts.Qos.Reliability, opts.Qos.Durability = rclgo.ReliabilityBestEffort, rclgo.DurabilityVolatile
	opts.Qos.Depth = 1
	sub, err := d.w.node.NewSubscription(d.spec.Topic, support, opts, func(s *rclgo.Subscription) {
		msg := support.New().(*introspection.DynamicMessage)
		_, err := s.TakeMessage(msg)
		if rclgo.NothingTaken(err) {
			return
		}
		if err != nil {
			d.w.log.Warn("cannot read simulation data", zap.String("topic", d.spec.Topic), zap.Error(err))
			return
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.newest, d.at = msg, time.Now()
	})
	if err != nil {
		return err
	}
	return d.keep(func() { d.sub = sub }, sub.Close)
}

func (d *datum) connect(kind string) error {
	pkg, name, _ := strings.Cut(kind, "/")
	support, err := introspection.LoadDynamicService(pkg, name)
	if err != nil {
		return err
	}
	client, err := d.w.node.NewClient(d.spec.Service, support, nil)
	if err != nil {
		return err
	}
	return d.keep(func() { d.client, d.request = client, support.Request().New().(*introspection.DynamicMessage) },
		client.Close)
}

// keep takes a source that was made after the start, unless the world is closed.
func (d *datum) keep(take func(), close func() error) error {
	d.w.offering.mu.Lock()
	defer d.w.offering.mu.Unlock()
	if d.w.ctx.Err() != nil {
		return errors.Join(errOver, close())
	}
	d.w.owns(close)
	d.mu.Lock()
	defer d.mu.Unlock()
	take()
	return nil
}

// Data returns the data of a name as they are between two steps of the loop: at once while no step
// runs, or else at its end. Its error is ErrNoDatum, ErrLargeDatum, gate.ErrHeld, or says what is
// missing.
func (w *World) Data(ctx context.Context, name string, most int64) (Datum, error) {
	i := slices.IndexFunc(w.data, func(d *datum) bool { return d.spec.Name == name })
	if i < 0 {
		return Datum{}, ErrNoDatum
	}
	d := w.data[i]
	var one Datum
	var why error
	if err := w.gate.Read(ctx, heldFor, func() { one, why = d.read(ctx, most) }); err != nil {
		return Datum{}, err
	}
	return one, why
}

// read takes the data as they are now.
func (d *datum) read(ctx context.Context, most int64) (Datum, error) {
	d.mu.Lock()
	fault, client, newest, one := d.fault, d.client, d.newest, Datum{Type: d.kind, At: d.at}
	d.mu.Unlock()
	switch {
	case fault != "":
		return Datum{}, errors.New(fault)
	case client != nil:
		ctx, cancel := context.WithTimeout(ctx, dataIn)
		defer cancel()
		answer, _, err := client.Send(ctx, d.request)
		if err != nil {
			return Datum{}, err
		}
		newest, one.At = answer.(*introspection.DynamicMessage), time.Now()
	case newest == nil:
		return Datum{}, fmt.Errorf("nothing was published on %s yet", d.spec.Topic)
	}
	if newest.Size() > most {
		return Datum{}, ErrLargeDatum
	}
	one.Value = newest.Map()
	return one, nil
}
