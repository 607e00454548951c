//go:build ros

package rosnet

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/engine/stopinput"
	diagnostic_msgs_msg "rstate/msgs/gen/diagnostic_msgs/msg"
)

// diagnoseEvery is the period of /diagnostics that robot monitors expect.
const diagnoseEvery = time.Second

// refusalShown is how long a refusal stays a warning: actions cannot carry the reason of a
// rejection.
const refusalShown = 10 * time.Second

// The levels of a diagnosis.
const (
	levelOK uint8 = iota
	levelWarn
	levelError
	levelStale
)

func (w *World) openDiagnostics() error {
	var err error
	if w.out.diagnoses, err = diagnostic_msgs_msg.NewDiagnosticArrayPublisher(w.node, "/diagnostics", nil); err != nil {
		return fmt.Errorf("cannot publish diagnostics: %w", err)
	}
	w.owns(w.out.diagnoses.Close)
	return nil
}

// startDiagnostics publishes the newest snapshot at a steady rate, even without a change: monitors
// treat silence as a diagnosis.
func (w *World) startDiagnostics() {
	w.goes(func() {
		tick := time.NewTicker(diagnoseEvery)
		defer tick.Stop()
		for {
			select {
			case <-w.ctx.Done():
				return
			case <-tick.C:
			}
			s := w.newest.Load()
			if s == nil {
				continue
			}
			if err := w.out.diagnoses.Publish(w.diagnose(*s, time.Now())); err != nil {
				w.log.Warn("cannot publish diagnostics", zap.Error(err))
			}
		}
	})
}

// diagnose converts a snapshot to /diagnostics: one entry for the network, for readiness, each node, each check, each
// stop input, each guard and each required peer.
func (w *World) diagnose(s engine.Snapshot, now time.Time) *diagnostic_msgs_msg.DiagnosticArray {
	array := diagnostic_msgs_msg.NewDiagnosticArray()
	array.Header.Stamp = stamp(now)
	array.Status = append(array.Status, w.diagnoseNetwork(s, now))
	if s.Readiness.Word != "" {
		array.Status = append(array.Status, w.diagnoseReadiness(&s.Readiness))
	}
	for _, n := range s.Nodes {
		array.Status = append(array.Status, w.diagnoseNode(n, s))
	}
	for k := range s.Checks {
		array.Status = append(array.Status, w.diagnoseCheck(&s.Checks[k]))
	}
	for k := range s.Stops.Inputs {
		array.Status = append(array.Status, w.diagnoseStop(&s.Stops.Inputs[k]))
	}
	for _, g := range s.Guards {
		array.Status = append(array.Status, w.diagnoseGuard(g))
	}
	for _, p := range s.Peers.All {
		if p.Required {
			array.Status = append(array.Status, w.diagnosePeer(p))
		}
	}
	return array
}

func (w *World) diagnoseNetwork(s engine.Snapshot, now time.Time) diagnostic_msgs_msg.DiagnosticStatus {
	d := diagnostic_msgs_msg.DiagnosticStatus{
		Level: levelOK, Name: w.name + ": network " + w.net.Simulation, Message: s.State, HardwareId: w.net.Simulation,
	}
	switch {
	case s.Settled == "":
		d.Level, d.Message = levelStale, "waiting: "+strings.Join(s.Waiting, "; ")
	case s.State == w.machine.Error:
		d.Level, d.Message = levelError, s.Cause
	case !s.Intact && s.Rests():
		d.Level, d.Message = levelError, s.State+", but "+strings.Join(s.Deviations, "; ")
	case len(s.Deviations)+len(s.Warnings) > 0:
		d.Level, d.Message = levelWarn, s.State+"; "+
			strings.Join(append(append([]string(nil), s.Deviations...), s.Warnings...), "; ")
	}
	if len(s.Stops.Open) > 0 {
		d.Level, d.Message = max(d.Level, levelError), d.Message+"; "+s.Stops.Forbids
	}
	if age := now.Sub(s.Refusal.At); s.Refusal.Why != "" && age < refusalShown {
		d.Level, d.Message = max(d.Level, levelWarn), d.Message+"; "+s.Refusal.Why
	}
	failure := ""
	if s.Failure.Command != "" {
		failure = s.Failure.String()
	}
	d.Values = values("state", s.State, "settled in", s.Settled, "target", s.Work.Target, "cause", s.Cause,
		"last refused", s.Refusal.Why, "last failure", failure, "legal", strings.Join(s.Legal, ", "))
	for _, l := range s.Stops.Open {
		d.Values = append(d.Values, values("stopped by "+l.Origin, l.Why)...)
	}
	return d
}

// diagnoseReadiness says whether Arm would arm the network. That it would not is no fault by itself: a robot at rest is
// not ready. What is wrong has a diagnosis of its own.
func (w *World) diagnoseReadiness(r *engine.Readiness) diagnostic_msgs_msg.DiagnosticStatus {
	d := diagnostic_msgs_msg.DiagnosticStatus{
		Level: levelOK, Name: w.name + ": readiness", Message: r.String(), HardwareId: w.net.Simulation,
	}
	for k, o := range r.Against {
		about := cmp.Or(o.Node, "the network")
		d.Values = append(d.Values, values(fmt.Sprintf("reason %d", k+1), about+": "+o.Why,
			fmt.Sprintf("what to do %d", k+1), o.Do)...)
	}
	return d
}

