//go:build ros

package app

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Fast DDS, the middleware of most installations, is slow to meet in two ways. A lost announcement of a participant
// waits for the next one, 3 s later. And a writer whose liveliness is asserted by hand, as ours is every 100 ms, sends a
// heartbeat with each assertion, which keeps a late reader from asking for the latched message: that reader waits for
// the next periodic heartbeat, 3 s again. This profile shortens both waits. It also turns off the exchange of type
// descriptions between participants, which ROS has no use for: Fast DDS 3.2 may still be busy with a reply to it when
// its participant is deleted, and crashes then (1 of 130 short-lived clients did on a busy machine). And it keeps room for
// 10 messages in every reader and writer instead of 100: a daemon of 50 nodes has 250 of them, and 8 MB less.
const quickProfile = `<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns="http://www.eprosima.com"><profiles>
  <participant profile_name="rstate" is_default_profile="true"><rtps><builtin><discovery_config>
    <initialAnnouncements><count>20</count><period><sec>0</sec><nanosec>50000000</nanosec></period></initialAnnouncements>
    <leaseAnnouncement><sec>0</sec><nanosec>500000000</nanosec></leaseAnnouncement>
  </discovery_config></builtin>
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

// fastDDS is what differs between its releases.
type fastDDS struct{ library, variable, heartbeat string }

var fastDDSReleases = []fastDDS{
	{"/libfastdds.so.3", "FASTDDS_DEFAULT_PROFILES_FILE", "heartbeat_period"},
	{"/libfastrtps.so.2", "FASTRTPS_DEFAULT_PROFILES_FILE", "heartbeatPeriod"},
}

// meetQuickly gives Fast DDS the quick profile, where that is the middleware and nobody has chosen a profile. It is
// called when a context exists, so that the middleware is loaded, and before its first node, which reads the profile;
// restore is called after that, so that children of this process inherit nothing. soon says whether it is in use.
func meetQuickly() (restore func(), soon bool) {
	nothing := func() {}
	for _, r := range fastDDSReleases {
		if os.Getenv(r.variable) != "" {
			return nothing, false
		}
	}
	if _, err := os.Stat("DEFAULT_FASTDDS_PROFILES.xml"); err == nil { // which it reads by itself
		return nothing, false
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nothing, false // it is only slower
	}
	for _, r := range fastDDSReleases {
		if !strings.Contains(string(maps), r.library) {
			continue
		}
		name, err := scratch(fmt.Sprintf(quickProfile, r.heartbeat))
		if err != nil {
			return nothing, false
		}
		os.Setenv(r.variable, name)
		return func() {
			os.Unsetenv(r.variable)
			os.Remove(name)
		}, true
	}
	return nothing, false
}

// scratch returns the name of a new file with that text. (The middleware resolves the name, so it must have one.)
func scratch(text string) (string, error) {
	file, err := os.CreateTemp("", "rstate-*.xml")
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}
