//go:build ros

package app

import (
	"fmt"
	"net"
	"os"
)

// demoLease is the participant lease in seconds, after which Fast DDS drops a process that was killed. Its default is 20.
const demoLease = 2

// DemoPlace makes a place for a demonstration, for this process and what it starts: a ROS domain where nobody else is,
// unless ROS_DOMAIN_ID names one, on this machine only; a home for its journal; and a middleware that notices soon when
// somebody has died. It has to be called before anything of ROS. The folder is the caller's to remove.
func DemoPlace() (folder string, err error) {
	folder, err = os.MkdirTemp("", "rstate-demo-")
	if err != nil {
		return "", fmt.Errorf("cannot make a folder for the demo: %w", err)
	}
	settings := map[string]string{"ROS_HOME": folder, leaseVariable: fmt.Sprint(demoLease)}
	if os.Getenv("ROS_DOMAIN_ID") == "" {
		settings["ROS_DOMAIN_ID"] = fmt.Sprint(freeDomain(os.Getpid()))
	}
	if os.Getenv("ROS_AUTOMATIC_DISCOVERY_RANGE") == "" {
		settings["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
	}
	for name, value := range settings {
		if err := os.Setenv(name, value); err != nil {
			return folder, fmt.Errorf("cannot set %s: %w", name, err)
		}
	}
	return folder, nil
}

const (
	// firstDomain to lastDomain are those that demos take: seldom used, and below the ports that Linux gives away.
	firstDomain, lastDomain = 60, 101
	// discoveryPort and domainStep say which port the first participant of a domain takes.
	discoveryPort, domainStep = 7410, 250
)

// freeDomain returns a domain in which nobody is on this machine, as far as can be seen; where all are taken, any.
func freeDomain(from int) int {
	const many = lastDomain - firstDomain + 1
	for i := range many {
		domain := firstDomain + (from+i)%many
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{Port: discoveryPort + domainStep*domain})
		if err == nil {
			conn.Close()
			return domain
		}
	}
	return firstDomain + from%many
}
