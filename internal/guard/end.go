//go:build ros

package guard

import (
	"time"

	"go.uber.org/zap"

	"rstate/internal/engine/guards"
	"rstate/internal/lease"
)

// The end of a guard, with what it has to say and to wait for.

// leave ends the guard, and says last that it has ended. If a lease holds, the guard disarms first: after its end nothing
// detects that the lease ends. It does not disarm if Leave is set, or if the daemon shows in time that another guard covers the nodes.
func (g *Guard) leave() error {
	g.Service.Stops("it was asked to end")
	defer g.takeLeave()
	g.turn(g.guarding.look)
	waits := g.guarding.ends(g.announcer.id, g.callable()) && !g.Leave
	g.announcer.ends = true
	if waits || g.Leave || g.guarding.watch != watchHolding { // else its next word says that it disarms
		g.announce()
	}
	if g.guarding.watch == watchHolding && g.Leave {
		g.Log.Error("the guard ends while armed, as it was told; nothing disarms these services now if the daemon dies",
			zap.Strings("services", g.Services), zap.String("daemon", g.Daemon))
		return nil
	}
	if waits {
		g.until(guards.AnswerIn, func() bool { return g.guarding.watch != watchHolding || g.guarding.relieved() })
	}
	if g.guarding.relieved() {
		g.Log.Info("the guard ends while armed, and disarms nothing: another guard covers its nodes",
			zap.String("daemon", g.Daemon))
		return nil
	}
	if g.guarding.watch == watchHolding {
		g.Log.Error("the guard ends while armed, so it disarms, and tells the daemon", zap.String("daemon", g.Daemon))
	}
	g.turn(g.guarding.leave)
	g.until(leaveArmedIn, func() bool {
		return g.guarding.watch != watchDisarming && !g.guarding.tells(g.steady())
	})
	armed, absent := g.guarding.left()
	if len(absent) > 0 {
		g.Log.Warn("no server of these services was there while the guard ran", zap.Strings("services", absent))
	}
	if len(armed) > 0 {
		return &StillArmed{armed}
	}
	return nil
}

// until turns and speaks until it is done, for that long at most.
func (g *Guard) until(most time.Duration, done func() bool) {
	over := time.NewTimer(most)
	defer over.Stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	speak := time.NewTicker(lease.Every)
	defer speak.Stop()
	for !done() {
		if g.guarding.takeNews() {
			g.announce()
		}
		g.arm(timer)
		select {
		case <-over.C:
			return
		case what := <-g.in:
			g.turn(what)
		case <-timer.C:
			g.turn(func(time.Duration) {})
		case <-speak.C:
			g.announce()
		}
	}
}

// takeLeave says that the guard has ended, until the daemon shows that it knows, or is gone. It asks for nothing any
// more.
func (g *Guard) takeLeave() {
	over := time.NewTimer(guards.AnswerIn)
	defer over.Stop()
	speak := time.NewTicker(lease.Every)
	defer speak.Stop()
	for g.saysLast(); g.guarding.unheard(g.announcer.id) && g.isRead(); {
		select {
		case <-over.C:
			g.Log.Warn("the daemon does not show that this guard has ended", zap.String("daemon", g.Daemon))
			return
		case what := <-g.in:
			what(g.steady())
		case <-speak.C:
			g.saysLast()
		}
	}
}

// isRead reports whether the graph shows a daemon that can show what it knows.
func (g *Guard) isRead() bool {
	n, err := g.node.CountPublishers(g.stateTopic())
	return err == nil && n > 0
}
