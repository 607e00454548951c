package rcl

// #include "seam.h"
import "C"

import "unsafe"

// Context is an initialised rcl_context_t.
type Context struct{ c C.rcl_context_t }

// GuardCondition is an rcl_guard_condition_t; only Trigger may be called from any
// thread, also side by side with a wait.
type GuardCondition struct {
	c C.rcl_guard_condition_t
}

// ParseArgs returns the indexes in args of the arguments that are not for ROS, and of the
// unknown ROS arguments.
func ParseArgs(args []string) (rest, unknown []int, err error) {
	argv, free := cStrings(args)
	defer free()
	r := C.rclgo_args_parse(C.int(len(args)), argv)
	defer C.free(unsafe.Pointer(r.rest))
	defer C.free(unsafe.Pointer(r.unknown))
	if err := check(r.ret); err != nil {
		return nil, nil, err
	}
	return goInts(r.rest, r.nrest), goInts(r.unknown, r.nunknown), nil
}

func goInts(p *C.int, n C.int) []int {
	if n <= 0 || p == nil {
		return nil
	}
	out := make([]int, n)
	for i, v := range unsafe.Slice(p, n) {
		out[i] = int(v)
	}
	return out
}

// NewContext initialises rcl. domain is nil for the domain of the environment.
func NewContext(args []string, domain *uint) (*Context, error) {
	argv, free := cStrings(args)
	defer free()
	var id C.size_t
	if domain != nil {
		id = C.size_t(*domain)
	}
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[Context](C.rclgo_context_new(C.int(len(args)), argv, C.bool(domain != nil), id))
}

// Close shuts rcl down and finalises the context, after everything made from it is closed.
func (c *Context) Close() error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return freed(C.rclgo_context_free(&c.c))
}

// DomainID returns the domain that the context is in.
func (c *Context) DomainID() (uint, error) {
	r := C.rclgo_context_domain(&c.c)
	return uint(r.v), check(r.ret)
}

// Discovery returns the number of the discovery range, and the static peers.
func (c *Context) Discovery() (discovery int, peers []string, err error) {
	r := C.rclgo_context_discovery(&c.c)
	if err := check(r.ret); err != nil {
		return 0, nil, err
	}
	defer C.free(unsafe.Pointer(r.peers))
	if r.npeers > 0 {
		for _, peer := range unsafe.Slice(r.peers, r.npeers) {
			peers = append(peers, C.GoString(peer))
			C.free(unsafe.Pointer(peer))
		}
	}
	return int(r._range), peers, nil
}

// LeaveDiscovery sets the range SYSTEM_DEFAULT.
func (c *Context) LeaveDiscovery() error { return check(C.rclgo_context_leave_discovery(&c.c)) }

// RemapNode returns the full name that a node would have.
func (c *Context) RemapNode(name, namespace string) (string, error) {
	cname, freeName := cString(name)
	defer freeName()
	cns, freeNS := cString(namespace)
	defer freeNS()
	r := C.rclgo_remap_node(&c.c, cname, cns)
	if err := check(r.ret); err != nil {
		return "", err
	}
	defer C.free(r.p)
	return C.GoString((*C.char)(r.p)), nil
}

// NewGuardCondition makes a guard condition.
func NewGuardCondition(ctx *Context) (*GuardCondition, error) {
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[GuardCondition](C.rclgo_guard_new(&ctx.c))
}

// Close must not run concurrently with Trigger.
func (g *GuardCondition) Close() error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return freed(C.rclgo_guard_free(&g.c))
}

// Trigger ends the current or the next wait on g.
func (g *GuardCondition) Trigger() error { return check(C.rclgo_guard_trigger(&g.c)) }

// ExpandTopicName resolves a private, relative or substituted name.
func ExpandTopicName(name, node, namespace string, substitutions map[string]string) (string, error) {
	var keys, values []string
	for k, v := range substitutions {
		keys, values = append(keys, k), append(values, v)
	}
	ck, freeKeys := cStrings(keys)
	defer freeKeys()
	cv, freeValues := cStrings(values)
	defer freeValues()
	cname, freeName := cString(name)
	defer freeName()
	cnode, freeNode := cString(node)
	defer freeNode()
	cns, freeNS := cString(namespace)
	defer freeNS()
	r := C.rclgo_expand_name(cname, cnode, cns, ck, cv, C.int(len(keys)))
	if err := check(r.ret); err != nil {
		return "", err
	}
	defer C.free(r.p)
	return C.GoString((*C.char)(r.p)), nil
}
