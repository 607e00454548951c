//go:build ros

package session

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"
)

// TestRosoutNeverBlocks: a publisher that hangs until Close has returned blocks neither logging nor
// Close; dropped lines are counted.
func TestRosoutNeverBlocks(t *testing.T) {
	var mu sync.Mutex
	var got []string
	open := make(chan struct{})
	r := NewRosout(func(level rclgo.LogSeverity, text string) {
		<-open
		mu.Lock()
		defer mu.Unlock()
		got = append(got, level.String()+" "+text)
	})
	log := r.Beside(zap.NewNop())
	for n := range rosoutDepth + 100 {
		log.Warn(fmt.Sprint(n))
	}
	_ = r.Close()
	log.Warn("after the end")
	close(open)
	<-r.done
	mu.Lock()
	defer mu.Unlock()
	dropped := 0
	for _, line := range got {
		if n, err := fmt.Sscanf(line, "WARN %d line", &dropped); n == 1 && err == nil {
			break
		}
	}
	if dropped == 0 || len(got)-1+dropped != rosoutDepth+100 {
		t.Errorf("%d lines were published and %d were dropped, of %d", len(got)-1, dropped, rosoutDepth+100)
	}
}

// TestRosoutInItsWords: level and text of the published lines.
func TestRosoutInItsWords(t *testing.T) {
	var got []string
	r := NewRosout(func(level rclgo.LogSeverity, text string) { got = append(got, level.String()+" "+text) })
	log := r.Beside(zap.NewNop()).With(zap.String("node", "/lidar"))
	log.Debug("hidden")
	log.Info("the network is active", zap.String("cause", "anna"), zap.String("kind", "state"))
	log.Warn("no answer", zap.Error(errors.New("gone\x1b[2J")), zap.Int("tries", 3))
	log.Error("failed")
	_ = r.Close()
	<-r.done
	want := "INFO the network is active (anna)|WARN no answer; error: gone\uFFFD[2J; tries: 3|ERROR failed"
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}
