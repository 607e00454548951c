//go:build ros

package daemon

import (
	"fmt"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/journal"
	"rstate/internal/machine"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// offerHistory offers the service ~/history: the journal, for clients that cannot read its files.
func offerHistory(node *rclgo.Node, m *machine.Machine, dir string) (close func() error, err error) {
	service, err := rstate_msgs_srv.NewHistoryService(node, "~/history", nil,
		func(_ *rclgo.ServiceInfo, req *rstate_msgs_srv.History_Request,
			to rstate_msgs_srv.HistoryServiceResponseSender) {
			_ = to.SendResponse(history(req, m, dir)) // an error means that the client has left
		})
	if err != nil {
		return nil, fmt.Errorf("cannot offer ~/history: %w", err)
	}
	return service.Close, nil
}

func history(req *rstate_msgs_srv.History_Request, m *machine.Machine, dir string) *rstate_msgs_srv.History_Response {
	resp := rstate_msgs_srv.NewHistory_Response()
	since := time.Unix(int64(req.Since.Sec), int64(req.Since.Nanosec))
	lines, report := newestLines(dir, journal.Filter{Node: req.Node, Since: since}, req.Kind, req.Last)
	resp.Success, resp.Message = report.Err == nil, report.String()
	for _, l := range lines {
		e := historyEntry(l, m)
		if req.Lines {
			e.Line = l.JSON()
		}
		resp.Entries = append(resp.Entries, e)
	}
	return resp
}

func historyEntry(l journal.Line, m *machine.Machine) rstate_msgs_msg.HistoryEntry {
	state := func(name string) rstate_msgs_msg.State {
		s, _ := m.State(name)
		return rstate_msgs_msg.State{Id: s.ID, Label: name}
	}
	e := rstate_msgs_msg.HistoryEntry{
		Stamp:      builtin_interfaces_msg.Time{Sec: int32(l.At.Unix()), Nanosec: uint32(l.At.Nanosecond())},
		InstanceId: l.Instance, N: l.N, Kind: l.Kind.Group(), Command: l.Command, GoalId: l.Goal, Client: l.Client,
		Node:    l.Node,
		Verdict: l.Verdict, Text: l.Text(),
	}
	if l.Kind == journal.KindGoal {
		e.Verdict = l.Outcome
	}
	if l.Kind == journal.KindState {
		e.FromState, e.ToState = state(l.From), state(l.State)
	}
	return e
}
