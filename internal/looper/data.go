package looper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"rstate/internal/stepper"
	"rstate/internal/tally"
)

// Stage is a question that a participant that counts its messages is asked before a run. The values are those of
// rstate_msgs/srv/StepData.
type Stage uint8

// The stages, in their order.
const (
	Declare Stage = iota // which topics does it count?
	Match                // is each topic matched with all publishers and subscribers?
	Settle               // has everything arrived that it published?
	Zero                 // all counts are zero
)

// Question is what a participant is asked before a run.
type Question struct {
	Stage  Stage
	Epoch  uint64
	Topics []tally.Topic // between the participants
}

// Reply is its answer.
type Reply struct {
	OK          bool
	Why         string // not
	Incarnation uint64
	Topics      []tally.Topic // of the participant
}

// Call is what a participant is called with.
type Call struct {
	stepper.Call
	Deadline time.Duration
	Epoch    uint64        // 0: the participant does not count
	Visible  []tally.Count // until Call returns
}

// Answer is what a participant answers.
type Answer struct {
	stepper.Answered
	Counts bool
	Sent   []tally.Count
}

const (
	askAgain    = 20 * time.Millisecond // between two questions whose answer was no
	matchWithin = 10 * time.Second      // all topics are matched in this time, or the run does not begin
	// settleWithin is longer than a process that has ended is waited for by those who published to it.
	settleWithin = 30 * time.Second
	longWait     = time.Second // after it the log says what a run waits for
)

// data is what is known of the data of the loop. It goes on from one run to the next, unless something has happened
// after which it is unknown which messages belong to which step: then the next run begins with counts that are zero.
type data struct {
	epoch  uint64
	topics []tally.Topic
	counts []bool   // of each participant
	lives  []uint64 // the incarnations
	first  bool     // no step has begun since the beginning or the last reset
	tally  *tally.Tally
	spoilt bool // the next run does not go on with these counts
}

// none is the participant of an error that belongs to no participant.
const none = -1

// agree asks the participants that count what they count, and whether they are ready. It returns what holds in the next
// run, or the participant that is not ready and why.
func (l *Looper) agree(ctx context.Context, was data) (now data, who int, err error) {
	now.counts = make([]bool, len(l.conf.Callers))
	for i, c := range l.conf.Callers {
		now.counts[i] = c.Counts()
	}
	if !slices.Contains(now.counts, true) {
		return now, none, l.unrecorded(ctx)
	}
	replies, who, err := l.ask(ctx, now.counts, Question{Stage: Declare})
	if err != nil {
		return now, who, err
	}
	declared := make([][]tally.Topic, len(replies))
	for i, r := range replies {
		declared[i] = r.Topics
		now.lives = append(now.lives, r.Incarnation)
	}
	if now.topics, err = l.between(ctx, declared); err != nil {
		return now, none, err
	}
	goesOn := was.tally != nil && !was.spoilt && slices.Equal(now.lives, was.lives) &&
		slices.EqualFunc(now.topics, was.topics, equal)
	if goesOn {
		now.epoch, now.tally = was.epoch, was.tally
	} else {
		// a participant that knew another coordinator does not confuse the two
		now.epoch = max(was.epoch+1, uint64(time.Now().UnixNano()))
		now.tally = tally.New(l.names(), now.topics)
		if who, err = l.until(ctx, settleWithin, now.counts, Question{Stage: Settle, Topics: now.topics}); err != nil {
			return now, who, err
		}
	}
	if who, err = l.until(ctx, matchWithin, now.counts, Question{Stage: Match, Topics: now.topics}); err != nil {
		return now, who, err
	}
	who, err = l.starts(ctx, now, was.first, !goesOn)
	return now, who, err
}

// starts is the last part of agree: the counts are zero, or go on.
func (l *Looper) starts(ctx context.Context, now data, first, zero bool) (who int, err error) {
	if zero {
		if _, who, err = l.ask(ctx, now.counts,
			Question{Stage: Zero, Epoch: now.epoch, Topics: now.topics}); err != nil {
			return who, err
		}
	}
	if l.conf.Tape == nil {
		return none, nil
	}
	return none, l.conf.Tape.Begin(ctx, first, zero)
}

