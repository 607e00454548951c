//go:build js && wasm

// Command whatif is the part of the page that tells what would happen if a node failed: the engine of the daemon and
// the simulated nodes of package rehearse, compiled to WebAssembly. The worker of the page calls it:
//
//	rehearse('{"yaml": "…", "state": "armed", "absent": [], "node": "/lidar", "mishap": "die"}')
//
// It returns JSON: a list of outlooks, or {"fault": "…"}. Without a node, it plays every mishap of every node.
//
// It may import network and rehearse.
package main

import (
	"encoding/json"
	"errors"
	"slices"
	"syscall/js"

	"rstate/internal/network"
	"rstate/internal/rehearse"
)

// question is what the page asks.
type question struct {
	YAML   string          `json:"yaml"`
	State  string          `json:"state"`
	Absent []string        `json:"absent"`
	Node   string          `json:"node"`
	Mishap rehearse.Mishap `json:"mishap"`
}

// outlook is rehearse.Outlook for the page, with times in seconds.
type outlook struct {
	Node   string   `json:"node"`
	Mishap string   `json:"mishap"`
	State  string   `json:"state"`
	Intact bool     `json:"intact"`
	Armed  []string `json:"armed"`
	Took   float64  `json:"took_s"`
	Story  []moment `json:"story"`
	Fault  string   `json:"fault,omitempty"`
}

type moment struct {
	After float64 `json:"after_s"`
	Text  string  `json:"text"`
}

func main() {
	js.Global().Set("rehearse", js.FuncOf(func(_ js.Value, args []js.Value) any {
		outlooks, err := answer(args)
		if err != nil {
			text, _ := json.Marshal(map[string]string{"fault": err.Error()}) // a string
			return string(text)
		}
		text, _ := json.Marshal(outlooks) // strings and numbers
		return string(text)
	}))
	select {}
}

func answer(args []js.Value) ([]outlook, error) {
	if len(args) != 1 {
		return nil, errors.New("rehearse takes one question")
	}
	var q question
	if err := json.Unmarshal([]byte(args[0].String()), &q); err != nil {
		return nil, err
	}
	net, err := network.Parse("network.yaml", []byte(q.YAML))
	if err != nil {
		return nil, err
	}
	present := rehearse.Present{State: q.State, Absent: q.Absent}
	if q.Node == "" {
		return told(rehearse.WhatIfs(net, present)), nil
	}
	if net.Index(q.Node) < 0 || !slices.Contains(rehearse.Mishaps, q.Mishap) {
		return nil, errors.New("there is no such node or mishap")
	}
	return told([]rehearse.Outlook{rehearse.WhatIf(net, present, q.Node, q.Mishap)}), nil
}

func told(all []rehearse.Outlook) []outlook {
	list := []outlook{}
	for _, o := range all {
		one := outlook{Node: o.Node, Mishap: string(o.Mishap), State: o.State, Intact: o.Intact, Armed: append([]string{}, o.Armed...),
			Took: o.Took.Seconds(), Fault: o.Fault, Story: []moment{}}
		for _, m := range o.Story {
			one.Story = append(one.Story, moment{m.After.Seconds(), m.Text})
		}
		list = append(list, one)
	}
	return list
}
