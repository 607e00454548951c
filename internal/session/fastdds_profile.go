package session

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"

	"rstate/internal/host"
)

// reach is how far a context looks for others: its discovery range and its static peers.
type reach struct {
	name  string // rangeLocalhost, rangeSubnet; empty: another
	peers []string
}

const rangeLocalhost, rangeSubnet = "LOCALHOST", "SUBNET"

// fastDDSProfile changes five defaults of Fast DDS. docs/decisions/middleware.md has the measurements.
//   - Transports: UDP only. See transports.
//   - A socket holds 4 MB of what has not been read, or what net.core.rmem_max allows. When a daemon meets a hundred nodes,
//     all of them announce themselves at once; what does not fit is lost, and comes again a second later.
//   - Heartbeats and announcements are more frequent. A lost announcement of a participant otherwise waits 3 s for the
//     next one. A writer with manual liveliness sends a heartbeat with each assertion, which keeps a late reader from
//     asking for the latched message until the next periodic heartbeat, 3 s again.
//   - Type propagation is off, because ROS has no use for it. Fast DDS 3.2 may still be busy with a reply to it when its
//     participant is deleted, and crashes then.
//   - Readers and writers allocate 10 messages instead of 100.
const fastDDSProfile = `<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns="http://www.eprosima.com"><profiles>
  %[2]s<participant profile_name="rstate" is_default_profile="true"><rtps>%[3]s<builtin><discovery_config>%[4]s
    <initialAnnouncements><count>20</count><period><sec>0</sec><nanosec>50000000</nanosec></period></initialAnnouncements>
    <leaseAnnouncement><sec>0</sec><nanosec>500000000</nanosec></leaseAnnouncement>
  </discovery_config>%[5]s</builtin>
  <propertiesPolicy><properties>
    <property><name>fastdds.type_propagation</name><value>disabled</value></property>
  </properties></propertiesPolicy></rtps></participant>
  <data_writer profile_name="rstate_writer" is_default_profile="true">
    <topic><resourceLimitsQos><allocated_samples>10</allocated_samples></resourceLimitsQos></topic>
    <times><%[1]s><sec>0</sec><nanosec>100000000</nanosec></%[1]s></times>
  </data_writer>
  <data_reader profile_name="rstate_reader" is_default_profile="true">
    <topic><resourceLimitsQos><allocated_samples>10</allocated_samples></resourceLimitsQos></topic>
  </data_reader>
</profiles></dds>
`

// The part of the profile that selects UDP, and the one that lets a participant find others on
// known hosts only. The latter has no multicast locator; the default unicast locator keeps Fast DDS
// from adding one.
const (
	udpDescriptor = `<transport_descriptors><transport_descriptor>
    <transport_id>rstate_udp</transport_id><type>UDPv4</type>%s
    <receiveBufferSize>4194304</receiveBufferSize>
  </transport_descriptor></transport_descriptors>
  `
	udpOnly     = `<userTransports><transport_id>rstate_udp</transport_id></userTransports><useBuiltinTransports>false</useBuiltinTransports>`
	hostsOnly   = `<metatrafficUnicastLocatorList><locator><udpv4/></locator></metatrafficUnicastLocatorList><initialPeersList>%s</initialPeersList>`
	portToAsk   = `<locator><udpv4><address>127.0.0.1</address><port>%d</port></udpv4></locator>`
	hostToAsk   = `<locator><udpv4><address>%s</address></udpv4></locator>`
	processesOn = `<maxInitialPeersRange>32</maxInitialPeersRange>` // per host, as in rmw_fastrtps
	// participantID is the first that Fast DDS tries; it takes the next one whose ports are free.
	// No participant asks for the ids of this range: LOCALHOST asks for 32 of a host, a static peer
	// of SUBNET for 4.
	participantID            = `<participantID>%d</participantID>`
	firstHiddenID, hiddenIDs = 40, 50
	leaseSeconds             = `<leaseDuration><sec>%s</sec></leaseDuration>`
)

const (
	// LeaseVariable holds the participant lease in seconds. rstate demo sets it for its children.
	LeaseVariable = "RSTATE_DEMO_LEASE"
	// transportsVariable is how users choose among the built-in transports.
	transportsVariable = "FASTDDS_BUILTIN_TRANSPORTS"
	// serverVariable names a discovery server, which then is the only one that participants
	// announce themselves to.
	serverVariable = "ROS_DISCOVERY_SERVER"
)

// fastDDS is what differs between its releases.
type fastDDS struct{ library, variable, heartbeat string }

var fastDDSReleases = []fastDDS{
	{"/libfastdds.so.3", "FASTDDS_DEFAULT_PROFILES_FILE", "heartbeat_period"},
	{"/libfastrtps.so.2", "FASTRTPS_DEFAULT_PROFILES_FILE", "heartbeatPeriod"},
}

// profile returns the profile for a discovery range; alone is the only participant to discover, or
// zero. own reports whether the profile does all that the range asks for, so that rmw_fastrtps must
// not: for LOCALHOST it would add shared memory.
func profile(release fastDDS, reach reach, alone host.Place, env func(string) string) (text string, own bool) {
	var parts struct{ descriptor, participant, lease, hosts string }
	if _, err := strconv.ParseUint(env(LeaseVariable), 10, 16); err == nil {
		parts.lease = fmt.Sprintf(leaseSeconds, env(LeaseVariable))
	}
	addresses, err := addressesOf(reach.peers)
	chosen, server := env(transportsVariable) != "", env(serverVariable) != ""
	onHost := reach.name == rangeLocalhost
	switch {
	case alone.IsNear() && (onHost || reach.name == rangeSubnet && !chosen) && !server:
		parts.descriptor = fmt.Sprintf(udpDescriptor, "")
		parts.participant = fmt.Sprintf(participantID, firstHiddenID+rand.IntN(hiddenIDs)) + udpOnly
		parts.hosts = fmt.Sprintf(hostsOnly, fmt.Sprintf(portToAsk, alone.Port))
		own = true
	case onHost && err == nil:
		for _, a := range append(addresses, "127.0.0.1") {
			parts.hosts += fmt.Sprintf(hostToAsk, a)
		}
		parts.descriptor, parts.participant, parts.hosts = fmt.Sprintf(udpDescriptor, processesOn), udpOnly,
			fmt.Sprintf(hostsOnly, parts.hosts)
		own = true
	case onHost: // rmw_fastrtps fails over the same static peer, and names it
	case !chosen:
		parts.descriptor, parts.participant = fmt.Sprintf(udpDescriptor, ""), udpOnly
	}
	return fmt.Sprintf(fastDDSProfile, release.heartbeat, parts.descriptor, parts.participant, parts.lease,
		parts.hosts), own
}

// addressesOf returns the first IPv4 address of each host, as rmw_fastrtps takes it.
func addressesOf(hosts []string) (list []string, err error) {
	for _, host := range hosts {
		addresses, err := net.LookupHost(host)
		if err != nil {
			return nil, err
		}
		address := ""
		for _, a := range addresses {
			if ip := net.ParseIP(a); ip.To4() != nil {
				address = ip.String()
				break
			}
		}
		if address == "" {
			return nil, fmt.Errorf("%q has no IPv4 address", host)
		}
		list = append(list, address)
	}
	return list, nil
}
