package gather

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"rstate/internal/doctor"
)

// Host fills in what can be known without ROS. It takes less than a second.
func Host(f *doctor.Facts) {
	f.Env = pick(os.Environ())
	for _, name := range []string{"FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE"} {
		if file := f.Env[name]; file != "" {
			if _, err := os.Stat(file); err != nil {
				f.Missing = append(f.Missing, name)
			}
		}
	}
	f.Host = host()
	f.Elsewhere = processes()
}

// pick takes the doctor's variables, and no other, out of an environment.
func pick(environment []string) map[string]string {
	found := map[string]string{}
	for _, line := range environment {
		if name, value, ok := strings.Cut(line, "="); ok && slices.Contains(doctor.Variables, name) {
			found[name] = value
		}
	}
	return found
}

func host() doctor.Host {
	h := doctor.Host{Loopback: comesBack(net.IPv4(127, 0, 0, 1), nil), Shared: -1}
	var shm syscall.Statfs_t
	if syscall.Statfs("/dev/shm", &shm) == nil {
		h.Shared = int64(shm.Bavail) * shm.Bsize
	}
	links, err := net.Interfaces()
	if err != nil {
		return h
	}
	links = slices.DeleteFunc(links, func(l net.Interface) bool { return l.Flags&net.FlagUp == 0 })
	h.Links = make([]doctor.Link, len(links))
	var all sync.WaitGroup
	for i, l := range links {
		all.Go(func() {
			h.Links[i] = doctor.Link{Name: l.Name, Loopback: l.Flags&net.FlagLoopback != 0}
			h.Links[i].Multicast = l.Flags&net.FlagMulticast != 0 && comesBack(group, &l)
		})
	}
	all.Wait()
	return h
}

// group is where participants of ROS announce themselves. The test has a port of its own.
var group = net.IPv4(239, 255, 0, 1)

// patience is how long a datagram may take to the same machine.
const patience = 300 * time.Millisecond

// comesBack sends a datagram to an address, over an interface where one is given, and waits for it.
func comesBack(to net.IP, over *net.Interface) bool {
	var in *net.UDPConn
	var err error
	if over == nil {
		in, err = net.ListenUDP("udp4", &net.UDPAddr{IP: to})
	} else {
		in, err = net.ListenMulticastUDP("udp4", over, &net.UDPAddr{IP: to})
	}
	if err != nil {
		return false
	}
	defer in.Close()
	out, err := net.ListenUDP("udp4", nil)
	if err != nil {
		return false
	}
	defer out.Close()
	if over != nil && sendOver(out, over) != nil {
		return false
	}
	word := []byte("rstate doctor")
	if _, err := out.WriteToUDP(word, &net.UDPAddr{IP: to, Port: in.LocalAddr().(*net.UDPAddr).Port}); err != nil {
		return false
	}
	_ = in.SetReadDeadline(time.Now().Add(patience)) // never fails on an open socket
	heard := make([]byte, len(word))
	n, _, err := in.ReadFromUDP(heard)
	return err == nil && string(heard[:n]) == string(word)
}

// sendOver makes multicast of a socket leave by one interface.
func sendOver(out *net.UDPConn, over *net.Interface) error {
	raw, err := out.SyscallConn()
	if err != nil {
		return err
	}
	var set error
	err = raw.Control(func(fd uintptr) {
		set = syscall.SetsockoptIPMreqn(int(fd), syscall.IPPROTO_IP, syscall.IP_MULTICAST_IF,
			&syscall.IPMreqn{Ifindex: int32(over.Index)})
	})
	if err != nil {
		return err
	}
	return set
}

// processes lists those of this user that have loaded ROS, without this one. Of their environment only the doctor's
// variables are kept.
func processes() []doctor.Process {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var found []doctor.Process
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if pid == os.Getpid() {
			continue
		}
		maps, err := os.ReadFile(dir + "/maps") // fails for those of others, and for one that has ended
		if err != nil || !strings.Contains(string(maps), "/librcl.so") {
			continue
		}
		environment, err := os.ReadFile(dir + "/environ")
		if err != nil {
			continue
		}
		found = append(found, doctor.Process{PID: pid, Command: command(dir),
			Env: pick(strings.Split(string(environment), "\x00")), Stopped: stopped(dir)})
	}
	return found
}

// stopped says whether a process stands still. Its state is the first word after its name, which is in brackets.
func stopped(dir string) bool {
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return false
	}
	after := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	return len(after) > 0 && strings.ToUpper(after[0]) == "T"
}

// longest is how much of a command line is shown.
const longest = 60

// command is a command line in short: the program, and what it was told to run.
func command(dir string) string {
	text, err := os.ReadFile(dir + "/cmdline")
	if err != nil {
		return "?"
	}
	words := strings.Fields(strings.ReplaceAll(string(text), "\x00", " "))
	for i, w := range words {
		if strings.HasPrefix(w, "/") {
			words[i] = filepath.Base(w)
		}
	}
	line := []rune(strings.Join(words, " "))
	if len(line) > longest {
		line = append(line[:longest-1], '…')
	}
	return string(line)
}
