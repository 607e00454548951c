//go:build ros

package bytes

import (
	"encoding/hex"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"

	action_msgs_msg "rstate/msgs/gen/action_msgs/msg"
	action_msgs_srv "rstate/msgs/gen/action_msgs/srv"
	lifecycle_msgs_msg "rstate/msgs/gen/lifecycle_msgs/msg"
	lifecycle_msgs_srv "rstate/msgs/gen/lifecycle_msgs/srv"
	rcl_interfaces_msg "rstate/msgs/gen/rcl_interfaces/msg"
	rcl_interfaces_srv "rstate/msgs/gen/rcl_interfaces/srv"
	rosgraph_msgs_msg "rstate/msgs/gen/rosgraph_msgs/msg"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
	std_srvs_srv "rstate/msgs/gen/std_srvs/srv"
)

func FuzzArmLease(f *testing.F)      { decodes(f, rstate_msgs_msg.ArmLeaseTypeSupport) }
func FuzzGuardStatus(f *testing.F)   { decodes(f, rstate_msgs_msg.GuardStatusTypeSupport) }
func FuzzInstanceState(f *testing.F) { decodes(f, rstate_msgs_msg.InstanceStateTypeSupport) }
func FuzzNetworkState(f *testing.F)  { decodes(f, rstate_msgs_msg.NetworkStateTypeSupport) }
func FuzzPeerStatus(f *testing.F)    { decodes(f, rstate_msgs_msg.PeerStatusTypeSupport) }
func FuzzNodeReport(f *testing.F)    { decodes(f, rstate_msgs_msg.NodeReportTypeSupport) }
func FuzzTransitionEvent(f *testing.F) {
	decodes(f, lifecycle_msgs_msg.TransitionEventTypeSupport)
}
func FuzzClock(f *testing.F) { decodes(f, rosgraph_msgs_msg.ClockTypeSupport) }
func FuzzLog(f *testing.F)   { decodes(f, rcl_interfaces_msg.LogTypeSupport) }

// FuzzTransition is the action: what its server reads and what its clients read.
func FuzzTransition(f *testing.F) {
	decodes(f,
		rstate_msgs_action.Transition_SendGoal_RequestTypeSupport,
		rstate_msgs_action.Transition_SendGoal_ResponseTypeSupport,
		rstate_msgs_action.Transition_GetResult_RequestTypeSupport,
		rstate_msgs_action.Transition_GetResult_ResponseTypeSupport,
		rstate_msgs_action.Transition_FeedbackMessageTypeSupport,
		action_msgs_srv.CancelGoal_RequestTypeSupport, action_msgs_srv.CancelGoal_ResponseTypeSupport,
		action_msgs_msg.GoalStatusArrayTypeSupport)
}

// FuzzAnyType is a type that is known by its name only, as those of checks and simulation data are.
func FuzzAnyType(f *testing.F) {
	var all []types.MessageTypeSupport
	for _, name := range []string{"Log", "ParameterEvent", "ParameterDescriptor"} {
		ts, err := rclgo.LoadDynamicMessageTypeSupport("rcl_interfaces", name)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, ts)
	}
	decodes(f, all...)
}

// FuzzRequests is what the services of rstate read.
func FuzzRequests(f *testing.F) {
	decodes(f, requests(func(s types.ServiceTypeSupport) types.MessageTypeSupport { return s.Request() })...)
}

// FuzzResponses is what rstate reads as a client of services.
func FuzzResponses(f *testing.F) {
	decodes(f, requests(func(s types.ServiceTypeSupport) types.MessageTypeSupport { return s.Response() })...)
}

func requests(side func(types.ServiceTypeSupport) types.MessageTypeSupport) (all []types.MessageTypeSupport) {
	for _, s := range []types.ServiceTypeSupport{
		rstate_msgs_srv.CreateSimulationTypeSupport, rstate_msgs_srv.RemoveSimulationTypeSupport,
		rstate_msgs_srv.ListSimulationsTypeSupport, rstate_msgs_srv.GetNetworkTypeSupport,
		rstate_msgs_srv.HistoryTypeSupport, rstate_msgs_srv.PlanTypeSupport, rstate_msgs_srv.SetTriggerTypeSupport,
		rstate_msgs_srv.StepTypeSupport,
		lifecycle_msgs_srv.ChangeStateTypeSupport, lifecycle_msgs_srv.GetStateTypeSupport,
		lifecycle_msgs_srv.GetAvailableStatesTypeSupport, lifecycle_msgs_srv.GetAvailableTransitionsTypeSupport,
		rcl_interfaces_srv.GetParametersTypeSupport, rcl_interfaces_srv.SetParametersTypeSupport,
		std_srvs_srv.SetBoolTypeSupport,
	} {
		all = append(all, side(s))
	}
	return all
}

// swells is how many bytes of Go memory one byte of a message may become: an empty text takes 4 bytes in the message,
// and its header 16, so a list of messages of many empty texts comes to several times its bytes.
const swells = 64

// decodes adds messages of the types and broken ones as seeds, and decodes what the fuzzer makes of them. The first
// number selects the type.
func decodes(f *testing.F, all ...types.MessageTypeSupport) {
	f.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for k, ts := range all {
		for range 3 {
			m := ts.New()
			fill(reflect.ValueOf(m), r)
			if buf, err := rclgo.Serialize(m); err == nil {
				f.Add(uint8(k), buf)
			}
		}
		for _, one := range []string{
			"", "0001000e", "00010003", "0001", "00010000", "00000000", "00010000ffffffff",
			"00010000" + strings.Repeat("ff", 40),
			"00070000" + strings.Repeat("7f", 40),
		} {
			buf, err := hex.DecodeString(one)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(k), buf)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, buf []byte) {
		ts := all[int(which)%len(all)]
		m, err := rclgo.Deserialize(buf, ts)
		if err != nil {
			return
		}
		if n := size(reflect.ValueOf(m)); n > swells*len(buf)+4096 {
			t.Errorf("%d bytes became %d", len(buf), n)
		}
		if _, err := rclgo.Serialize(m); err != nil {
			t.Errorf("%+v cannot be written again: %v", m, err)
		}
	})
}

// fill sets every field to something short.
func fill(v reflect.Value, r *rand.Rand) {
	switch v.Kind() {
	case reflect.Pointer:
		fill(v.Elem(), r)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), r)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), r)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3))
		for i := range v.Len() {
			fill(v.Index(i), r)
		}
	case reflect.String:
		v.SetString([]string{"", "a", "/camera", "zwölf"}[r.IntN(4)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(r.Float64())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int64N(100))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.Uint64N(100))
	}
}

// size is how much memory a message takes, without that of its struct.
func size(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.Pointer:
		return size(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			n += size(v.Field(i))
		}
	case reflect.Array, reflect.Slice:
		if v.Kind() == reflect.Slice {
			n = v.Len() * int(v.Type().Elem().Size())
		}
		for i := range v.Len() {
			n += size(v.Index(i))
		}
	case reflect.String:
		return v.Len()
	}
	return n
}