// unrecorded returns why a loop in which no participant counts cannot run: nothing can be recorded.
func (l *Looper) unrecorded(ctx context.Context) error {
	if l.conf.Tape == nil {
		return nil
	}
	return l.conf.Tape.Open(ctx, nil)
}

// between returns the topics between the participants, and those that are recorded.
func (l *Looper) between(ctx context.Context, declared [][]tally.Topic) ([]tally.Topic, error) {
	tape := l.conf.Tape
	if tape == nil {
		return tally.Between(declared, "", nil)
	}
	published, err := tally.Between(declared, l.conf.Name, func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	if err := tape.Open(ctx, published); err != nil {
		return nil, err
	}
	return tally.Between(declared, l.conf.Name, tape.Keeps)
}

func equal(a, b tally.Topic) bool {
	return a.Name == b.Name && a.Type == b.Type && slices.Equal(a.Publishers, b.Publishers) &&
		slices.Equal(a.Subscribers, b.Subscribers)
}

func (l *Looper) names() (list []string) {
	for _, p := range l.conf.Network.Loop.Participants {
		list = append(list, p.Node)
	}
	return list
}

// errNo is the error of a participant whose answer is no: it may be another one in a moment.
type errNo string

func (e errNo) Error() string { return string(e) }

// until asks until all answers are yes. What takes long goes to Config.Waits, once.
func (l *Looper) until(ctx context.Context, limit time.Duration, counts []bool, q Question) (who int, err error) {
	began, said := time.Now(), false
	for {
		if _, who, err = l.ask(ctx, counts, q); err == nil && q.Stage == Match && l.conf.Tape != nil {
			if why := l.conf.Tape.Matched(); why != nil {
				err = errNo("the recording is not in lockstep: " + why.Error())
			}
		}
		waited := time.Since(began)
		if no := errNo(""); !errors.As(err, &no) || waited >= limit {
			return who, err
		}
		if !said && waited > longWait && l.conf.Waits != nil {
			said = true
			l.conf.Waits(err.Error())
		}
		select {
		case <-time.After(askAgain):
		case <-ctx.Done():
			return who, ctx.Err()
		}
	}
}

// ask asks all participants that count, side by side. The error is that of the first one whose answer is not yes.
func (l *Looper) ask(ctx context.Context, counts []bool, q Question) (replies []Reply, who int, err error) {
	replies = make([]Reply, len(counts))
	failures := make([]error, len(counts))
	var all sync.WaitGroup
	for i, c := range l.conf.Callers {
		if !counts[i] {
			continue
		}
		all.Go(func() {
			node := l.conf.Network.Loop.Participants[i].Node
			in, cancel := context.WithTimeout(ctx, l.conf.Network.Loop.Participants[i].Deadline)
			defer cancel()
			if replies[i], failures[i] = c.Ask(in, q); failures[i] != nil {
				failures[i] = fmt.Errorf("%s does not answer %s/step_data: %w", node, node, failures[i])
			} else if !replies[i].OK {
				failures[i] = errNo(fmt.Sprintf("the data of %s are not in lockstep: %s", node, replies[i].Why))
			}
		})
	}
	all.Wait()
	if who = slices.IndexFunc(failures, func(err error) bool { return err != nil }); who >= 0 {
		return replies, who, failures[who]
	}
	return replies, none, nil
}

// counted takes what a participant published by an answer that counts, and returns why it cannot.
func (l *Looper) counted(a Answer) error {
	node := l.conf.Network.Loop.Participants[a.Participant].Node
	switch counts := l.data.counts[a.Participant]; {
	case a.Counts && !counts:
		return fmt.Errorf("it counts its messages, and %s/step_data was not there when the loop began; start the loop again", node)
	case counts && !a.Counts:
		return errors.New("it has counted its messages until now; start the loop again")
	case counts:
		if l.conf.Tape != nil {
			l.taping.takes(l.conf.Tape, l.inner.Phase(), a, node)
		}
		return l.data.tally.Said(node, a.Sent)
	}
	return nil
}
