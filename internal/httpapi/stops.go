package httpapi

import "time"

// Stops is what is known of stop inputs.
type Stops struct {
	Inputs  List[StopInput] `json:"inputs" doc:"The stop inputs, in the order of the network file."`
	Open    List[Stop]      `json:"open" doc:"The stops of this simulation and of its peers that are not acknowledged."`
	Forbids string          `json:"forbids,omitempty" doc:"Why stop inputs forbid to arm, and what to do."`
}

// StopInput is a topic on which stop buttons repeat their value.
type StopInput struct {
	Topic   string       `json:"topic" doc:"The topic."`
	Kind    string       `json:"kind" enum:"clear,stop,silent,unclear,lost" doc:"How it is."`
	Why     string       `json:"why,omitempty" doc:"Why it is not clear, for a person."`
	Age     *float64     `json:"age_s,omitempty" doc:"Seconds since the button that was heard least lately was heard; left out if none was."`
	Writers List[string] `json:"writers" doc:"The full names of the nodes that are heard."`
}

// Stop is a stop that is not acknowledged.
type Stop struct {
	Origin string    `json:"origin" doc:"The full name of the instance whose stop input has stopped the simulation."`
	Why    string    `json:"why" doc:"Which input, and what it said."`
	Stamp  time.Time `json:"stamp" doc:"When it came."`
	Run    string    `json:"-"` // of the instance
	Count  uint64    `json:"-"` // of the stops of that run: this one is the newest
}