// diagnoseCheck converts a check. One that does not pass is a warning: what follows from it is in the diagnosis of the
// network.
func (w *World) diagnoseCheck(c *engine.CheckView) diagnostic_msgs_msg.DiagnosticStatus {
	d := diagnostic_msgs_msg.DiagnosticStatus{
		Level: levelOK, Name: w.name + ": check " + c.Node + " " + c.Subject, Message: c.Value,
		HardwareId: w.net.Simulation,
	}
	switch {
	case c.Known && c.Fault != "":
		d.Level, d.Message = levelWarn, c.Fault
	case !c.Known:
		d.Message = cmp.Or(c.Fault, "is not looked at now")
	}
	forbids := "arming, and staying armed"
	switch {
	case c.Warn:
		forbids = "nothing"
	case c.When == "enter":
		forbids = "arming"
	case c.When == "stay":
		forbids = "staying armed"
	}
	d.Values = values("kind", c.Kind, "value", c.Value, "forbids", forbids, "what to do", c.Do)
	return d
}

// diagnoseGuard converts a guard.
func (w *World) diagnoseGuard(g engine.GuardView) diagnostic_msgs_msg.DiagnosticStatus {
	d := diagnostic_msgs_msg.DiagnosticStatus{
		Level: levelOK, Name: w.name + ": guard " + g.ID, Message: "covers " + strings.Join(g.Nodes, ", "),
		HardwareId: w.net.Simulation,
	}
	if g.Fault != "" || !g.Lives {
		d.Level, d.Message = levelWarn, cmp.Or(g.Fault, "does not cover its nodes")
	}
	d.Values = values("nodes", strings.Join(g.Nodes, ", "), "age", g.Age.Round(10*time.Millisecond).String())
	return d
}

func (w *World) diagnoseNode(n engine.NodeView, s engine.Snapshot) diagnostic_msgs_msg.DiagnosticStatus {
	d := diagnostic_msgs_msg.DiagnosticStatus{
		Level: levelOK, Name: w.name + ": " + n.Name, Message: n.State.String(), HardwareId: w.net.Simulation,
	}
	if !n.Lifecycle {
		d.Message = "present"
	}
	switch {
	case n.Deviates != "" && n.Optional:
		d.Level, d.Message = levelWarn, n.Deviates
	case n.Deviates != "":
		d.Level, d.Message = levelError, n.Deviates
	case n.Silent != "":
		d.Level, d.Message = levelWarn, n.Silent
	case !n.Present:
		d.Level, d.Message = levelStale, "not there"
	case n.Count > 1:
		d.Level, d.Message = levelError, fmt.Sprintf("there are %d of that name; end all but one", n.Count)
	}
	armed := ""
	switch n.Armed {
	case engine.IsArmed:
		armed = "yes"
	case engine.MayBeArmed:
		armed = "may be"
	}
	d.Values = values("state", n.State.String(), "expected", w.expected(w.net.Index(n.Name), s).String(), "doing",
		n.Doing, "armed", armed)
	return d
}

// diagnoseStop converts a stop input. One that is pressed is an error, and one that only forbids to arm a warning.
func (w *World) diagnoseStop(in *engine.StopView) diagnostic_msgs_msg.DiagnosticStatus {
	d := diagnostic_msgs_msg.DiagnosticStatus{
		Level: levelOK, Name: w.name + ": stop input " + in.Topic, Message: string(in.Kind), HardwareId: w.net.Simulation,
	}
	switch in.Kind {
	case stopinput.IsClear:
	case stopinput.Pressed:
		d.Level, d.Message = levelError, in.Why
	default:
		d.Level, d.Message = levelWarn, in.Why
	}
	d.Values = values("kind", string(in.Kind), "writers", strings.Join(in.Writers, ", "))
	return d
}

func (w *World) diagnosePeer(p engine.PeerView) diagnostic_msgs_msg.DiagnosticStatus {
	d := diagnostic_msgs_msg.DiagnosticStatus{
		Level: levelOK, Name: w.name + ": peer " + p.Name, Message: p.State, HardwareId: w.net.Simulation,
	}
	because := func(what string) string { return strings.TrimSuffix(what+": "+p.Cause, ": ") }
	switch {
	case !p.Alive && p.Instance == "":
		d.Level, d.Message = levelStale, "not there"
	case !p.Alive:
		d.Level, d.Message = levelError, p.Cause
	case p.Leaving:
		d.Level, d.Message = levelError, "it ends"
	case !p.SameMachine:
		d.Level, d.Message = levelError, "it follows another machine"
	case p.Behind:
		d.Level, d.Message = levelError, because(p.State+", behind")
	case !p.Intact:
		d.Level, d.Message = levelError, because(p.State+", not intact")
	}
	d.Values = values("state", p.State, "common target", p.Target, "instance", p.Instance)
	return d
}

// values returns the pairs that have a value.
func values(pairs ...string) []diagnostic_msgs_msg.KeyValue {
	var list []diagnostic_msgs_msg.KeyValue
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			list = append(list, diagnostic_msgs_msg.KeyValue{Key: pairs[i], Value: pairs[i+1]})
		}
	}
	return list
}
