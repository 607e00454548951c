package rcl

// #include "seam.h"
// #include <rcl/node.h>
import "C"

import "unsafe"

// Node is an rcl_node_t. Everything made from it must be closed before it.
type Node struct{ c C.rcl_node_t }

// NodeConfig configures a node.
type NodeConfig struct {
	Name, Namespace    string
	UseGlobalArguments bool
	Rosout             bool
	Args               []string
}

// NewNode makes a node.
func NewNode(ctx *Context, cfg NodeConfig) (*Node, error) {
	name, freeName := cString(cfg.Name)
	defer freeName()
	ns, freeNS := cString(cfg.Namespace)
	defer freeNS()
	argv, free := cStrings(cfg.Args)
	defer free()
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[Node](C.rclgo_node_new(&ctx.c, name, ns, C.bool(cfg.UseGlobalArguments),
		C.bool(cfg.Rosout), C.int(len(cfg.Args)), argv))
}

// Close finalises and frees n.
func (n *Node) Close() error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return freed(C.rclgo_node_free(&n.c))
}

// Name returns the name, after remapping.
func (n *Node) Name() string { return C.GoString(C.rcl_node_get_name(&n.c)) }

// Namespace returns the namespace, after remapping.
func (n *Node) Namespace() string { return C.GoString(C.rcl_node_get_namespace(&n.c)) }

// FullyQualifiedName returns the full name, after remapping.
func (n *Node) FullyQualifiedName() string {
	return C.GoString(C.rcl_node_get_fully_qualified_name(&n.c))
}

// LoggerName returns the name of the node's logger.
func (n *Node) LoggerName() string { return C.GoString(C.rcl_node_get_logger_name(&n.c)) }

// GraphGuard returns the node's graph guard condition, which the node owns. Nodes may share
// one in the middleware, and a wait set then wakes only one of them: such nodes have equal
// keys.
func (n *Node) GraphGuard() (guard *GuardCondition, key unsafe.Pointer) {
	g := C.rcl_node_get_graph_guard_condition(&n.c)
	return (*GuardCondition)(unsafe.Pointer(g)), unsafe.Pointer(C.rcl_guard_condition_get_rmw_handle(g))
}

// OpenRosout makes the node's publisher on /rosout, if logging and the node enable it.
func (n *Node) OpenRosout() error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return check(C.rclgo_rosout_open(&n.c))
}

// CloseRosout must run before Close.
func (n *Node) CloseRosout() error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return check(C.rclgo_rosout_close(&n.c))
}

// NewTypeDescriptionService makes the service that describes the types of the node's topics
// and services. rcl keeps their table.
func (n *Node) NewTypeDescriptionService() (*Service, error) {
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[Service](C.rclgo_type_description_new(&n.c))
}

// DescribeType fills in the C message response for the C message request. It must not
// run while anything of the node is made or closed.
func (n *Node) DescribeType(h Header, request, response unsafe.Pointer) {
	C.rclgo_type_description_answer(&n.c, cRequestID(h), request, response)
}
