package typemap

import (
	"strings"
	"sync"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

type message struct{ types.MessageTypeSupport }
type service struct{ types.ServiceTypeSupport }
type action struct{ types.ActionTypeSupport }

func TestRegisteredTypesAreFound(t *testing.T) {
	m, s, a := &message{}, &service{}, &action{}
	RegisterMessage("p/M", m)
	RegisterMessage("p/msg/M", m)
	RegisterService("p/srv/S", s)
	RegisterAction("p/action/A", a)
	if got, ok := GetMessage("p/M"); !ok || got != m || GetMessageMust("p/msg/M") != m {
		t.Errorf("message: %v, %v", got, ok)
	}
	if got, ok := GetService("p/srv/S"); !ok || got != s || GetServiceMust("p/srv/S") != s {
		t.Errorf("service: %v, %v", got, ok)
	}
	if got, ok := GetAction("p/action/A"); !ok || got != a || GetActionMust("p/action/A") != a {
		t.Errorf("action: %v, %v", got, ok)
	}
	later := &message{}
	RegisterMessage("p/M", later)
	if GetMessageMust("p/M") != later {
		t.Error("the last registration does not win")
	}
}

func TestTypesNotRegistered(t *testing.T) {
	_, m := GetMessage("p/action/A")
	_, s := GetService("p/M")
	_, a := GetAction("p/M")
	if m || s || a {
		t.Error("a type of one kind is found among another's")
	}
	for kind, must := range map[string]func(){
		"message": func() { GetMessageMust("p/None") },
		"service": func() { GetServiceMust("p/None") },
		"action":  func() { GetActionMust("p/None") },
	} {
		t.Run(kind, func(t *testing.T) {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, kind+` type "p/None"`) {
					t.Errorf("panicked with %q", text)
				}
			}()
			must()
		})
	}
}

func TestRegisteringSideBySide(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				RegisterMessage("p/side", &message{})
				GetMessageMust("p/side")
			}
		})
	}
	wg.Wait()
}
