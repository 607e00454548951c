package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"go.uber.org/zap"
)

// acknowledgeRoute is the operation by which a person acknowledges stops. The first request gets a challenge with the
// status 409, and the second one brings it: a request that was recorded, repeated or sent by a page of another site
// acknowledges nothing.
const acknowledgeRoute = "POST /simulation/{id}/acknowledge"

// Acknowledgement is the request of a person to acknowledge all stops.
type Acknowledgement struct {
	Who       string `json:"who,omitempty" maxLength:"200" doc:"Your name, for the history."`
	Authority string `json:"authority,omitempty" doc:"The authority to arm, where the network file asks for one."`
	Challenge string `json:"challenge,omitempty" doc:"The challenge of the answer 409 to the request before."`

	Shown List[Stop] `json:"-"` // for which the challenge is; no other one is acknowledged
}

// Acknowledged says what was acknowledged.
type Acknowledged struct {
	Message string `json:"message" doc:"What was acknowledged, for a person."`
}

type (
	acknowledgeInput struct {
		ByID
		Body Acknowledgement
	}
	acknowledgeOutput struct {
		Body Acknowledged
	}
)

// registerAcknowledge offers the operation.
func (s *Server) registerAcknowledge() {
	offer(s, acknowledgeRoute, "acknowledge", "Acknowledge all stops, so that the simulation can be armed again", outcomes{
		400: "Nothing is stopped, a stop input is not clear, or another stop has come meanwhile.",
		404: "There is no such simulation.",
		409: "The request has no valid challenge; challenge is a new one.",
	}, s.acknowledge)
}

// shown is what a person who acknowledges looks at. Another stop that comes meanwhile needs a challenge of its own.
func (v *Stops) shown() string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v.Open)
}

func (s *Server) acknowledge(ctx context.Context, in *acknowledgeInput) (*acknowledgeOutput, error) {
	one, err := s.find(in.ID)
	if err != nil {
		return nil, err
	}
	if callerOf(ctx).may != commands {
		return nil, needsToken()
	}
	here := situation{id: one.ID, run: one.Run, state: "stopped by " + one.Stops.shown()} // so it arms nothing
	if in.Body.Challenge == "" || !s.challenges.redeem(in.Body.Challenge, here, "", func() {}) {
		p := problem(http.StatusConflict, "to acknowledge needs a challenge: send the request again with the challenge "+
			"of this answer, within "+strconv.Itoa(int(challengeLife.Seconds()))+" s")
		p.Challenge = s.challenges.issue(here).Challenge
		return nil, p
	}
	if one.Stops != nil {
		in.Body.Shown = one.Stops.Open
	}
	said, err := finish(s, ctx, "acknowledgement", func(ctx context.Context, client string) (string, error) {
		return s.simulations.Acknowledge(ctx, in.ID, client, in.Body)
	}, zap.String("simulation", in.ID))
	if err != nil {
		return nil, err
	}
	return &acknowledgeOutput{Acknowledged{said}}, nil
}
