package app

import (
	"errors"
	"slices"
	"testing"

	"go.uber.org/zap"
)

func TestCleanupsRunNewestFirstOnceAndGoOnAfterAnError(t *testing.T) {
	var order []string
	c := cleanups{log: zap.NewNop()}
	for _, name := range []string{"context", "node", "world"} {
		c.add(name, func() error {
			order = append(order, name)
			return errors.New("cannot")
		})
	}
	c.run()
	c.run()
	if want := []string{"world", "node", "context"}; !slices.Equal(order, want) {
		t.Errorf("closed %v, want %v", order, want)
	}
}
