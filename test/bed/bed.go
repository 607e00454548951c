// Package bed is where tests on real ROS 2 are laid: a ROS domain of their own, an environment that keeps them on this
// machine and finds nodes fast, child processes that never outlive the test, conditions with a deadline, and rclpy nodes
// that do what a script says and record what was asked of them.
//
// It speaks to ROS only through its rclpy host, so it needs no build tag and shares no code with what it tests. It may
// import the standard library and test/bed/domain.
//
// A package that uses it has
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

// package-wide, set up by Main before any test runs.
var shared struct {
	sync.Mutex
	folder string       // of the environment's files
	host   *hostProcess // begun by the first test that asks for it
	count  int          // of names given out
}

// run runs the tests where this process is.
func run(m *testing.M) int {
	if err := lay(); err != nil {
		fmt.Fprintln(os.Stderr, "bed: "+err.Error())
		return 1
	}
	code := m.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.host != nil {
		shared.host.end()
	}
	endGuard()
	os.RemoveAll(shared.folder)
	return code
}

// lay sets the environment of this process, which its children and its own ROS contexts take theirs from.
func lay() error {
	if _, _, err := domain.Take(); err != nil { // held until the process ends
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

// How long, in seconds, a process stays in the graph of the others after its last sign of life.
const (
	usualLease = 20
	shortLease = 4
	longLease  = 600
)

func longProfile() string { return filepath.Join(shared.folder, "long-lease.xml") }

func shortProfile() string { return filepath.Join(shared.folder, "short-lease.xml") }

// ShortLease is environment for a process that is to be killed: the others miss it after seconds instead of the usual 20.
func ShortLease(t testing.TB) []string { return profileOf(t, shortProfile()) }

// LongLease is environment for a process that is to be killed: the middleware does not miss it within any test.
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

// profileVariables are what the middleware takes its profiles from; later releases take Jazzy's too, and warn each time.
func profileVariables() []string {
	if os.Getenv("ROS_DISTRO") == "jazzy" {
		return []string{"FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE"}
	}
	return []string{"FASTDDS_DEFAULT_PROFILES_FILE"}
}

// environment is what every test and its children have. Shared memory is not asked for (see inARoomOfItsOwn), and in a
// network of our own not used.
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
		variables["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "SUBNET" // which ends at lo
	}
	for _, name := range profileVariables() {
		variables[name] = profile
	}
	return variables
}

// fastProfile repeats what a busy machine loses: without it a node is found after up to 3 s, and so is a latched message. Sockets
// hold what all processes of a suite announce to a new one at once; what they lose costs 3 s each time.
// The exchange of type descriptions, of no use to ROS, is off: it crashes Fast DDS 3.2 now and then where a participant
// ends while it is under way.
func fastProfile(lease int) string {
	heartbeat := "heartbeat_period"
	if os.Getenv("ROS_DISTRO") == "jazzy" {
		heartbeat = "heartbeatPeriod"
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns="http://www.eprosima.com">
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

// Unique is a name that no other test of this run has, so that what an earlier one has left in the graph cannot be taken
// for what this one waits for. It is one token of a ROS name.
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
