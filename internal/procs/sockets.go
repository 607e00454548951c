package procs

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The ports of RTPS: each domain has a block of portsPerDomain, from firstPort on.
const (
	firstPort      = 7410
	portsPerDomain = 250
	blockBegins    = 10 // so much before firstPort, with the ports of multicast
)

// FirstPort returns the discovery port of the first participant of a domain.
func FirstPort(domain uint) int { return firstPort + portsPerDomain*int(domain) }

// Socket is a UDP socket as the kernel lists it.
type Socket struct {
	Address [4]byte // in the order of the address as it is written
	Port    int
	Inode   string
}

// Sockets returns the inodes of the sockets of a process, given its folder in /proc. It fails if the open files of the
// process cannot be read.
func Sockets(process string) (map[string]bool, error) {
	folder := filepath.Join(process, "fd")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	inodes := map[string]bool{}
	for _, e := range entries {
		if to, err := os.Readlink(filepath.Join(folder, e.Name())); err == nil {
			if inode, ok := strings.CutPrefix(to, "socket:["); ok {
				inodes[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	return inodes, nil
}

// UDP returns those sockets of a table in the format of /proc/net/udp that have one of the inodes.
func UDP(table string, inodes map[string]bool) (list []Socket) {
	for line := range strings.Lines(table) {
		// 4711: 00000000:1CF2 00000000:0000 07 00000000:00000000 00:00000000 00000000  1000  0  81234 2 …
		fields := strings.Fields(line)
		if len(fields) < 10 || !inodes[fields[9]] {
			continue
		}
		address, number, ok := strings.Cut(fields[1], ":")
		raw, err := hex.DecodeString(address)
		port, portErr := strconv.ParseUint(number, 16, 16)
		if !ok || err != nil || portErr != nil || len(raw) != 4 {
			continue
		}
		list = append(list, Socket{[4]byte{raw[3], raw[2], raw[1], raw[0]}, int(port), fields[9]})
	}
	return list
}

// ofDomain reports whether a port belongs to a ROS domain.
func ofDomain(port int, domain uint) bool {
	at := port - (FirstPort(domain) - blockBegins)
	return at >= 0 && at < portsPerDomain
}
