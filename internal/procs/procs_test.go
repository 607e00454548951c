package procs

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const domain = 42

// made is a fake process.
type made struct {
	pid     int
	own     string // NSpid, innermost last; empty: pid
	network string // empty: ours
	port    int    // of its UDP socket; 0: the first of the domain; -1: it has none
	maps    string // empty: Fast DDS of Kilted
	started string
	kernel  bool // a thread of the kernel, or a zombie
	locked  bool // its open files and maps cannot be read
}

// tree makes a folder that looks like /proc.
func tree(t *testing.T, processes ...made) string {
	t.Helper()
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(name, to string) {
		t.Helper()
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, file); err != nil {
			t.Fatal(err)
		}
	}
	write("uptime", "1 1\n")
	link("self/ns/net", "net:[1]")
	var table strings.Builder
	for k, p := range processes {
		folder := strconv.Itoa(p.pid)
		own, inode := p.own, strconv.Itoa(1000+k)
		if own == "" {
			own = strconv.Itoa(p.pid)
		}
		status := "Name:\tx\nNSpid:\t" + own + "\n"
		if !p.kernel {
			status += "VmSize:\t 100 kB\n"
		}
		write(folder+"/status", status)
		write(folder+"/stat", fmt.Sprintf("%d (a ) b) S 1 1 1 0 -1 4194304 100 0 0 0 1 1 0 0 20 0 9 0 %s 1 1\n", p.pid,
			"7"+p.started))
		if p.locked {
			continue
		}
		network, maps, port := p.network, p.maps, p.port
		if network == "" {
			network = "net:[1]"
		}
		if maps == "" {
			maps = "7f00 r-xp /opt/ros/lib/libfastdds.so.3.2\n"
		}
		link(folder+"/ns/net", network)
		write(folder+"/maps", maps)
		link(folder+"/fd/0", "/dev/null")
		link(folder+"/fd/7", "socket:["+inode+"]")
		if port == 0 {
			port = FirstPort(domain)
		}
		if port > 0 {
			fmt.Fprintf(&table, "  9: 00000000:%04X 00000000:0000 07 00000000:00000000 00:00000000 00000000  0  0 %s 2 0 0\n", port, inode)
		}
	}
	write("self/net/udp", table.String())
	return root
}

// of returns the participant of a process on this host.
func of(pid int, more ...byte) Participant {
	p := Participant{0x01, 0x0f, 0xaa, 0xbb, byte(pid), byte(pid >> 8), 1, 2}
	copy(p[6:], more)
	return p
}

// TestS4ProcessOfAParticipant: a process belongs to a participant only if all evidence agrees.
func TestS4ProcessOfAParticipant(t *testing.T) {
	const pid = 4711
	elsewhere := of(pid)
	elsewhere[2]++
	another := of(pid)
	another[0], another[1] = 0x01, 0x10
	fits := made{pid: pid}
	for name, c := range map[string]struct {
		processes   []made
		participant Participant
		want        int // 0: none
	}{
		"it": {[]made{{pid: 1}, fits, {pid: 4712}}, of(pid), pid},
		"of Jazzy": {[]made{{pid: pid, maps: "7f00 r-xp /x/libfastrtps.so.2.14\n"}},
			of(pid), pid},
		"above 65535":                    {[]made{{pid: 65536 + pid}}, of(pid), 65536 + pid},
		"beside one with equal low bits": {[]made{fits, {pid: 65536 + pid}}, of(pid), 0},
		"beside one that is no ROS process": {[]made{fits, {pid: 65536 + pid, maps: "7f00 /bin/bash\n", port: -1}},
			of(pid), pid},
		"beside one that cannot be looked at": {[]made{fits, {pid: 65536 + pid, locked: true}}, of(pid), 0},
		"beside a thread of the kernel": {[]made{fits, {pid: 65536 + pid, locked: true, kernel: true}}, of(pid),
			pid},
		"in a container with our network":      {[]made{{pid: 99, own: "99 4711"}}, of(pid), 99},
		"in a nested container":                {[]made{{pid: 99, own: "99 12 4711"}}, of(pid), 99},
		"its number is only ours, not its own": {[]made{{pid: pid, own: "4711 7"}}, of(pid), 0},
		"in a container of another network":    {[]made{{pid: 99, own: "99 4711", network: "net:[2]"}}, of(pid), 0},
		"of two containers, one is near": {[]made{{pid: 99, own: "99 4711", network: "net:[2]"},
			{pid: 98, own: "98 4711"}}, of(pid), 98},
		"of another user":         {[]made{{pid: pid, locked: true}}, of(pid), 0},
		"of another domain":       {[]made{{pid: pid, port: FirstPort(domain + 1)}}, of(pid), 0},
		"of the domain before":    {[]made{{pid: pid, port: FirstPort(domain-1) + 200}}, of(pid), 0},
		"without a UDP socket":    {[]made{{pid: pid, port: -1}}, of(pid), 0},
		"with another middleware": {[]made{{pid: pid, maps: "7f00 /x/libddsc.so\n"}}, of(pid), 0},
		"it has ended":            {[]made{{pid: pid, kernel: true}}, of(pid), 0},
		"there is none":           {[]made{{pid: 4712}}, of(pid), 0},
		"of another host":         {[]made{fits}, elsewhere, 0},
		"of another vendor":       {[]made{fits}, another, 0},
	} {
		t.Run(name, func(t *testing.T) {
			opened := 0
			w := New(Options{Root: tree(t, c.processes...), Domain: domain, Host: of(1)})
			w.open = func(pid int) (*os.File, error) { opened = pid; return nil, os.ErrPermission }
			w.Look([]Participant{of(1), c.participant, of(4713)}, []Participant{c.participant})
			looked(t, w)
			w.Close()
			if opened != c.want {
				t.Errorf("process %d is held, want %d", opened, c.want)
			}
		})
	}
}

