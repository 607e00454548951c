package introspection_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

func loadAction(t *testing.T) *introspection.ActionType {
	t.Helper()
	a, err := introspection.LoadDynamicAction("test_msgs", "Fibonacci")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// set sets a field of a new message.
func set(t *testing.T, ts types.MessageTypeSupport, path string, value any) *introspection.DynamicMessage {
	t.Helper()
	m := ts.New().(*introspection.DynamicMessage)
	if err := m.Set(path, value); err != nil {
		t.Fatal(err)
	}
	return m
}

// want checks a field of a message.
func want(t *testing.T, m types.Message, path string, value any) {
	t.Helper()
	got, err := m.(*introspection.DynamicMessage).Get(path)
	if err != nil || got != value {
		t.Errorf("%s is %v (%v), want %v", path, got, err, value)
	}
}

func TestDynamicAction(t *testing.T) {
	a := loadAction(t)
	if a.TypeSupport() == nil || a.Check() != nil {
		t.Error("it is not usable")
	}
	request := a.SendGoal().Request().New().(types.GoalRequestMessage)
	id := types.GoalID{1, 2, 3}
	request.SetGoalID(&id)
	request.SetGoalDescription(set(t, a.Goal(), "order", 7))
	want(t, request, "goal.order", int32(7))
	if got := *request.GetGoalID(); got != id {
		t.Errorf("the id is %v", got)
	}
	goal := request.GetGoalDescription()
	if err := goal.(*introspection.DynamicMessage).Set("order", 8); err != nil {
		t.Fatal(err)
	}
	want(t, request, "goal.order", int32(8)) // it is a part, not a copy
	goal.SetDefaults()
	want(t, request, "goal.order", int32(0))

	response := a.NewSendGoalResponse(true, 1500*time.Millisecond)
	want(t, response, "stamp.nanosec", uint32(500_000_000))
	if !response.(types.GoalResponseMessage).GetGoalAccepted() {
		t.Error("the goal is not accepted")
	}
	result := set(t, a.Result(), "sequence", []int32{1, 1, 2})
	ended := a.NewGetResultResponse(4, result).(types.ResultResponseMessage)
	_ = result.Set("sequence", []int32{}) // the response has a copy
	got, _ := ended.GetGoalResult().(*introspection.DynamicMessage).Get("sequence")
	if ended.GetGoalStatus() != 4 || !slices.Equal(got.([]int32), []int32{1, 1, 2}) {
		t.Errorf("the response has status %d and %v", ended.GetGoalStatus(), got)
	}
	said := a.NewFeedbackMessage(&id, set(t, a.Feedback(), "sequence", []int32{5})).(types.FeedbackMessage)
	if *said.GetGoalID() != id || said.GetGoalFeedback() == nil {
		t.Errorf("the feedback is %v", said)
	}
}

func TestADynamicActionThatIsNotThereIsAnError(t *testing.T) {
	for _, pkg := range []string{"test_msgs", "no_such_msgs"} {
		if _, err := introspection.LoadDynamicAction(pkg, "Nothing"); !errors.Is(err, introspection.ErrNotInstalled) {
			t.Errorf("%s: %v", pkg, err)
		}
	}
}

func TestAMessageOfNoActionHasNoGoal(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a message without an id has one")
		}
	}()
	loadDynamic(t, "std_msgs", "String").New().(types.GoalIDMessage).GetGoalID()
}
