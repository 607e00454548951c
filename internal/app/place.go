package app

import (
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// place is where a participant of this host listens for discovery.
type place struct {
	Port    int    `json:"port,omitempty"`    // UDP, on the loopback interface too; 0: unknown
	Network string `json:"network,omitempty"` // the network namespace
}

// The ports of RTPS discovery: a block of portsPerDomain for each domain; in it, two for each participant.
const (
	firstPort, portsPerDomain = 7410, 250
	portsPerParticipant       = 2
	participantsPerDomain     = 120
)

// here returns the network namespace of this process.
func here() string {
	name, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return ""
	}
	return name
}

// ownPlace returns where the first participant of this process listens. Its Port is 0 where that is not known.
func ownPlace(domain uint) place {
	table, err := os.ReadFile("/proc/self/net/udp")
	if err != nil {
		return place{}
	}
	return place{discoveryPortOf(string(table), ownSockets(), domain), here()}
}

// ownSockets returns the inodes of the sockets of this process.
func ownSockets() map[string]bool {
	inodes := map[string]bool{}
	const folder = "/proc/self/fd/"
	entries, _ := os.ReadDir(folder) // without entries no socket is ours
	for _, e := range entries {
		if to, err := os.Readlink(folder + e.Name()); err == nil {
			if inode, ok := strings.CutPrefix(to, "socket:["); ok {
				inodes[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	return inodes
}

// discoveryPortOf returns the lowest discovery port of a domain that one of the sockets is bound to. The socket must
// receive what is sent to 127.0.0.1. table is in the format of /proc/net/udp.
func discoveryPortOf(table string, inodes map[string]bool, domain uint) (port int) {
	first := firstPort + portsPerDomain*int(domain)
	for line := range strings.Lines(table) {
		// 4711: 00000000:1CF2 00000000:0000 07 00000000:00000000 00:00000000 00000000  1000  0  81234 2 …
		fields := strings.Fields(line)
		if len(fields) < 10 || !inodes[fields[9]] {
			continue
		}
		address, number, ok := strings.Cut(fields[1], ":")
		if raw, err := hex.DecodeString(address); !ok || err != nil || len(raw) != 4 || address != anyAddress && raw[3] != 127 && raw[0] != 127 {
			continue
		}
		n, err := strconv.ParseUint(number, 16, 16)
		if err != nil {
			continue
		}
		at := int(n) - first
		if at >= 0 && at < portsPerParticipant*participantsPerDomain && at%portsPerParticipant == 0 && (port == 0 || int(n) < port) {
			port = int(n)
		}
	}
	return port
}

const anyAddress = "00000000"

// isNear reports whether this process reaches that place over the loopback interface.
func (p place) isNear() bool { return p.Port > 0 && p.Network != "" && p.Network == here() }

// writePlace adds to the lock file of a name, which this process holds, where it listens.
func writePlace(name string, domain uint, at place) error {
	folder, err := lockFolder()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(lockFile(folder, name, domain), os.O_RDWR|openNoFollow, 0)
	if err != nil {
		return fmt.Errorf("cannot write where %q listens: %w", name, err)
	}
	defer f.Close()
	by := readHolder(f)
	by.place = at
	return by.write(f)
}
