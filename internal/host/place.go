package host

import (
	"fmt"
	"maps"
	"os"

	"rstate/internal/procs"
)

// Place is where a participant of this host listens for discovery.
type Place struct {
	Port    int    `json:"port,omitempty"`    // UDP, on the loopback interface too; 0: unknown
	Network string `json:"network,omitempty"` // the network namespace
}

// The ports of discovery in a domain's block: two for each participant.
const (
	portsPerParticipant   = 2
	participantsPerDomain = 120
)

// Here returns the network namespace of this process.
func Here() string {
	name, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return ""
	}
	return name
}

// Sockets are sockets of this process, by their inodes; nil: not known.
type Sockets map[string]bool

// OpenSockets returns the sockets that this process has open.
func OpenSockets() Sockets {
	inodes, err := procs.Sockets("/proc/self")
	if err != nil {
		return nil
	}
	return inodes
}

// OwnPlace returns where a participant of this process listens. Its Port is 0 where that is not known.
// before are the sockets that were open before the participant was made. Another process may have
// left its own open for this one: a launch file with a ROS node does.
func OwnPlace(domain uint, before Sockets) Place {
	table, err := os.ReadFile("/proc/self/net/udp")
	if err != nil || before == nil {
		return Place{}
	}
	own := OpenSockets()
	maps.DeleteFunc(own, func(inode string, _ bool) bool { return before[inode] })
	return Place{discoveryPortOf(string(table), own, domain), Here()}
}

// discoveryPortOf returns the lowest discovery port of a domain that one of the sockets is bound
// to. The socket must receive what is sent to 127.0.0.1. table is in the format of /proc/net/udp.
func discoveryPortOf(table string, inodes map[string]bool, domain uint) (port int) {
	for _, s := range procs.UDP(table, inodes) {
		if s.Address != [4]byte{} && s.Address[0] != 127 && s.Address[3] != 127 {
			continue
		}
		at := s.Port - procs.FirstPort(domain)
		if at >= 0 && at < portsPerParticipant*participantsPerDomain && at%portsPerParticipant == 0 &&
			(port == 0 || s.Port < port) {
			port = s.Port
		}
	}
	return port
}

// IsNear reports whether this process reaches that place over the loopback interface.
func (p Place) IsNear() bool { return p.Port > 0 && p.Network != "" && p.Network == Here() }

// WritePlace adds to the lock file of a name, which this process holds, where it listens, which network file it runs
// and where its journal is: parameters may have named them after the name was locked.
func WritePlace(name string, domain uint, file, journal string, at Place) error {
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
	by.File, by.Journal, by.Place = Whole(file), Whole(journal), at
	return by.write(f)
}
