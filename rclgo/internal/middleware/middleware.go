// Package middleware has what differs between middlewares and that ROS does not tell, by their identifiers. The client
// library itself uses none of it: it asks, or does without. It is for tests, and imports the standard library only.
package middleware

import "os"

// Facts are those of one middleware.
type Facts struct {
	// ProfilesVariable names the environment variable with the file of its profiles; empty if the tests have no
	// profile for it.
	ProfilesVariable string
	// SharedMemory is a pattern for its files in /dev/shm; empty if it has none.
	SharedMemory string
	// MessageGIDs: the GID in a message's info is that of the publisher in the graph. Cyclone DDS has a handle of
	// its own there.
	MessageGIDs bool
	// FiresEvents: an event that can be made is reported. rmw_zenoh_cpp lets those of liveliness and deadline be
	// made since 0.6.7, and never reports one.
	FiresEvents bool
	// RequestTopics: the requests of a service are on a topic whose endpoints ROS tells.
	RequestTopics bool
}

// Of returns the facts of a middleware by its identifier. An unknown one is taken for one that does as ROS says.
func Of(identifier string) Facts {
	switch identifier {
	case "rmw_fastrtps_cpp", "rmw_fastrtps_dynamic_cpp":
		f := Facts{
			ProfilesVariable: "FASTDDS_DEFAULT_PROFILES_FILE", SharedMemory: "fast*",
			MessageGIDs: true, FiresEvents: true, RequestTopics: true,
		}
		if os.Getenv("ROS_DISTRO") == "jazzy" { // Fast DDS 2
			f.ProfilesVariable = "FASTRTPS_DEFAULT_PROFILES_FILE"
		}
		return f
	case "rmw_cyclonedds_cpp":
		return Facts{FiresEvents: true, RequestTopics: true}
	case "rmw_zenoh_cpp":
		return Facts{MessageGIDs: true}
	}
	return Facts{MessageGIDs: true, FiresEvents: true}
}
