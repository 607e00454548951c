package main

import (
	"fmt"
	"net"
	"net/netip"
	"os/exec"
	"runtime"

	"rstate/internal/httpapi"
)

// pageAt returns the address of the page for a browser on this host, of a server that listens on an address.
func pageAt(address string) (string, error) {
	whole, err := httpapi.Address(address)
	if err != nil {
		return "", err
	}
	host, port, err := net.SplitHostPort(whole)
	if err != nil {
		return "", err
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port) + "/", nil
}

// openPage opens a page in the browser of the user.
func openPage(page string) error {
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	if out, err := exec.Command(program, page).CombinedOutput(); err != nil {
		return fmt.Errorf("cannot open %s in a browser: %w %.200s; open it by hand", page, err, out)
	}
	return nil
}
