package wire

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"syscall"
	"unsafe"
)

// device is the name of a host's device on the wire, in its own namespace.
const device = "wire0"

// tunTap is the kernel's file for making such devices.
const tunTap = "/dev/net/tun"

// The kernel's constants that package syscall lacks.
const (
	tunSetInterface = 0x400454ca // TUNSETIFF
	ethernetFrames  = 0x0002     // IFF_TAP
	noExtraHeader   = 0x1000     // IFF_NO_PI
)

// request is struct ifreq: a name and the data of the request.
type request struct {
	name [syscall.IFNAMSIZ]byte
	data [24]byte
}

func about(name string) *request {
	r := &request{}
	copy(r.name[:len(r.name)-1], name)
	return r
}

func (r *request) do(fd uintptr, what uintptr) error {
	if _, _, no := syscall.Syscall(syscall.SYS_IOCTL, fd, what, uintptr(unsafe.Pointer(r))); no != 0 {
		return no
	}
	return nil
}

// openTap makes the device in the namespace of this thread. Reading from the file returns the
// frames that the host sends, and frames that are written to it arrive at the host. Closing the
// file removes the device.
func openTap() (*os.File, error) {
	fd, err := syscall.Open(tunTap, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", tunTap, err)
	}
	r := about(device)
	*(*uint16)(unsafe.Pointer(&r.data)) = ethernetFrames | noExtraHeader
	if err := r.do(uintptr(fd), tunSetInterface); err != nil {
		syscall.Close(fd)
		return nil, fmt.Errorf("cannot make a network device: %w", err)
	}
	// A blocking file cannot be closed while a goroutine reads it.
	if err := syscall.SetNonblock(fd, true); err != nil {
		syscall.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), tunTap), nil
}

// setUp brings up both devices of this thread's namespace, and gives the one on the wire its
// address.
func setUp(address netip.Prefix) error {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(socket)
	fd := uintptr(socket)
	mask := ^uint32(0) << (32 - address.Bits())
	return errors.Join(
		setAddress(fd, syscall.SIOCSIFADDR, address.Addr().As4()),
		setAddress(fd, syscall.SIOCSIFNETMASK,
			[4]byte{byte(mask >> 24), byte(mask >> 16), byte(mask >> 8), byte(mask)}),
		switchOn(fd, "lo"),
		switchOn(fd, device),
	)
}

func setAddress(fd, what uintptr, address [4]byte) error {
	r := about(device)
	to := (*syscall.RawSockaddrInet4)(unsafe.Pointer(&r.data))
	to.Family, to.Addr = syscall.AF_INET, address
	if err := r.do(fd, what); err != nil {
		return fmt.Errorf("cannot give %s the address %v: %w", device, address, err)
	}
	return nil
}

func switchOn(fd uintptr, name string) error {
	r := about(name)
	if err := r.do(fd, syscall.SIOCGIFFLAGS); err != nil {
		return fmt.Errorf("cannot read the flags of %s: %w", name, err)
	}
	*(*uint16)(unsafe.Pointer(&r.data)) |= syscall.IFF_UP | syscall.IFF_RUNNING
	if err := r.do(fd, syscall.SIOCSIFFLAGS); err != nil {
		return fmt.Errorf("cannot switch %s on: %w", name, err)
	}
	return nil
}
