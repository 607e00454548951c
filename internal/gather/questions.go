package gather

import (
	"context"
	"sync"
	"time"
)

const (
	// answerIn is how long a node has to answer.
	answerIn = 2 * time.Second
	// atATime is how many nodes are asked side by side. Each costs clients that this process and the node have to find.
	atATime = 64
	// perNode is what asking one of many takes ourselves.
	perNode = 10 * time.Millisecond
)

// questions asks nodes side by side, the first ones first. A node that is silent holds up others for answerIn at most.
type questions struct {
	ctx    context.Context // ends all
	places chan struct{}
	all    sync.WaitGroup
}

func newQuestions(ctx context.Context) *questions {
	return &questions{ctx: ctx, places: make(chan struct{}, atATime)}
}

// ask asks a node as soon as there is room, in a goroutine of its own. It waits for the room.
func (q *questions) ask(node func(context.Context)) {
	select {
	case <-q.ctx.Done():
		return
	case q.places <- struct{}{}:
	}
	q.all.Go(func() {
		defer func() { <-q.places }()
		soon, cancel := context.WithTimeout(q.ctx, answerIn)
		defer cancel()
		node(soon)
	})
}

// wait waits until all have answered, or have had their time.
func (q *questions) wait() { q.all.Wait() }

// inAll is how long it takes to ask so many nodes if all are silent, but at most so long.
func inAll(nodes int, most time.Duration) time.Duration {
	rounds := (nodes + atATime - 1) / atATime
	return min(time.Duration(rounds)*answerIn+time.Duration(nodes)*perNode, most)
}
