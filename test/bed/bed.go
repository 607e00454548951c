// Package bed is the environment of tests on real ROS 2: a ROS domain of their own, settings that
// keep them on this machine and make discovery fast, child processes that never outlive the test,
// conditions with a deadline, and rclpy nodes that follow a script and record their calls.
//
// It uses ROS only through its rclpy host process, so it needs no build tag and shares no code with
// the product. It may import the standard library, internal/runnable and test/bed/domain.
//
// A package that uses it has this function:
//
//	func TestMain(m *testing.M) { os.Exit(bed.Main(m)) }
package bed

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"rstate/test/bed/domain"
)

// shared belongs to the package; Main sets it up before any test runs.
var shared struct {
	sync.Mutex
	folder string       // the folder of the environment's files
	host   *hostProcess // started by the first test that needs it
	count  int          // the number of unique names so far
}

// run runs the tests in this process.
func run(m *testing.M) int {
	if err := lay(); err != nil {
		fmt.Fprintln(os.Stderr, "bed: "+err.Error())
		return 1
	}
	if err := beginStalls(); err != nil {
		fmt.Fprintln(os.Stderr, "bed: "+err.Error())
		return 1
	}
	code := m.Run()
	endStalls()
	shared.Lock()
	defer shared.Unlock()
	if shared.host != nil {
		shared.host.end()
	}
	endGuard()
	os.RemoveAll(shared.folder)
	return code
}

// lay sets the environment of this process, which its children and its own ROS contexts inherit.
func lay() error {
	if _, _, err := domain.Take(); err != nil { // reserved until the process ends
		return err
	}
	folder, err := os.MkdirTemp("", "rstate-bed-")
	if err != nil {
		return fmt.Errorf("cannot make a folder for the environment: %w", err)
	}
	shared.folder = folder
	profile := filepath.Join(folder, "fast-discovery.xml")
	for file, lease := range map[string]int{profile: usualLease, shortProfile(): shortLease, longProfile(): longLease} {
		if err := os.WriteFile(file, []byte(fastProfile(lease)), 0o644); err != nil {
			return fmt.Errorf("cannot write the discovery profile: %w", err)
		}
	}
	for name, value := range environment(folder, profile) {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// How long, in seconds, a process stays in the graph of the others after its last message.
const (
	usualLease = 20
	shortLease = 4
	longLease  = 600
)

func longProfile() string { return filepath.Join(shared.folder, "long-lease.xml") }

func shortProfile() string { return filepath.Join(shared.folder, "short-lease.xml") }

// ShortLease is the environment of a process that the test kills: the others notice after seconds
// instead of the default 20.
func ShortLease(t testing.TB) []string { return profileOf(t, shortProfile()) }

// LongLease is the environment of a process that the test kills: the middleware does not notice it
// within any test.
func LongLease(t testing.TB) []string { return profileOf(t, longProfile()) }

func profileOf(t testing.TB, file string) []string {
	t.Helper()
	needMain(t)
	var list []string
	for _, name := range profileVariables() {
		list = append(list, name+"="+file)
	}
	return list
}

// profileVariables are the variables that name the middleware's profiles. Later releases also read
// Jazzy's, and warn each time.
func profileVariables() []string {
	if os.Getenv("ROS_DISTRO") == "jazzy" {
		return []string{"FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE"}
	}
	return []string{"FASTDDS_DEFAULT_PROFILES_FILE"}
}

// environment is the environment of every test and its children. Shared memory is not requested
// (see inARoomOfItsOwn), and in a network of our own not used.
// All other variables stay as they are: a test uses the middleware that RMW_IMPLEMENTATION names, and
// the faults of test/shim. The variables of Fast DDS have no effect on another middleware.
func environment(folder, profile string) map[string]string {
	variables := map[string]string{
		"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
		"ROS_HOME":                      filepath.Join(folder, "home"),
		"ROS_LOG_DIR":                   filepath.Join(folder, "log"),
		"FASTDDS_BUILTIN_TRANSPORTS":    "UDPv4",
		"PYTHONUNBUFFERED":              "1",
		"XDG_RUNTIME_DIR":               folder,
	}
	if apart {
		variables["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "SUBNET" // whose only interface is lo
	}
	for _, name := range profileVariables() {
		variables[name] = profile
	}
	return variables
}

// fastProfile resends soon what a busy machine loses: without it the discovery of a node takes up
// to 3 s, and so does a latched message. The socket buffers hold the announcements of all processes
// of a suite to a new one at once; each lost announcement costs 3 s. The exchange of type
// descriptions, which ROS does not need, is off: it sometimes crashes Fast DDS 3.2 if a participant
// ends meanwhile. Contexts of one process, which only tests have, discover each other over the
// network too: what Fast DDS does instead can lock up.
func fastProfile(lease int) string {
	heartbeat := "heartbeat_period"
	if os.Getenv("ROS_DISTRO") == "jazzy" {
		heartbeat = "heartbeatPeriod"
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns="http://www.eprosima.com">
  <library_settings><intraprocess_delivery>USER_DATA_ONLY</intraprocess_delivery></library_settings>
  <profiles>
    <participant profile_name="rstate_fast_discovery" is_default_profile="true">
      <rtps>
        <listenSocketBufferSize>4194304</listenSocketBufferSize>
        <builtin>
          <discovery_config>
            <initialAnnouncements>
              <count>20</count>
              <period><sec>0</sec><nanosec>50000000</nanosec></period>
            </initialAnnouncements>
            <leaseDuration><sec>%[2]d</sec></leaseDuration>
            <leaseAnnouncement><sec>0</sec><nanosec>200000000</nanosec></leaseAnnouncement>
          </discovery_config>
        </builtin>
        <propertiesPolicy>
          <properties>
            <property><name>fastdds.type_propagation</name><value>disabled</value></property>
          </properties>
        </propertiesPolicy>
      </rtps>
    </participant>
    <data_writer profile_name="rstate_fast_writer" is_default_profile="true">
      <times><%[1]s><sec>0</sec><nanosec>100000000</nanosec></%[1]s></times>
    </data_writer>
  </profiles>
</dds>
`, heartbeat, lease)
}

// Unique returns a name that no other test of this run has, so that the remains of an earlier test
// in the graph cannot be mistaken for this one's. It is one token of a ROS name.
func Unique(t testing.TB, base string) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	shared.count++
	return fmt.Sprintf("%s_%d_%d", base, os.Getpid(), shared.count)
}

func needMain(t testing.TB) {
	t.Helper()
	if shared.folder == "" {
		t.Fatal("cannot use the bed: this package has no `func TestMain(m *testing.M) { os.Exit(bed.Main(m)) }`")
	}
}
