package host

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rstate/internal/journal"
)

// Holder describes the process that holds a name on this host. The locked file contains it, for
// people to read.
type Holder struct {
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
	File  string    `json:"file"` // of the network; empty: a parameter says which
	Run   string    `json:"run"`  // the instance id

	Journal string `json:"journal,omitempty"` // its folder; empty: not known
	Place
}

const openNoFollow = syscall.O_NOFOLLOW

// NameHeld is the error of a daemon whose name another one on this host has, in the same ROS
// domain.
type NameHeld struct {
	File, Name string
	Domain     uint
	by         Holder // zero where it has not said so yet
}

func (e *NameHeld) Error() string {
	who, end := "another process on this host", "it"
	if e.by.PID > 0 {
		end = fmt.Sprintf("it (kill %d)", e.by.PID)
		who = fmt.Sprintf("process %d on this host, which runs%s since %s,", e.by.PID, quoted(e.by.File),
			e.by.Since.Format(time.DateTime))
	}
	return fmt.Sprintf("cannot run%s: %s has the name %s in ROS domain %d; nothing was touched; end %s, or give this one another name with --ros-args -r __node:=NAME",
		quoted(e.File), who, e.Name, e.Domain, end)
}

// quoted is a file as a word of a sentence, nothing where there is none.
func quoted(file string) string {
	if file == "" {
		return ""
	}
	return fmt.Sprintf(" %q", file)
}

// LockName takes a name on this host for as long as this process lives, however it ends. A lock
// that cannot be made is an error that is no NameHeld; others of the name are then found over ROS
// only.
func LockName(name string, domain uint, file, run string) (unlock func() error, err error) {
	folder, err := lockFolder()
	if err != nil {
		return nil, err
	}
	// The file stays when the lock is gone: removing it would let two daemons hold locks of the same name.
	lock := lockFile(folder, name, domain)
	f, err := os.OpenFile(lock, os.O_RDWR|os.O_CREATE|openNoFollow, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot lock the name %q: %w", name, err)
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		defer f.Close()
		return nil, &NameHeld{File: file, Name: name, Domain: domain, by: readHolder(f)}
	case err != nil:
		f.Close()
		return nil, fmt.Errorf("cannot lock %q: %w", lock, err)
	}
	if err := writeHolder(f, file, run); err != nil {
		f.Close()
		return nil, fmt.Errorf("cannot write %q: %w", lock, err)
	}
	return f.Close, nil
}

// ClaimName claims a name in this network namespace until this process ends. Unlike the lock, which
// only processes of one user see, the claim is independent of users and file systems. It returns
// nil if another process has claimed the name or the system does not allow a claim.
func ClaimName(name string, domain uint) io.Closer { return claim("rstate", name, domain) }

// ClaimNode claims, in the same way, that this instance and no other drives a node.
func ClaimNode(name string, domain uint) io.Closer { return claim("rstate-node", name, domain) }

func claim(what, name string, domain uint) io.Closer {
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: claimOf(what, name, domain), Net: "unixgram"})
	if err != nil {
		return nil
	}
	return socket
}

func claimOf(what, name string, domain uint) string {
	address := fmt.Sprintf("@%s/%d%s", what, domain, name)
	if len(address) > longestSocket {
		address = fmt.Sprintf("@%s/%d/%x", what, domain, sha256.Sum256([]byte(name)))
	}
	return address
}

// isClaimed reports whether a process of any user in this network namespace has claimed a name.
func isClaimed(name string, domain uint) bool {
	list, err := os.ReadFile("/proc/self/net/unix")
	return err == nil && strings.Contains(string(list)+"\n", " "+claimOf("rstate", name, domain)+"\n")
}

// longestSocket is how long the name of a socket may be.
const longestSocket = 107

// lockFolder returns a folder that only this user can write to. In a shared folder, another user
// could block the daemon's name.
func lockFolder() (string, error) {
	base, name := os.Getenv("XDG_RUNTIME_DIR"), "rstate"
	if base == "" {
		base, name = os.TempDir(), "rstate-"+strconv.Itoa(os.Getuid())
	}
	folder := filepath.Join(base, name)
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("cannot make a folder for locks: %w", err)
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return "", fmt.Errorf("cannot use a folder for locks: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || info.Mode().Perm()&0o022 != 0 || !ok || int(owner.Uid) != os.Getuid() {
		return "", fmt.Errorf("cannot use %q for locks: it is not a folder that only this user can write to; remove it, or set XDG_RUNTIME_DIR", folder)
	}
	return folder, nil
}

