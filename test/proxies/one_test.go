package proxies

import (
	"context"

	"rstate/internal/httpapi"
	"rstate/internal/machine"
)

// one is a process with one simulation, which takes every order.
type one struct{}

var made = httpapi.Simulation{Summary: httpapi.Summary{ID: "0", State: "active", Settled: true}}

func (one) List() []httpapi.Summary { return []httpapi.Summary{made.Summary} }

func (one) Get(id string) (httpapi.Simulation, error) {
	if id != "0" {
		return httpapi.Simulation{}, httpapi.ErrUnknown
	}
	return made, nil
}

func (one) Figures(string) (httpapi.Figures, error) { return httpapi.Figures{}, nil }

func (one) Read(_ string, o httpapi.Order) (httpapi.Asked, error) {
	word := machine.ReadWord(o.State)
	return httpapi.Asked{Word: word, Disarms: word == "disarm"}, nil
}

func (one) Command(string, string, httpapi.Asked) httpapi.Wait {
	return func(context.Context) (httpapi.Result, error) { return httpapi.Result{Success: true}, nil }
}

func (one) History(context.Context, string, httpapi.HistoryQuery) ([]httpapi.Entry, error) {
	return nil, nil
}

func (one) Why(context.Context, string) (httpapi.Why, error) { return httpapi.Why{}, nil }

func (one) Network(string) (httpapi.Network, error) { return httpapi.Network{}, nil }

func (one) Data(context.Context, string, string, int64) (httpapi.Datum, error) {
	return httpapi.Datum{}, &httpapi.Missing{Why: "there are none"}
}

func (one) Trigger(context.Context, string, uint64, *httpapi.Trigger) error { return nil }

func (one) Watch(ctx context.Context, _ func(string)) { <-ctx.Done() }

func (one) Acknowledge(context.Context, string, string, httpapi.Acknowledgement) (string, error) {
	return "", nil
}

func (one) Health(context.Context) error { return nil }

func (one) Create(context.Context, string, httpapi.Creation) (httpapi.Simulation, error) {
	return made, nil
}

func (one) Remove(context.Context, string, string, httpapi.Removal) error { return nil }
