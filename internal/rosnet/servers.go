//go:build ros

package rosnet

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/engine"
)

// server is one process that serves an arming service, as the graph shows it. Where the middleware shows no endpoints of
// services, each node is asked which services it serves, and gid is made of its name.
type server struct {
	node string // its full name
	gid  rclgo.GID
}

// servers is what was told of those of one node. Watcher only.
type servers struct {
	last    uint64               // epochs given out so far
	epochs  map[rclgo.GID]uint64 // of the processes that are meant
	seen    []rclgo.GID          // all in the graph
	ended   map[rclgo.GID]time.Time
	unnamed map[rclgo.GID]time.Time
	told    bool
	newest  engine.ServersSeen // as posted last
}

// serverLook is what a look at the graph found, and what is known of processes.
type serverLook struct {
	now    time.Time
	found  []server
	meant  string                    // the node that is to serve
	itself bool                      // that is the node which is armed; the engine itself judges the ends of its processes (S4)
	body   func(rclgo.GID) bool      // reports whether a process is one of that node's
	dead   func(rclgo.GID) bool      // reports whether the operating system says that a process has ended
	same   func(a, b rclgo.GID) bool // reports whether two endpoints are of one process
	stays  time.Duration             // a process that the graph shows for so long after its end has not ended
}

// lookForServers posts changes of the processes that serve the arming service. It returns false where the name of one is
// still to come.
func (r *remote) lookForServers(now time.Time) bool {
	if r.armer == nil {
		return true
	}
	found, err := r.w.serversOf(r.spec.Arm.Service)
	if err != nil {
		r.w.log.Warn("cannot read the graph", zap.String("service", r.spec.Arm.Service), zap.Error(err))
		return true
	}
	meant := r.spec.ServerOf()
	in, whole := r.servers.look(serverLook{
		now: now, found: found, meant: meant, itself: meant == r.spec.Name, stays: max(outlived, 3*r.w.able().Silent),
		body: func(g rclgo.GID) bool { return r.w.ofNode(meant, g) },
		dead: func(g rclgo.GID) bool { return slices.Contains(r.w.ends.dead, participantOf(g)) },
		same: func(a, b rclgo.GID) bool { return r.w.able().Processes && participantOf(a) == participantOf(b) },
	})
	in.Node = r.i
	if was := r.servers.newest; !r.servers.told || !slices.Equal(in.Meant, was.Meant) || !slices.Equal(in.Others, was.Others) {
		r.servers.told, r.servers.newest = true, in
		r.w.post(in)
	}
	return whole
}

// ofNode reports whether an endpoint is of a process of the node of that name, if the network has one.
func (w *World) ofNode(name string, gid rclgo.GID) bool {
	i := w.net.Index(name)
	if i < 0 || !w.able().Processes {
		return false
	}
	for writer := range w.remotes[i].epochs {
		if participantOf(writer) == participantOf(gid) {
			return true
		}
	}
	return false
}

// look compares what the graph shows with what was told.
func (s *servers) look(l serverLook) (in engine.ServersSeen, whole bool) {
	was := s.epochs
	meant, gone, others, whole := s.sort(l)
	if l.itself && len(meant) == 0 { // whether the node has ended is the engine's to judge: it asks the node
		meant, gone = gone, nil
	}
	s.epochs = map[rclgo.GID]uint64{}
	for _, g := range meant {
		epoch, known := was[g]
		if !known {
			s.last++
			epoch = s.last
		}
		s.epochs[g] = epoch
		in.Meant = append(in.Meant, epoch)
	}
	for _, o := range others {
		in.Others = append(in.Others, nameOfServer(o.node))
	}
	slices.Sort(in.Meant)
	slices.Sort(in.Others)
	if len(meant) == 0 {
		in.Why = "it left the graph"
		if len(gone) > 0 {
			in.Why = "its process has ended"
		}
	}
	return in, whole
}

// sort tells the servers that are meant from those whose process has ended, and from others. It is not whole while the
// middleware may still tell the name of one.
func (s *servers) sort(l serverLook) (meant, gone []rclgo.GID, others []server, whole bool) {
	whole = true
	was, unnamed, ended := s.epochs, s.unnamed, s.ended
	s.unnamed, s.ended, s.seen = map[rclgo.GID]time.Time{}, map[rclgo.GID]time.Time{}, nil
	since := func(of, now map[rclgo.GID]time.Time, g rclgo.GID) time.Duration {
		at, ok := of[g]
		if !ok {
			at = l.now
		}
		now[g] = at
		return l.now.Sub(at)
	}
	for _, one := range l.found {
		s.seen = append(s.seen, one.gid)
		name := one.node
		if _, known := was[one.gid]; strings.Contains(name, nameless) && (known || l.body(one.gid)) {
			name = l.meant // the middleware has lost its name, or has not told it yet
		}
		switch {
		case l.dead(one.gid) && since(ended, s.ended, one.gid) < l.stays:
			if name == l.meant {
				gone = append(gone, one.gid)
			}
		case name == l.meant:
			if !slices.ContainsFunc(meant, func(g rclgo.GID) bool { return l.same(g, one.gid) }) {
				meant = append(meant, one.gid)
			}
		case strings.Contains(name, nameless) && since(unnamed, s.unnamed, one.gid) < namelessIn:
			whole = false
		case !slices.ContainsFunc(others, func(o server) bool { return o.node == name && l.same(o.gid, one.gid) }):
			others = append(others, server{name, one.gid})
		}
	}
	return meant, gone, others, whole
}

// nameOfServer is the name of a node for a person.
func nameOfServer(node string) string {
	if strings.Contains(node, nameless) {
		return "a process whose node the middleware does not name"
	}
	return node
}

// serversOf lists what serves a service. ROS has no such list on every middleware: where a service has no endpoints that
// the graph shows, each node is asked for its services.
func (w *World) serversOf(service string) ([]server, error) {
	infos, err := w.node.GetServersInfoByService(service)
	if errors.Is(err, &rclgo.Unsupported{}) {
		return w.serversByNode(service)
	}
	list := make([]server, 0, len(infos))
	for _, info := range infos {
		one := server{node: full(info.NodeNamespace, info.NodeName)}
		if len(info.EndpointGIDs) > 0 {
			one.gid = info.EndpointGIDs[0]
		}
		list = append(list, one)
	}
	return list, err
}

func (w *World) serversByNode(service string) (list []server, err error) {
	names, namespaces, err := w.node.GetNodeNames()
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		offers, err := w.node.GetServiceNamesAndTypesByNode(name, namespaces[i])
		if err != nil {
			continue // it has left meanwhile
		}
		if _, ok := offers[service]; ok {
			node := full(namespaces[i], name)
			same := 0
			for _, o := range list {
				if o.node == node {
					same++
				}
			}
			list = append(list, server{node: node, gid: gidOfName(node, same)})
		}
	}
	return list, nil
}

// gidOfName makes the identity of a server of which only its node is known. Two nodes of one name differ by their
// number, so the look does not notice one that takes the place of another in the same moment.
func gidOfName(node string, number int) (g rclgo.GID) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", node, number))
	copy(g[:], sum[:])
	return g
}
