package session

import (
	"encoding/xml"
	"slices"
	"strings"
	"testing"

	"rstate/internal/host"
)

// wire holds a profile's settings for reaching and discovering participants.
type wire struct {
	Transports []string `xml:"profiles>transport_descriptors>transport_descriptor>type"`
	Range      string   `xml:"profiles>transport_descriptors>transport_descriptor>maxInitialPeersRange"`
	Buffer     string   `xml:"profiles>transport_descriptors>transport_descriptor>receiveBufferSize"`
	Used       []string `xml:"profiles>participant>rtps>userTransports>transport_id"`
	Builtin    string   `xml:"profiles>participant>rtps>useBuiltinTransports"`
	ID         string   `xml:"profiles>participant>rtps>participantID"`
	Lease      string   `xml:"profiles>participant>rtps>builtin>discovery_config>leaseDuration>sec"`
	Announce   string   `xml:"profiles>participant>rtps>builtin>discovery_config>leaseAnnouncement>nanosec"`
	Listens    []struct {
		Address string `xml:"address"`
	} `xml:"profiles>participant>rtps>builtin>metatrafficUnicastLocatorList>locator>udpv4"`
	Peers []struct {
		Address string `xml:"address"`
		Port    string `xml:"port"`
	} `xml:"profiles>participant>rtps>builtin>initialPeersList>locator>udpv4"`
}

// TestF9NoSharedMemory: our profile uses UDP alone in every range. For LOCALHOST it does the same
// as rmw_fastrtps except for shared memory. It keeps static peers, and the settings of the user.
func TestF9NoSharedMemory(t *testing.T) {
	near := host.Place{Port: 8160, Network: host.Here()}
	for name, tc := range map[string]struct {
		reach    reach
		alone    host.Place
		env      map[string]string
		udp, own bool
		peers    []string // HOST or HOST:PORT
		hidden   bool     // from those that announce themselves
	}{
		"this host": {reach: reach{name: rangeLocalhost}, udp: true, own: true,
			peers: []string{"127.0.0.1"}},
		"this host and static peers": {reach: reach{rangeLocalhost, []string{"192.0.2.7", "127.0.0.2"}}, udp: true,
			own: true, peers: []string{"192.0.2.7", "127.0.0.2", "127.0.0.1"}},
		"a static peer without address": {reach: reach{rangeLocalhost, []string{"nobody.invalid"}}},
		"this host, transports chosen": {reach: reach{name: rangeLocalhost},
			env: map[string]string{transportsVariable: "SHM"}, udp: true, own: true, peers: []string{"127.0.0.1"}},
		"subnet": {reach: reach{name: rangeSubnet}, udp: true},
		"subnet, transports chosen": {reach: reach{name: rangeSubnet},
			env: map[string]string{transportsVariable: "LARGE_DATA"}},
		"the middleware's own settings": {udp: true},
		"one on this host": {reach: reach{rangeLocalhost, []string{"192.0.2.7"}}, alone: near, udp: true,
			own: true, peers: []string{"127.0.0.1:8160"}, hidden: true},
		"one of the subnet, here": {reach: reach{name: rangeSubnet}, alone: near, udp: true, own: true,
			peers: []string{"127.0.0.1:8160"}, hidden: true},
		"one in another network": {reach: reach{name: rangeLocalhost},
			alone: host.Place{Port: 8160, Network: "net:[1]"}, udp: true, own: true, peers: []string{"127.0.0.1"}},
		"one whose place is not known": {reach: reach{name: rangeLocalhost},
			alone: host.Place{Port: 0, Network: host.Here()}, udp: true, own: true, peers: []string{"127.0.0.1"}},
		"one, and a discovery server": {reach: reach{name: rangeSubnet}, alone: near,
			env: map[string]string{serverVariable: "192.0.2.1:11811"}, udp: true},
		"one, and transports chosen": {reach: reach{name: rangeSubnet}, alone: near,
			env: map[string]string{transportsVariable: "SHM"}},
		"one, by the middleware's rules": {alone: near, udp: true},
	} {
		t.Run(name, func(t *testing.T) {
			env := func(variable string) string { return tc.env[variable] }
			for _, release := range fastDDSReleases {
				text, own := profile(release, tc.reach, tc.alone, env)
				var got wire
				if err := xml.Unmarshal([]byte(text), &got); err != nil {
					t.Fatalf("%v in:\n%s", err, text)
				}
				udp := slices.Equal(got.Transports, []string{"UDPv4"}) && len(got.Used) == 1 && got.Builtin == "false"
				if none := len(got.Transports)+len(got.Used) == 0 && got.Builtin == ""; udp != tc.udp ||
					none == tc.udp {
					t.Errorf("transports %v, of which %v; built-in ones %q", got.Transports, got.Used, got.Builtin)
				}
				if large := got.Buffer == "4194304"; large != tc.udp {
					t.Errorf("the sockets of UDP receive up to %q bytes", got.Buffer)
				}
				var peers []string
				for _, p := range got.Peers {
					peers = append(peers, strings.TrimSuffix(p.Address+":"+p.Port, ":"))
				}
				if !slices.Equal(peers, tc.peers) || (got.ID != "") != tc.hidden || (len(got.Listens) == 1) != tc.own ||
					own != tc.own {
					t.Errorf("own %v, id %q, peers %v in:\n%s", own, got.ID, peers, text)
				}
				if got.Announce != "500000000" {
					t.Errorf("announced every %q ns", got.Announce)
				}
				if wide := got.Range == "32"; wide != (tc.own && !tc.hidden) {
					t.Errorf("%q participants of each host are asked", got.Range)
				}
			}
		})
	}
}

// TestF9LeaseOfADemo: it is a number, whatever the environment says.
func TestF9LeaseOfADemo(t *testing.T) {
	for lease, want := range map[string]string{"": "", "2": "2", "two": "", "2</sec>": "", "-1": ""} {
		text, _ := profile(fastDDSReleases[0], reach{name: rangeLocalhost}, host.Place{},
			func(string) string { return lease })
		var got wire
		if err := xml.Unmarshal([]byte(text), &got); err != nil || got.Lease != want {
			t.Errorf("%q: lease %q, %v", lease, got.Lease, err)
		}
	}
}
