//go:build ros

package demo

import (
	"fmt"
	"net"
	"os"

	"rstate/internal/session"
)

// demoLease is the participant lease in seconds, after which Fast DDS drops a process that was
// killed. Its default is 20.
const demoLease = 2

// Place isolates a demonstration, that is this process and its children:
//   - It chooses an unused ROS domain, unless ROS_DOMAIN_ID is set.
//   - It limits discovery to this machine, unless ROS_AUTOMATIC_DISCOVERY_RANGE is set.
//   - It creates a folder for the journal. The caller removes the folder.
//   - It makes the middleware detect killed processes early.
//
// Call it before any use of ROS.
func Place() (folder string, err error) {
	folder, err = os.MkdirTemp("", "rstate-demo-")
	if err != nil {
		return "", fmt.Errorf("cannot make a folder for the demo: %w", err)
	}
	settings := map[string]string{"ROS_HOME": folder, session.LeaseVariable: fmt.Sprint(demoLease)}
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
	// firstDomain to lastDomain are those that demos take: seldom used, and below the ports that
	// Linux gives away.
	firstDomain, lastDomain = 60, 101
	// discoveryPort and domainStep say which port the first participant of a domain takes.
	discoveryPort, domainStep = 7410, 250
)

// freeDomain returns a domain that no visible process on this machine uses, or any if all are in
// use.
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
