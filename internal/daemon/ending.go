//go:build ros

package daemon

import (
	"errors"
	"time"

	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/internal/patient"
	"rstate/internal/session"
)

// The end of a daemon, by itself or by Stop.

const (
	// stopIn is how long the engine has to end by itself after Stop; with what closing takes it is
	// less than 5 s.
	stopIn = 4300 * time.Millisecond * patient.Factor
	// leaveIn is how long all of it may take.
	leaveIn = 4900 * time.Millisecond * patient.Factor
	// fetchIn is how long clients have to fetch results before closing begins.
	fetchIn = 3 * time.Second * patient.Factor
	// codeUnclean is the exit code of a process that left something behind.
	codeUnclean = 5
	// codeNotHere and codeNameTaken are the engine's exit codes if the network cannot run here or
	// another daemon has the name. They are meant for the process that started the daemon.
	codeNotHere, codeNameTaken = 2, 3
)

// turn runs the loop to its end and then closes everything.
func (d *Daemon) turn() {
	exit, err := d.seeLoop()
	d.exit = exit
	d.service.ends(exit.Why)
	switch {
	case errors.Is(err, errTooLong): // the engine has tried all the while
		d.end(codeUnclean, err)
	case err != nil:
		d.breakDown(err)
		d.end(codeUnclean, err)
	case exit.Code == codeNotHere || exit.Code == codeNameTaken:
		d.end(exit.Code, errors.New(exit.Why))
	default:
		d.end(exit.Code, nil)
	}
}

func (d *Daemon) end(code int, err error) {
	d.closed.Do(func() {
		defer d.abort(nil) // the heart
		d.code, d.err = code, err
		close(d.ended)
		d.localGoals.close()
		d.world.AwaitFetched(d.fetchIn())
		d.lastWords.Run(d.closeIn())
		d.session.Close(d.closeIn())
		d.giveFree()
		close(d.done)
	})
}

// fetchIn is how long clients have to ask for the results of their goals. After Stop it leaves enough time
// to close.
func (d *Daemon) fetchIn() time.Duration {
	since := d.stopSince.Load()
	if since == nil {
		return fetchIn
	}
	return min(fetchIn, max(0, stopIn-session.LetGo-time.Since(*since)))
}

// closeIn is how long closing may take: what is left of the time since Stop, if that was called.
func (d *Daemon) closeIn() time.Duration {
	since := d.stopSince.Load()
	if since == nil {
		return session.LetGo
	}
	return max(leaveIn-time.Since(*since), session.CloseAtLeast)
}

// Wait returns the exit code when the daemon has ended, and what broke it, if anything did.
func (d *Daemon) Wait() (int, error) {
	<-d.done
	return d.code, d.err
}

// Result describes a daemon that has ended. The exit code and the reason are those of the process.
func (d *Daemon) Result() Result {
	code, err := d.Wait()
	exit := d.exit
	if exit.Code = code; err != nil {
		exit.Why = err.Error()
	}
	return d.about.resultOfRun(exit, d.Snapshot(), time.Now())
}

// errTooLong ends a loop whose engine does not come to an end.
var errTooLong = errors.New("what was to be done before the end took too long")

// Stop asks the daemon to end and waits until it has, 5 s at the most; a simulation of a factory then
// waits for those that close before it. Calling it again waits too.
func (d *Daemon) Stop(why string) { d.StopAs(why, "") }

// StopAs is Stop for nodes that are left otherwise than the network file says, if onExit is given.
func (d *Daemon) StopAs(why string, onExit network.OnExit) {
	d.stopped.Do(func() {
		now := time.Now()
		d.stopSince.Store(&now)
		close(d.stopping)
		d.service.ends(why)
		d.started.Do(func() { d.end(0, nil) }) // never started: nothing to stop but to close
		d.loop.Post(engine.StopAsked{Why: why, OnExit: onExit})
		timer := time.NewTimer(stopIn)
		defer timer.Stop()
		select {
		case <-d.ended: // closing has limits of its own, and may wait for its turn
		case <-timer.C:
			d.log.Error("rstate leaves before it is done", zap.Duration("after", stopIn))
			d.abort(errTooLong)
		}
	})
	<-d.done
}
