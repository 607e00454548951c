package host

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"rstate/internal/procs"
)

// TestF9PlaceOfAParticipant: the discovery port is the lowest of the domain's ports that belongs to
// this process and receives on the loopback interface.
func TestF9PlaceOfAParticipant(t *testing.T) {
	const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n"
	line := func(address string, port int, inode string) string {
		return "  9: " + address + ":" + strconv.FormatInt(int64(port), 16) +
			" 00000000:0000 07 00000000:00000000 00:00000000 00000000  0  0 " + inode + " 2 0 0\n"
	}
	for name, tc := range map[string]struct {
		table string
		want  int
	}{
		"it alone":             {line("00000000", 8660, "1"), 8660},
		"on the loopback":      {line("0100007F", 8660, "1"), 8660},
		"the lowest":           {line("00000000", 8664, "2") + line("00000000", 8662, "1"), 8662},
		"another's":            {line("00000000", 8660, "3"), 0},
		"on another interface": {line("0200C0C0", 8660, "1"), 0},
		"of user data":         {line("00000000", 8661, "1"), 0},
		"multicast":            {line("00000000", 8650, "1"), 0},
		"of the next domain":   {line("00000000", 8910, "1"), 0},
		"of none":              {line("00000000", 40000, "1"), 0},
		"a broken table":       {"9: x 1 2 3 4 5 6 7 1\n9: zz:1 0 0 0 0 0 0 0 1\n", 0},
	} {
		if got := discoveryPortOf(head+tc.table, map[string]bool{"1": true, "2": true}, 5); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}

// TestF9PlaceIsWrittenForClients: the holder of the name writes its own address, which only clients in
// the same network use. A socket that it has inherited is not its own.
func TestF9PlaceIsWrittenForClients(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	const domain = 99 // its ports are below the kernel's ephemeral ports
	port := procs.FirstPort(domain) + portsPerParticipant*100
	left, err := net.ListenUDP("udp4", &net.UDPAddr{Port: port - portsPerParticipant})
	if err != nil {
		t.Fatalf("port %d is taken: %v", port-portsPerParticipant, err)
	}
	defer left.Close()
	before := OpenSockets() // as those of a launch file that has a ROS node
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{Port: port})
	if err != nil {
		t.Fatalf("port %d is taken: %v", port, err)
	}
	defer conn.Close()
	unlock, err := LockName("/rstate", domain, "robot.yaml", "run 1")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if by, _, _ := WhoHolds("/rstate", domain); by.IsNear() {
		t.Errorf("before the address is written: %+v", by)
	}
	if err := WritePlace("/rstate", domain, "other.yaml", "", OwnPlace(domain, before)); err != nil {
		t.Fatal(err)
	}
	by, has, err := WhoHolds("/rstate", domain)
	if err != nil || !has || by.PID != os.Getpid() || by.Run != "run 1" || by.Port != port || !by.IsNear() {
		t.Errorf("%+v, held %v, %v", by, has, err)
	}
	if filepath.Base(by.File) != "other.yaml" || !filepath.IsAbs(by.File) {
		t.Errorf("the holder runs %q, want the file that a parameter names", by.File)
	}
	if by.Network = "net:[1]"; by.IsNear() {
		t.Error("a place in another network is near")
	}
}
