// Package ids decides what a request gets whose id was used before. A client repeats a request
// whose answer it may have missed: the id says that it is the same request. An id never stands for
// more than that, so a result is repeated only while it still describes the network.
//
// It imports nothing.
package ids

// Longest is how many bytes an id may have. A longer one counts as none.
const Longest = 256

// Used is what decides about a request whose id was used before.
type Used struct {
	Same   bool // the goal of the id names the same command or state
	Open   bool // that goal has not ended
	Valid  bool // an open goal can be joined; the result of an ended one still describes the network
	Waits  bool // the client waits for peers, and the goal succeeded
	Barred bool // the client lacks the authority to share the goal
	// The request lowers from here, or the instance ends: it is never refused for its id.
	Exempt bool
}

// Answer is what the request gets.
type Answer uint8

// The answers.
const (
	New        Answer = iota // it is handled as a request of a new id
	Joined                   // it waits for the open goal
	Peers                    // it waits for the peers that had to follow the ended goal
	Result                   // the result of the ended goal
	Forbidden                // rejected: it may not share the goal
	Cancelling               // rejected: the goal is being cancelled
	Outdated                 // rejected: the state has changed since
	Taken                    // rejected: the id stands for another command
)

// Answer decides.
func (u Used) Answer() Answer {
	shares := u.Same && u.Valid && !u.Barred
	switch {
	case shares && u.Open:
		return Joined
	case shares && u.Waits:
		return Peers
	case shares:
		return Result
	case u.Exempt:
		return New
	case !u.Same:
		return Taken
	case u.Barred:
		return Forbidden
	case u.Open:
		return Cancelling
	}
	return Outdated
}
