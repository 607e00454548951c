package rclgo_test

import (
	"errors"
	"testing"

	"github.com/tiiuae/rclgo/internal/rmwfault"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// TestClientsAndServersOfAService: whatever the middleware tells, it names the nodes, or it is unsupported.
func TestClientsAndServersOfAService(t *testing.T) {
	n := newNode(t)
	srv := setBool(t)
	s := must[*rclgo.Service](t)(n.NewService(unique("/srv"), srv, nil,
		func(*rclgo.ServiceInfo, types.Message, rclgo.ServiceResponseSender) {}))
	caller := must[*rclgo.Node](t)(n.Context().NewNode(unique("caller"), "/c"))
	c := must[*rclgo.Client](t)(caller.NewClient(s.ServiceName, srv, nil))
	available(t, c)
	eventually(t, "the client is counted", func() bool { return must[int](t)(n.CountClients(s.ServiceName)) == 1 })
	for what, q := range map[string]struct {
		ask func(string) ([]rclgo.ServiceEndpointInfo, error)
		of  *rclgo.Node
	}{"clients": {n.GetClientsInfoByService, caller}, "servers": {n.GetServersInfoByService, n}} {
		infos, err := q.ask(s.ServiceName)
		if errors.Is(err, &rclgo.Unsupported{}) && !ours().RequestTopics {
			t.Logf("%s: %v", what, err)
			continue
		}
		check(t, err)
		if len(infos) != 1 || infos[0].NodeName != q.of.Name() || infos[0].NodeNamespace != q.of.Namespace() ||
			infos[0].ServiceType != "std_srvs/srv/SetBool" || len(infos[0].EndpointGIDs) == 0 ||
			infos[0].EndpointGIDs[0] == (rclgo.GID{}) || len(infos[0].QosProfiles) != len(infos[0].EndpointGIDs) {
			t.Errorf("%s: %+v", what, infos)
		}
		if infos, err := q.ask(unique("/nobodys")); len(infos) > 0 || err != nil {
			t.Errorf("%s of a service that is not there: %+v, %v", what, infos, err)
		}
	}
}

// TestAMiddlewareWithoutRequestTopics does not tell the servers, which is not the same as that there are none.
func TestAMiddlewareWithoutRequestTopics(t *testing.T) {
	n := newNode(t)
	srv := setBool(t)
	s := must[*rclgo.Service](t)(n.NewService(unique("/srv"), srv, nil,
		func(*rclgo.ServiceInfo, types.Message, rclgo.ServiceResponseSender) {}))
	eventually(t, "the server is counted", func() bool { return must[int](t)(n.CountServices(s.ServiceName)) == 1 })
	_, told := n.GetServersInfoByService(s.ServiceName)
	rmwfault.NoRequestTopics(t)
	infos, err := n.GetServersInfoByService(s.ServiceName)
	if told == nil && rclgo.TellsServices(n) {
		t.Skipf("%s tells the servers without such topics", rclgo.MiddlewareIdentifier())
	}
	if !errors.Is(err, &rclgo.Unsupported{}) || len(infos) > 0 {
		t.Errorf("%+v, %v; want Unsupported", infos, err)
	}
}

// TestRequestTopicsStillToCome: while discovery is not over, those that are missing are not unsupported.
func TestRequestTopicsStillToCome(t *testing.T) {
	if !ours().RequestTopics {
		t.Skipf("%s has no topics for requests", rclgo.MiddlewareIdentifier())
	}
	n := newNode(t)
	if infos, err := n.GetServersInfoByService(unique("/nobodys")); len(infos) > 0 || err != nil {
		t.Errorf("before anything is there: %+v, %v", infos, err)
	}
	srv := setBool(t)
	s := must[*rclgo.Service](t)(n.NewService(unique("/srv"), srv, nil,
		func(*rclgo.ServiceInfo, types.Message, rclgo.ServiceResponseSender) {}))
	eventually(t, "the server is counted", func() bool { return must[int](t)(n.CountServices(s.ServiceName)) == 1 })
	rmwfault.LateRequests(t)
	if infos, err := n.GetServersInfoByService(s.ServiceName); len(infos) > 0 != rclgo.TellsServices(n) || err != nil {
		t.Errorf("%+v, %v", infos, err)
	}
}
