package procs

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Participant identifies a participant of the graph: the first bytes of its GIDs.
type Participant [12]byte

// The layout of a Fast DDS GID.
var vendor = [2]byte{0x01, 0x0f}

// mark is the host's identity and the low 16 bits of the process id.
type mark [4]byte

func (p Participant) mark() mark { return mark(p[2:6]) }

func (p Participant) fastDDS() bool { return [2]byte(p[:2]) == vendor }

// on reports whether the participant's host is that of another one.
func (p Participant) on(host Participant) bool {
	return p.fastDDS() && host.fastDDS() && [2]byte(p[2:4]) == [2]byte(host[2:4])
}

// pid returns the low 16 bits of the process id.
func (p Participant) pid() uint16 { return uint16(p[4]) | uint16(p[5])<<8 }

// Own reports whether a participant of this process shows its process id, as those of Fast DDS do.
func Own(p Participant, pid int) bool { return p.fastDDS() && p.pid() == uint16(pid) }

// Alone reports whether no other of the participants has the host and the process id of p, as far as their GIDs tell.
func Alone(p Participant, all []Participant) bool {
	return !slices.ContainsFunc(all, func(o Participant) bool { return o != p && o.mark() == p.mark() })
}

// host is a /proc to look at, for one domain.
type host struct {
	root   string
	domain uint
}

// identity is what makes a process that one and no other: process ids are used again.
type identity struct {
	pid     int    // in the process id namespace of this process
	started string // in ticks since the boot
}

// candidates lists, for each of the low halves of process ids that are wanted, the processes that have it as their own.
func (h host) candidates(wanted map[uint16]bool) map[uint16][]int {
	found := map[uint16][]int{}
	entries, _ := os.ReadDir(h.root)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if own, ok := h.ownPID(pid); ok && wanted[uint16(own)] {
			found[uint16(own)] = append(found[uint16(own)], pid)
		}
	}
	return found
}

// ownPID returns the process id that a process sees itself. Threads of the kernel and processes that have ended have
// none.
func (h host) ownPID(pid int) (own int, ok bool) {
	text, err := os.ReadFile(h.file(pid, "status"))
	if err != nil {
		return 0, false
	}
	lives := false
	for line := range strings.Lines(string(text)) {
		switch key, value, _ := strings.Cut(line, ":"); key {
		case "NSpid":
			if ids := strings.Fields(value); len(ids) > 0 {
				own, err = strconv.Atoi(ids[len(ids)-1])
				ok = err == nil
			}
		case "VmSize":
			lives = true
		}
	}
	return own, ok && lives
}

// verdict is what a look at a process says.
type verdict uint8

const (
	other   verdict = iota // it is no participant of the domain
	unknown                // it cannot be looked at
	matches                // it has all that the process of a participant has
)

// look looks at a process whose own id, in its low half, is that of a participant.
func (h host) look(pid int, low uint16) (identity, verdict) {
	id := identity{pid: pid}
	if own, ok := h.ownPID(pid); !ok || uint16(own) != low {
		return id, other
	}
	stat, err := os.ReadFile(h.file(pid, "stat"))
	if err != nil {
		return id, unknown
	}
	if id.started = startOf(string(stat)); id.started == "" {
		return id, unknown
	}
	network, err := os.Readlink(h.file(pid, "ns/net"))
	if err != nil {
		return id, unknown
	}
	if ours, err := os.Readlink(filepath.Join(h.root, "self/ns/net")); err != nil || network != ours {
		return id, other
	}
	inodes, err := Sockets(h.file(pid, ""))
	if err != nil {
		return id, unknown
	}
	maps, err := os.ReadFile(h.file(pid, "maps"))
	if err != nil {
		return id, unknown
	}
	if !mapsFastDDS(string(maps)) || !h.listens(inodes) {
		return id, other
	}
	return id, matches
}

// listens reports whether one of the sockets is a UDP socket of the domain.
func (h host) listens(inodes map[string]bool) bool {
	table, err := os.ReadFile(filepath.Join(h.root, "self/net/udp"))
	return err == nil && slices.ContainsFunc(UDP(string(table), inodes),
		func(s Socket) bool { return ofDomain(s.Port, h.domain) })
}

// startOf returns when a process started, from its stat: the 22nd field. The second one may hold anything in
// parentheses.
func startOf(stat string) string {
	_, rest, _ := cutLast(stat, ")")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return ""
	}
	return fields[19]
}

func cutLast(s, sep string) (before, after string, found bool) {
	if k := strings.LastIndex(s, sep); k >= 0 {
		return s[:k], s[k+len(sep):], true
	}
	return s, "", false
}

// mapsFastDDS reports whether a process has the library mapped, whose name depends on its version.
func mapsFastDDS(maps string) bool {
	return strings.Contains(maps, "libfastdds") || strings.Contains(maps, "libfastrtps")
}

func (h host) file(pid int, name string) string {
	return filepath.Join(h.root, strconv.Itoa(pid), name)
}

// find returns the process of a participant among the candidates; ok is false where there is none or it is not certain.
func (h host) find(p Participant, candidates []int) (found identity, ok bool) {
	for _, pid := range candidates {
		switch id, v := h.look(pid, p.pid()); {
		case v == unknown, v == matches && ok:
			return identity{}, false
		case v == matches:
			found, ok = id, true
		}
	}
	return found, ok
}
