package httpapi

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

const problemType = "application/problem+json"

// Problem is a problem document (RFC 9457). Its further members tell a program what it can do.
type Problem struct {
	Title   string           `json:"title" doc:"The meaning of the status." example:"Bad Request"`
	Status  int              `json:"status" doc:"The status of the answer." example:"400"`
	Detail  string           `json:"detail" doc:"What is wrong, and what to do."`
	Faults  faults           `json:"faults,omitempty" doc:"Each fault of the request."`
	Legal   *List[string]    `json:"legal,omitempty" doc:"The commands that are legal now, if the command was not."`
	State   string           `json:"state,omitempty" doc:"The state of the simulation after a command that failed."`
	Outcome string           `json:"outcome,omitempty" doc:"How a command that failed has ended."`
	Nodes   List[NodeResult] `json:"nodes,omitempty" doc:"What each node did in a command that failed."`

	Challenge string `json:"challenge,omitempty" doc:"A challenge that the same request has to bring."`

	retry time.Duration // of the header Retry-After; 0: none
	allow string        // of the header Allow
	bare  bool          // the header WWW-Authenticate asks for a token
}

// Fault is one fault of a request.
type Fault struct {
	Where string `json:"where" doc:"The place in the request." example:"body.state"`
	What  string `json:"what" doc:"What is wrong there."`
}

type faults []Fault

func (f faults) String() string {
	texts := make([]string, len(f))
	for i := range f {
		texts[i] = strings.TrimPrefix(f[i].Where+": "+f[i].What, ": ")
	}
	return strings.Join(texts, "; ")
}

func (p *Problem) Error() string { return p.Detail }

// GetStatus returns the status; huma asks for it.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType returns the media type of the document; huma asks for it.
func (p *Problem) ContentType(string) string { return problemType }

// GetHeaders returns the headers that belong to the problem; huma asks for them.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(p.retry.Seconds()))))
	}
	if p.allow != "" {
		h.Set("Allow", p.allow)
	}
	if p.bare {
		h.Set("WWW-Authenticate", `Bearer realm="rstate"`)
	}
	return h
}

func problem(status int, detail string) *Problem {
	return &Problem{Title: http.StatusText(status), Status: status, Detail: detail}
}

// write answers a request with the problem.
func (p *Problem) write(w http.ResponseWriter) {
	for k, v := range p.GetHeaders() {
		w.Header()[k] = v
	}
	text, _ := json.Marshal(p) // strings and numbers only: this cannot fail
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(text, '\n')) // a client that is away gets no answer
}

// huma makes the errors of its own checks through a global function. A fault of a request is always
// answered with 400; huma would say 422 for some.
func init() {
	huma.NewError = func(status int, detail string, errs ...error) huma.StatusError {
		if status == http.StatusUnprocessableEntity {
			status = http.StatusBadRequest
		}
		p := problem(status, detail)
		for _, err := range errs {
			var d *huma.ErrorDetail
			if errors.As(err, &d) {
				p.Faults = append(p.Faults, Fault{d.Location, d.Message})
			} else if err != nil {
				p.Faults = append(p.Faults, Fault{What: err.Error()})
			}
		}
		if len(p.Faults) > 0 {
			p.Detail = "the request has faults: " + p.Faults.String()
		}
		return p
	}
	huma.DefaultArrayNullable = false // List is never null
	huma.ValidateStrictCasing = true  // the same key in other letters would be a key that occurs twice
}

// problemOf is the answer to an error of Simulations or Factory.
func problemOf(err error) error {
	var rejected *Rejected
	var busy *Busy
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrUnknown):
		return problem(http.StatusNotFound, "there is no such simulation; GET /simulation lists them")
	case errors.As(err, &rejected):
		p := problem(http.StatusBadRequest, rejected.Why)
		if rejected.Legal != nil {
			p.Legal = (*List[string])(&rejected.Legal)
		}
		return p
	case errors.As(err, &busy):
		p := problem(http.StatusConflict, busy.Why)
		p.retry = busy.Retry
		return p
	}
	return problem(http.StatusInternalServerError, err.Error())
}

// failed is the answer to a command that was accepted and did not succeed. Status 409 says that
// another command has replaced it; 500 that a node or a check has failed.
func failed(r Result) error {
	status := http.StatusInternalServerError
	switch r.Outcome {
	case "canceled", "preempted", "superseded":
		status = http.StatusConflict
	}
	p := problem(status, r.Message)
	p.State, p.Outcome, p.Nodes = r.State, r.Outcome, r.Nodes
	return p
}
