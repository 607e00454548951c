// Package protocol is what a daemon and its clients have to agree on beyond the types of their messages.
//
// It imports the types of rclgo.
package protocol

import (
	"fmt"

	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// FeedbackDepth is how much feedback may be on its way: nodes that go side by side are done all at
// once.
const FeedbackDepth = 1000

// GoalText returns the id of a goal in the usual form of a UUID. Logs, the state and clients use
// this form.
func GoalText(id types.GoalID) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16])
}
