package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// portable returns a program for ROS 2 without what ties it to the machine on which it was built: the paths of its
// libraries, and the middleware. It then runs wherever its distribution is sourced, with the middleware that librcl of
// that installation brings: librcl is linked with either the chooser of ROS 2 or the one middleware that there is.
func portable(program []byte) ([]byte, error) {
	f, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		return nil, fmt.Errorf("this is no program: %w", err)
	}
	dynamic, names, symbols := f.Section(".dynamic"), f.Section(".dynstr"), f.Section(".dynsym")
	if f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB || dynamic == nil || names == nil || symbols == nil {
		return nil, errors.New("this is no program with libraries for a processor of 64 bits")
	}
	out := slices.Clone(program)
	table := out[dynamic.Offset : dynamic.Offset+dynamic.Size]
	text := out[names.Offset : names.Offset+names.Size]
	kept, paths := []byte{}, [][2]uint64{}
	for at := 0; at+16 <= len(table); at += 16 {
		tag := elf.DynTag(binary.LittleEndian.Uint64(table[at:]))
		value := binary.LittleEndian.Uint64(table[at+8:])
		switch {
		case tag == elf.DT_RPATH, tag == elf.DT_RUNPATH:
			paths = append(paths, [2]uint64{value, value + uint64(len(stringAt(text, value)))})
			continue
		case tag == elf.DT_NEEDED && isMiddleware(stringAt(text, value)):
			continue
		}
		kept = append(kept, table[at:at+16]...)
	}
	clear(table[copy(table, kept):])
	// The linker lets names share their ends. A path that a symbol shares stays, and means nothing.
	for _, p := range paths {
		if !named(out[symbols.Offset:symbols.Offset+symbols.Size], p) {
			clear(text[p[0]:p[1]])
		}
	}
	return out, nil
}

// isMiddleware reports whether a library is one of the middlewares of ROS 2, and not the chooser between them.
func isMiddleware(library string) bool {
	return strings.HasPrefix(library, "librmw_") && strings.HasSuffix(library, "_cpp.so")
}

func stringAt(text []byte, at uint64) string {
	if at >= uint64(len(text)) {
		return ""
	}
	name, _, _ := bytes.Cut(text[at:], []byte{0})
	return string(name)
}

// named reports whether the name of a symbol begins in the range.
func named(symbols []byte, within [2]uint64) bool {
	const size = 24
	for at := 0; at+size <= len(symbols); at += size {
		name := uint64(binary.LittleEndian.Uint32(symbols[at:]))
		if name >= within[0] && name < within[1] {
			return true
		}
	}
	return false
}

// glibc returns the newest release 2.x of the C library of which the programs and libraries of a tree use a symbol; 0 if
// they use none.
func glibc(t tree) (newest int) {
	for _, e := range t {
		f, err := elf.NewFile(bytes.NewReader(e.data))
		if err != nil {
			continue // no program and no library
		}
		symbols, err := f.ImportedSymbols()
		if err != nil {
			continue // it has no libraries
		}
		for _, s := range symbols {
			if minor, ok := strings.CutPrefix(s.Version, "GLIBC_2."); ok {
				minor, _, _ = strings.Cut(minor, ".")
				if n, err := strconv.Atoi(minor); err == nil {
					newest = max(newest, n)
				}
			}
		}
	}
	return newest
}
