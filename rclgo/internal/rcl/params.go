package rcl

// #include "seam.h"
import "C"

import "unsafe"

// ParamOverride is a parameter given on a command line or in a file.
type ParamOverride struct {
	Node  string // a node's full name, or a pattern with * and **
	Name  string
	Value any // bool, int64, float64, string, or a slice of them or of bytes
}

// ParamOverrides returns all overrides in the arguments of the node and of its context, for
// nodes of any name. If a name occurs twice the later value takes precedence.
func (n *Node) ParamOverrides() (list []ParamOverride, err error) {
	for _, own := range []C.bool{false, true} {
		r := C.rclgo_param_overrides(&n.c, own)
		if err := check(r.ret); err != nil {
			return nil, err
		}
		if r.p == nil {
			continue
		}
		params := (*C.rcl_params_t)(r.p)
		list = append(list, goOverrides(params)...)
		C.rclgo_param_overrides_free(params)
	}
	return list, nil
}

// goOverrides copies all overrides; it skips those without a value, such as an empty list.
func goOverrides(p *C.rcl_params_t) (list []ParamOverride) {
	nodes := unsafe.Slice(p.node_names, p.num_nodes)
	for i, params := range unsafe.Slice(p.params, p.num_nodes) {
		names := unsafe.Slice(params.parameter_names, params.num_params)
		for j, v := range unsafe.Slice(params.parameter_values, params.num_params) {
			if value := goVariant(&v); value != nil {
				list = append(list, ParamOverride{C.GoString(nodes[i]), C.GoString(names[j]), value})
			}
		}
	}
	return list
}

// goVariant copies the one value that v holds, nil for none.
func goVariant(v *C.rcl_variant_t) any {
	switch {
	case v.bool_value != nil:
		return bool(*v.bool_value)
	case v.integer_value != nil:
		return int64(*v.integer_value)
	case v.double_value != nil:
		return float64(*v.double_value)
	case v.string_value != nil:
		return C.GoString(v.string_value)
	case v.byte_array_value != nil:
		return C.GoBytes(unsafe.Pointer(v.byte_array_value.values), C.int(v.byte_array_value.size))
	case v.bool_array_value != nil:
		return goList(v.bool_array_value.values, v.bool_array_value.size, func(b C.bool) bool { return bool(b) })
	case v.integer_array_value != nil:
		return goList(v.integer_array_value.values, v.integer_array_value.size,
			func(i C.int64_t) int64 { return int64(i) })
	case v.double_array_value != nil:
		return goList(v.double_array_value.values, v.double_array_value.size,
			func(d C.double) float64 { return float64(d) })
	case v.string_array_value != nil:
		return goList(v.string_array_value.data, v.string_array_value.size,
			func(s *C.char) string { return C.GoString(s) })
	}
	return nil
}

func goList[From, To any](p *From, n C.size_t, convert func(From) To) []To {
	out := make([]To, 0, n)
	for _, v := range unsafe.Slice(p, n) {
		out = append(out, convert(v))
	}
	return out
}
