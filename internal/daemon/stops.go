package daemon

import (
	"rstate/internal/engine"
	"rstate/internal/httpapi"
	"rstate/internal/latch"
)

// stopsOf is what a snapshot says of stops; nil: the network has no stop input, and knows no stop.
func stopsOf(v *engine.StopsView) *httpapi.Stops {
	if len(v.Inputs)+len(v.Open) == 0 && v.Forbids == "" {
		return nil
	}
	s := &httpapi.Stops{Forbids: v.Forbids}
	for _, in := range v.Inputs {
		one := httpapi.StopInput{Topic: in.Topic, Kind: string(in.Kind), Why: in.Why, Writers: in.Writers}
		if in.Age >= 0 {
			age := in.Age.Seconds()
			one.Age = &age
		}
		s.Inputs = append(s.Inputs, one)
	}
	for _, l := range v.Open {
		s.Open = append(s.Open, httpapi.Stop{Origin: l.Origin, Why: l.Why, Stamp: l.At, Run: l.Instance, Count: l.Latched})
	}
	return s
}

// latchesOf are the stops that a person was shown.
func latchesOf(shown []httpapi.Stop) []latch.Latch {
	var list []latch.Latch
	for _, s := range shown {
		list = append(list, latch.Latch{Origin: s.Origin, Instance: s.Run, Latched: s.Count, Why: s.Why, At: s.Stamp})
	}
	return list
}
