package doctor

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/middleware"
)

// TestS10TheUnusualIsNoFault: on a middleware that gives nothing of what Fast DDS gives, a healthy network has nothing
// wrong, and the report says what is missing and what to do.
func TestS10TheUnusualIsNoFault(t *testing.T) {
	f := healthy()
	f.Env["RMW_IMPLEMENTATION"], f.Stack.RMW, f.Stack.Maker, f.Vendors = "rmw_zenoh_cpp", "rmw_zenoh_cpp", "", nil
	f.Stack.Abilities = middleware.Abilities{Name: "rmw_zenoh_cpp", Router: true, Silent: time.Minute}
	f.Router = Router{At: []string{"localhost:7447"}, Found: true}
	r := Judge(f)
	var said []string
	for _, one := range r.Findings {
		if said = append(said, one.What); one.Level != OK || one.Do != "" {
			t.Errorf("got %+v", one)
		}
	}
	for _, part := range []string{"shows a suspended process for 60 s", "events that tell", "1s without a message",
		"the publisher of a message", "at the latest after 60 s; probe: 1s", "the router of the middleware is there, at localhost:7447"} {
		if !strings.Contains(strings.Join(said, "\n"), part) {
			t.Errorf("want %q in:\n%s", part, strings.Join(said, "\n"))
		}
	}
}

func TestS10ARouterThatIsNotThere(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Facts)
		level  Level
		what   string
		not    string // is not in the evidence
	}{
		"nothing is found": {func(f *Facts) { f.Nodes, f.Network, f.Daemons = nil, Network{}, nil }, Fault, "no node finds another without it", "nothing"},
		"nodes run":        {func(*Facts) {}, Warning, "nodes that start from now on are not found", "nothing"},
		"processes do not wait": {func(f *Facts) { f.Env["ZENOH_ROUTER_CHECK_ATTEMPTS"] = "3" }, Warning,
			"nodes that start from now on are not found", "without end"},
	} {
		t.Run(name, func(t *testing.T) {
			f := healthy()
			f.Router.At = []string{"robot:7447", "[::1]:7447"}
			c.change(&f)
			found := 0
			for _, one := range Judge(f).Findings {
				if !strings.Contains(one.What, "router") {
					continue
				}
				found++
				if one.Level != c.level || !strings.Contains(one.What, c.what) || strings.Contains(one.Evidence, c.not) ||
					!strings.Contains(one.Evidence, "robot:7447, [::1]:7447") || !strings.Contains(one.Do, "rmw_zenohd") {
					t.Errorf("got %+v", one)
				}
			}
			if found != 1 {
				t.Errorf("%d findings name it", found)
			}
		})
	}
	for _, one := range Judge(healthy()).Findings {
		if strings.Contains(one.What, "router") {
			t.Errorf("a middleware without a router gets %q", one.What)
		}
	}
}

// TestS10TimesAreTheMiddlewares: no text names 20 s where the middleware takes another time.
func TestS10TimesAreTheMiddlewares(t *testing.T) {
	f := healthy()
	f.Stack.Abilities.Silent = 5 * time.Second
	f.Nodes = append(f.Nodes, "/lidar", "/rviz")
	service(&f, "/arm/arm").Servers = 2
	times := 0
	for _, one := range Judge(f).Findings {
		text := one.What + one.Evidence + one.Do
		times += strings.Count(text, " 5 s")
		if strings.Contains(text, "20 s") {
			t.Errorf("got %+v", one)
		}
	}
	if times != 4 {
		t.Errorf("the time is named %d times", times)
	}
}
