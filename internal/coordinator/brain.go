package coordinator

import "rstate/internal/engine"

// pure holds the state that goes from one engine.Step to the next.
type pure struct{ state *engine.State }

// Engine returns the engine as a brain. The state belongs to it from now on.
func Engine(state *engine.State) Brain { return &pure{state: state} }

func (p *pure) Step(now engine.Time, in engine.Input) []engine.Effect {
	state, effects := engine.Step(p.state, now, in)
	p.state = state
	return effects
}

func (p *pure) Snapshot() engine.Snapshot { return p.state.Snapshot() }
