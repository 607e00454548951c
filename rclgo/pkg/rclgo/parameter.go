package rclgo

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// The errors that errors about parameters wrap.
var (
	ErrParameterNotDeclared = errors.New("it is not declared")
	// ErrParameterGiven is a declaration that fails because of the value that the command
	// line or the node's arguments give for the parameter.
	ErrParameterGiven    = errors.New("the value given for it does not fit")
	ErrParameterReadOnly = errors.New("it is read-only; give it when the node starts, as with --ros-args -p name:=value")
)

// Parameters are the parameters of a node. Each is declared before it is used, with a
// default value. A value from the command line (--ros-args -p, --params-file) or from the
// node's own arguments overrides the default. use_sim_time is always declared; see
// Node.Clock.
//
// All methods may be called from any goroutine. The exception is a check of OnSet: it must
// not declare, undeclare or set, since these wait for the check.
type Parameters struct {
	node      *Node
	overrides map[string]any // fixed

	setMu sync.Mutex // held while parameters are checked and changed, OnSet's checks included

	mu        sync.Mutex // never held while anything is called
	declared  map[string]*parameter
	checks    []*func([]Parameter) error
	listeners []*func([]Parameter)
	changes   []parameterChange // made, but not yet published
	telling   bool
	loud      bool       // changes are published
	events    *Publisher // /parameter_events, made with the first event
}

type parameter struct {
	value      any
	descriptor ParameterDescriptor
}

// parameterChange is what one call changed.
type parameterChange struct{ declared, set, undeclared []Parameter }

// Parameters returns the node's parameters.
func (n *Node) Parameters() *Parameters { return &n.params }

// DeclareParameter declares a parameter of n and returns its value, which differs from
// defaultValue if it is overridden. descriptor may be nil.
func DeclareParameter[T ParameterValue](n *Node, name string, defaultValue T, descriptor *ParameterDescriptor) (T,
	error) {
	value, err := n.params.Declare(name, defaultValue, descriptor)
	if err != nil {
		return defaultValue, err
	}
	return parameterAs[T](name, value)
}

// GetParameter returns the value of a parameter of n.
func GetParameter[T ParameterValue](n *Node, name string) (T, error) {
	value, ok := n.params.Get(name)
	if !ok {
		var none T
		return none, parameterError("read", ErrParameterNotDeclared, name)
	}
	return parameterAs[T](name, value)
}

func parameterAs[T ParameterValue](name string, value any) (T, error) {
	v, ok := value.(T)
	switch {
	case value == nil:
		return v, parameterError("read", errors.New("it is not set"), name)
	case !ok:
		_, have, _ := normalValue(value)
		_, want, _ := normalValue(v)
		return v, parameterError("read", fmt.Errorf("it is of type %v, not %v", have, want), name)
	}
	return v, nil
}

// Declare declares a parameter and returns its value: the override or else the default
// value. With a nil default the parameter is not set, and needs a type in the descriptor.
// descriptor may be nil.
func (p *Parameters) Declare(name string, defaultValue any, descriptor *ParameterDescriptor) (any, error) {
	d := ParameterDescriptor{}
	if descriptor != nil {
		d = descriptor.clone()
	}
	d.Name = name
	value, err := p.declare(d, defaultValue)
	if err != nil {
		return nil, parameterError("declare", err, name)
	}
	p.tell()
	return copyValue(value), nil
}

func (p *Parameters) declare(d ParameterDescriptor, value any) (any, error) {
	p.setMu.Lock()
	defer p.setMu.Unlock() // also if a check panics
	if err := p.node.alive("declare parameter " + d.Name); err != nil {
		return nil, err
	}
	if d.Name == "" {
		return nil, errors.New("its name is empty")
	}
	if p.find(d.Name) != nil {
		return nil, errors.New("it is declared already")
	}
	value, t, err := normalValue(value)
	if err != nil {
		return nil, err
	}
	if err := d.complete(t); err != nil {
		return nil, err
	}
	fit := func(err error) error { return err }
	if override, ok := p.overrides[d.Name]; ok {
		fit = func(err error) error { return fmt.Errorf("%w: %w", ErrParameterGiven, err) }
		value, t, _ = normalValue(override)
	}
	if value != nil {
		if err := d.admits(value, t); err != nil {
			return nil, fit(err)
		}
	}
	declared := []Parameter{{d.Name, value}}
	if err := p.check(declared); err != nil {
		return nil, fit(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.declared[d.Name] = &parameter{value, d}
	p.changes = append(p.changes, parameterChange{declared: declared})
	return value, nil
}

// Undeclare removes a parameter.
func (p *Parameters) Undeclare(name string) error {
	if err := p.undeclare(name); err != nil {
		return parameterError("undeclare", err, name)
	}
	p.tell()
	return nil
}

func (p *Parameters) undeclare(name string) error {
	p.setMu.Lock()
	defer p.setMu.Unlock()
	if err := p.node.alive("undeclare parameter " + name); err != nil {
		return err
	}
	switch q := p.find(name); {
	case q == nil:
		return ErrParameterNotDeclared
	case q.descriptor.ReadOnly, name == useSimTime:
		return errors.New("it is there for good")
	default:
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.declared, name)
		p.changes = append(p.changes, parameterChange{undeclared: []Parameter{{name, q.value}}})
		return nil
	}
}

// Get returns the value of a parameter, and whether it is declared.
func (p *Parameters) Get(name string) (value any, declared bool) {
	q := p.find(name)
	if q == nil {
		return nil, false
	}
	return copyValue(q.value), true
}

// Describe returns the descriptor of a parameter, and whether it is declared.
func (p *Parameters) Describe(name string) (descriptor ParameterDescriptor, declared bool) {
	q := p.find(name)
	if q == nil {
		return ParameterDescriptor{}, false
	}
	d := q.descriptor.clone()
	if d.DynamicTyping {
		_, d.Type, _ = normalValue(q.value)
	}
	return d, true
}

// Names returns the names of all declared parameters, sorted.
func (p *Parameters) Names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.declared))
}