// lockFile is that of a name. A ROS name has no dots, so no two share one.
func lockFile(folder, name string, domain uint) string {
	return filepath.Join(folder, fmt.Sprintf("%d%s.lock", domain, strings.ReplaceAll(name, "/", ".")))
}

// WhoHolds returns the last process on this host to take a name, and whether it still has it. It
// looks the lock up in the kernel's list instead of trying it: holding the lock for a moment could
// make the start of a daemon fail. It returns an error if the holder cannot be known, for example
// because no process of this user has ever had the name here.
func WhoHolds(name string, domain uint) (by Holder, has bool, err error) {
	folder, err := lockFolder()
	if err != nil {
		return Holder{}, false, err
	}
	f, err := os.OpenFile(lockFile(folder, name, domain), os.O_RDONLY|openNoFollow, 0)
	if err != nil {
		return Holder{}, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Holder{}, false, err
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return Holder{}, false, err
	}
	file, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Holder{}, false, errors.ErrUnsupported
	}
	// 1: FLOCK  ADVISORY  WRITE 4711 00:2d:1234 0 EOF
	mark := fmt.Sprintf(":%d ", file.Ino)
	for line := range strings.Lines(string(locks)) {
		has = has || strings.Contains(line, " FLOCK ") && strings.Contains(line, mark)
	}
	return readHolder(f), has, nil
}

// Daemons returns the names of the daemons of this user that run on this host, in a ROS domain. It asks nothing over ROS.
func Daemons(domain uint) (names []string) {
	folder, err := lockFolder()
	if err != nil {
		return nil
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, f := range files {
		name, isLock := strings.CutSuffix(f.Name(), ".lock")
		name, ofDomain := strings.CutPrefix(name, fmt.Sprintf("%d.", domain))
		if !isLock || !ofDomain {
			continue
		}
		name = "/" + strings.ReplaceAll(name, ".", "/")
		if _, has, err := WhoHolds(name, domain); err == nil && has {
			names = append(names, name)
		}
	}
	return names
}

// NetworkFile returns the network file of the daemon of that name, if it runs on this host in the ROS domain of the
// environment; else empty. It asks nothing over ROS.
func NetworkFile(daemon string) string {
	domain, ok := Domain()
	if !ok {
		return ""
	}
	by, has, err := WhoHolds(path.Join("/", daemon), domain)
	if err != nil || !has {
		return ""
	}
	return by.File
}

// Domain returns the ROS domain of the environment; ok is false if that names none.
func Domain() (domain uint, ok bool) {
	id, err := strconv.ParseUint(cmp.Or(os.Getenv("ROS_DOMAIN_ID"), "0"), 10, 32)
	return uint(id), err == nil
}

// LastJournal returns the folder in which the daemon of that name keeps its journal, or the last one that had the name
// on this host in the ROS domain of the environment. Where none of this user did, it is the folder of JournalDir.
// lives reports whether a daemon has the name now, of any user of this host. It asks nothing over ROS.
func LastJournal(daemon string) (dir string, lives bool, err error) {
	name := path.Join("/", daemon)
	if domain, ok := Domain(); ok {
		by, has, err := WhoHolds(name, domain)
		lives = has && err == nil || isClaimed(name, domain)
		if err == nil && by.Journal != "" && (lives || IsThere(by.Journal)) {
			return by.Journal, lives, nil
		}
	}
	dir, err = JournalDir(name)
	return dir, lives, err
}

// IsThere reports whether a folder can be found. One that a daemon has noted may have been removed since.
func IsThere(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}

func writeHolder(f *os.File, file, run string) error {
	return Holder{PID: os.Getpid(), Since: time.Now(), File: Whole(file), Run: run}.write(f)
}

// Whole returns the absolute path of a file; empty if there is none.
func Whole(file string) string {
	if full, err := filepath.Abs(file); err == nil && file != "" {
		return full
	}
	return file
}

func (h Holder) write(f *os.File) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt(append(text, '\n'), 0)
	return err
}

// readHolder returns the holder that the file names, or the zero value if it cannot be read.
func readHolder(f *os.File) (by Holder) {
	text, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil || json.Unmarshal(text, &by) != nil {
		return Holder{}
	}
	return by
}

// JournalDir returns where the daemon of that name keeps its journal, unless it was told otherwise.
func JournalDir(daemon string) (string, error) {
	return journal.Dir(os.Getenv("ROS_HOME"), path.Join("/", daemon))
}