// TestS4ParticipantsThatLookAlike: two participants with the same host and process id cannot be
// assigned to processes.
func TestS4ParticipantsThatLookAlike(t *testing.T) {
	opened := 0
	w := New(Options{Root: tree(t, made{pid: 7}), Domain: domain, Host: of(1)})
	w.open = func(pid int) (*os.File, error) { opened = pid; return nil, os.ErrPermission }
	w.Look([]Participant{of(1), of(7), of(7, 9, 9)}, []Participant{of(7), of(7, 9, 9)})
	looked(t, w)
	w.Close()
	if opened != 0 {
		t.Errorf("process %d is held", opened)
	}
}

// TestS4ProcessIsLookedAtAgain: between the look and the pidfd a process may end, and another may
// get its id.
func TestS4ProcessIsLookedAtAgain(t *testing.T) {
	root := tree(t, made{pid: 7, started: "1"})
	next := tree(t, made{pid: 7, started: "2"})
	child := sleeper(t)
	w := New(Options{Root: root, Domain: domain, Host: of(1),
		Ended: func(Participant) { t.Error("the end of another process is reported") }})
	w.open = func(int) (*os.File, error) {
		if err := os.Rename(root, root+".old"); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, root); err != nil {
			t.Fatal(err)
		}
		return holdProcess(child.Process.Pid)
	}
	w.Look([]Participant{of(1), of(7)}, []Participant{of(7)})
	looked(t, w)
	end(t, child)
	time.Sleep(50 * time.Millisecond) // a wrong report would come now
	w.Close()
}

// TestS4EndBeforeTheHold: the end of a process right after its discovery is reported, whether it
// can still be opened or not. A living process that no longer matches its participant is not
// reported.
func TestS4EndBeforeTheHold(t *testing.T) {
	for _, r := range []struct {
		name        string
		ends, opens bool
		want        int
	}{
		{"before it is opened", true, false, 1},
		{"while it is opened", true, true, 1},
		{"later", false, true, 0},
	} {
		t.Run(r.name, func(t *testing.T) {
			child := sleeper(t)
			p := of(child.Process.Pid)
			root := tree(t, made{pid: child.Process.Pid})
			told := make(chan Participant, 2)
			w := New(Options{Root: root, Domain: domain, Host: of(1), Ended: func(p Participant) { told <- p }})
			w.open = func(pid int) (*os.File, error) {
				if !r.opens {
					end(t, child)
				}
				f, err := holdProcess(pid)
				if err := os.RemoveAll(filepath.Join(root, strconv.Itoa(pid))); err != nil {
					t.Fatal(err)
				}
				return f, err
			}
			w.Look([]Participant{of(1), p}, []Participant{p})
			looked(t, w)
			if r.opens && r.ends {
				end(t, child)
			}
			w.looked.Wait()
			w.Look([]Participant{of(1), p}, []Participant{p})
			looked(t, w)
			if r.opens && !r.ends {
				end(t, child)
			}
			w.Close()
			if len(told) != r.want {
				t.Errorf("the end is reported %d times, want %d", len(told), r.want)
			}
		})
	}
}