// Set sets parameters, all or none of them. The error names the refused one and the reason.
func (p *Parameters) Set(params ...Parameter) error {
	if len(params) == 0 {
		return nil
	}
	err := p.set(params)
	if err == nil {
		p.tell()
	}
	return err
}

func (p *Parameters) set(params []Parameter) error {
	p.setMu.Lock()
	defer p.setMu.Unlock() // also if a check panics
	names := make([]string, 0, len(params))
	var change parameterChange
	for _, param := range params {
		normal, err := p.settable(param)
		if err != nil {
			return parameterError("set", err, param.Name)
		}
		names = append(names, param.Name)
		if normal.Value == nil {
			change.undeclared = append(change.undeclared, normal)
		} else {
			change.set = append(change.set, normal)
		}
	}
	if err := p.check(slices.Concat(change.set, change.undeclared)); err != nil {
		return parameterError("set", err, names...)
	}
	if err := p.node.alive("set parameters"); err != nil {
		return err
	}
	p.mu.Lock()
	for i := range change.undeclared {
		q := &change.undeclared[i]
		if old := p.declared[q.Name]; old != nil {
			q.Value = old.value
		}
		delete(p.declared, q.Name)
	}
	for _, q := range change.set {
		if old := p.declared[q.Name]; old != nil {
			p.declared[q.Name] = &parameter{q.Value, old.descriptor}
		}
	}
	p.changes = append(p.changes, change)
	p.mu.Unlock()
	return p.node.followParameters(change.set)
}

// settable returns the normalized parameter, or the reason why it cannot be set.
func (p *Parameters) settable(param Parameter) (Parameter, error) {
	q := p.find(param.Name)
	switch {
	case q == nil:
		return param, ErrParameterNotDeclared
	case q.descriptor.ReadOnly:
		return param, ErrParameterReadOnly
	}
	value, t, err := normalValue(param.Value)
	if err == nil {
		err = q.descriptor.admits(value, t)
	}
	return Parameter{param.Name, value}, err
}

// OnSet adds a check of parameters that are about to be declared or set, after the checks of
// their types and ranges. An error of check refuses them. check is called once with all
// parameters of one call; a nil value is a parameter to be undeclared. It must not change
// anything yet, as another check may refuse, and must not declare or set.
func (p *Parameters) OnSet(check func([]Parameter) error) (cancel func()) {
	return keep(p, &p.checks, check)
}

// OnChange calls changed after the program or a service has set parameters, with all that one
// call has set. Calls do not overlap and keep the order of the changes. They run on the
// goroutine that set a parameter, or on one that did so at the same time.
func (p *Parameters) OnChange(changed func([]Parameter)) (cancel func()) {
	return keep(p, &p.listeners, changed)
}

// keep appends a function to a list of p and returns the function that removes it. Lists
// that are being read are never changed.
func keep[F any](p *Parameters, list *[]*F, fn F) (cancel func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*list = append(slices.Clip(*list), &fn)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		*list = slices.DeleteFunc(slices.Clone(*list), func(f *F) bool { return f == &fn })
	}
}

// check calls every check of OnSet.
func (p *Parameters) check(params []Parameter) error {
	if err := p.node.checkParameters(params); err != nil {
		return err
	}
	p.mu.Lock()
	checks := p.checks
	p.mu.Unlock()
	for _, check := range checks {
		if err := (*check)(copyParameters(params)); err != nil {
			return err
		}
	}
	return nil
}

// find returns a declared parameter, or nil. The result must not be changed.
func (p *Parameters) find(name string) *parameter {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.declared[name]
}

// tell publishes the changes and calls the listeners, unless another goroutine already does.
func (p *Parameters) tell() {
	for {
		p.mu.Lock()
		if p.telling || len(p.changes) == 0 {
			p.mu.Unlock()
			return
		}
		next, listeners, loud := p.changes[0], p.listeners, p.loud
		p.changes, p.telling = p.changes[1:], true
		p.mu.Unlock()
		p.tellOne(next, listeners, loud)
	}
}

// tellOne tells one change. Afterwards another may be told, also if a listener has panicked.
func (p *Parameters) tellOne(c parameterChange, listeners []*func([]Parameter), loud bool) {
	defer func() {
		p.mu.Lock()
		p.telling = false
		p.mu.Unlock()
	}()
	if loud {
		p.publish(c)
	}
	if len(c.set) > 0 {
		for _, changed := range listeners {
			(*changed)(copyParameters(c.set))
		}
	}
}

func copyParameters(list []Parameter) []Parameter {
	out := slices.Clone(list)
	for i := range out {
		out[i].Value = copyValue(out[i].Value)
	}
	return out
}

// parameterError reads: cannot set parameter "rate": it is read-only.
func parameterError(op string, err error, names ...string) error {
	noun := "parameter"
	if len(names) > 1 {
		noun += "s"
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%.200q", n)
	}
	return fmt.Errorf("cannot %s %s %s: %w", op, noun, strings.Join(quoted, ", "), err)
}

// alive returns an error for op if the node is closed.
func (n *Node) alive(op string) error {
	if !n.enter() {
		return n.closedError(op)
	}
	n.leave()
	return nil
}
