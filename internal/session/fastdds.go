//go:build ros

package session

import (
	"errors"
	"os"
	"strings"
	"sync"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/host"
)

// chosenProfile is what this process has told Fast DDS, which reads profiles once: every later
// context has the same.
var chosenProfile struct {
	sync.Mutex
	read, own bool
}

// configureFastDDS makes Fast DDS use our profile, unless the user has chosen one or the middleware
// is another. The caller calls it when the context exists, so that the middleware is loaded, and
// before the first node, for which the middleware reads the profile. The caller calls restore after
// that, so that children inherit nothing. soon reports whether the profile is in use.
func configureFastDDS(ctx *rclgo.Context, reach reach, alone host.Place) (restore func(), soon bool, err error) {
	nothing := func() {}
	for _, r := range fastDDSReleases {
		if os.Getenv(r.variable) != "" {
			return nothing, false, nil
		}
	}
	if _, err := os.Stat("DEFAULT_FASTDDS_PROFILES.xml"); err == nil { // read by Fast DDS
		return nothing, false, nil
	}
	release, is := loadedFastDDS()
	if !is {
		return nothing, false, nil
	}
	chosenProfile.Lock()
	defer chosenProfile.Unlock()
	if chosenProfile.read {
		if chosenProfile.own {
			err = ctx.LeaveDiscoveryToMiddleware()
		}
		return nothing, err == nil, err
	}
	text, own := profile(release, reach, alone, os.Getenv)
	name, err := scratch(text)
	if err != nil {
		return nothing, false, nil // Fast DDS works without the profile
	}
	if own {
		if err := ctx.LeaveDiscoveryToMiddleware(); err != nil {
			os.Remove(name)
			return nothing, false, &NoROS{err}
		}
	}
	os.Setenv(release.variable, name)
	chosenProfile.read, chosenProfile.own = true, own
	return func() {
		os.Unsetenv(release.variable)
		os.Remove(name)
	}, true, nil
}

func reachOf(d rclgo.Discovery) reach {
	r := reach{peers: d.StaticPeers}
	switch d.Range {
	case rclgo.DiscoveryRangeLocalhost:
		r.name = rangeLocalhost
	case rclgo.DiscoveryRangeSubnet:
		r.name = rangeSubnet
	}
	return r
}

// loadedFastDDS returns the release of Fast DDS in this process.
func loadedFastDDS() (fastDDS, bool) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return fastDDS{}, false
	}
	for _, r := range fastDDSReleases {
		if strings.Contains(string(maps), r.library) {
			return r, true
		}
	}
	return fastDDS{}, false
}

// scratch returns the name of a new file with that text. The middleware resolves the name, so the
// file must have one.
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