// TestS4ScansAreFew: one scan looks for all participants, and there are only a few scans.
func TestS4ScansAreFew(t *testing.T) {
	graph := []Participant{of(1)}
	for k := range 200 {
		graph = append(graph, of(1000+k))
	}
	w := New(Options{Root: tree(t, made{pid: 5}), Domain: domain, Host: of(1)})
	for range 20 {
		w.Look(graph, graph[1:])
		looked(t, w)
	}
	w.Close()
	if w.scans != triesMost {
		t.Errorf("%d scans, want %d", w.scans, triesMost)
	}
}

// TestS4EndIsTold uses the real /proc, a real process and a real pidfd. The end is reported once; a
// suspended or released process is not reported.
func TestS4EndIsTold(t *testing.T) {
	if _, err := holdProcess(os.Getpid()); err != nil {
		t.Skipf("this kernel has no pidfd: %v", err)
	}
	killed, stopped, left := sleeper(t), sleeper(t), sleeper(t)
	var root string
	{
		var list []made
		for _, c := range []*exec.Cmd{killed, stopped, left} {
			list = append(list, made{pid: c.Process.Pid})
		}
		root = tree(t, list...)
	}
	var mu sync.Mutex
	var told []Participant
	w := New(Options{Root: root, Domain: domain, Host: of(1),
		Ended: func(p Participant) { mu.Lock(); defer mu.Unlock(); told = append(told, p) }})
	defer w.Close()
	ended := func() []Participant { mu.Lock(); defer mu.Unlock(); return slices.Clone(told) }
	holds := func(n int) func() bool {
		return func() bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			have := 0
			for _, h := range w.known {
				if h.file != nil {
					have++
				}
			}
			return have == n && !w.busy
		}
	}
	graph := []Participant{of(1), of(killed.Process.Pid), of(stopped.Process.Pid), of(left.Process.Pid)}
	w.Look(graph, graph[1:])
	eventually(t, "three processes are held", holds(3))
	w.Look(graph[:3], graph[1:3])
	eventually(t, "one is let go", holds(2))
	if err := stopped.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	end(t, left)
	end(t, killed)
	eventually(t, "the end is reported", func() bool { return len(ended()) > 0 })
	time.Sleep(50 * time.Millisecond) // a wrong report would come now
	if got := ended(); len(got) != 1 || got[0] != graph[1] {
		t.Errorf("told: %x, want %x", got, graph[1])
	}
}

// TestS4TheRealProc: the kernel's files about this process are read correctly.
func TestS4TheRealProc(t *testing.T) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	port := conn.LocalAddr().(*net.UDPAddr).Port
	h := host{"/proc", uint(max(0, port-firstPort+blockBegins)) / portsPerDomain}
	inodes, err := Sockets("/proc/self")
	if err != nil {
		t.Fatal(err)
	}
	if !h.listens(inodes) {
		t.Errorf("port %d is not found in domain %d", port, h.domain)
	}
	own, ok := h.ownPID(os.Getpid())
	if found := h.candidates(map[uint16]bool{uint16(own): true}); !ok ||
		!slices.Contains(found[uint16(own)], os.Getpid()) {
		t.Errorf("this process, %d, is not among %v", os.Getpid(), found)
	}
	if _, v := h.look(os.Getpid(), uint16(own)); v != other { // it has no Fast DDS
		t.Errorf("this process counts as a participant's: %v", v)
	}
	if own, ok := h.ownPID(2); ok && os.Getpid() != own && isKernelThread(2) {
		t.Error("a thread of the kernel counts as a process")
	}
}

func isKernelThread(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && len(text) == 0
}

func sleeper(t *testing.T) *exec.Cmd {
	t.Helper()
	c := exec.Command("sleep", "600")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	return c
}

// end ends a process and collects it.
func end(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
}

// looked waits until a scan is over.
func looked(t *testing.T, w *Watch) {
	t.Helper()
	eventually(t, "the look is over", func() bool { w.mu.Lock(); defer w.mu.Unlock(); return !w.busy })
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 1000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s: not within 10 s", what)
}
