package rcl

// Exceptions of C++ pass through the functions of fastcdr.c, and the loader must see them.

// #cgo CFLAGS: -fexceptions
// #cgo LDFLAGS: -rdynamic -ldl
import "C"
