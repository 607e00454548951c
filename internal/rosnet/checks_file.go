//go:build ros

package rosnet

import (
	"errors"
	"io/fs"
	"os"
	"sync/atomic"

	"rstate/internal/network"
)

// fileCheck looks for a file on this host. A look can hang as long as a disk or a network does, and nothing ends it. So
// there is one at a time; to a request beside it there is no answer.
type fileCheck struct {
	path    string
	looking atomic.Bool
}

func (f *fileCheck) ask(req *request) (none network.Scalar, fault string) {
	req.passTurn()
	if !f.looking.CompareAndSwap(false, true) {
		<-req.ctx.Done()
		return none, ""
	}
	found := make(chan error, 1)
	go func() { // it may outlive this process's end
		defer f.looking.Store(false)
		_, err := os.Stat(f.path)
		found <- err
	}()
	select {
	case err := <-found:
		return none, missingWords(err)
	case <-req.ctx.Done():
		return none, ""
	}
}

// missingWords says why a file was not found; empty: it was.
func missingWords(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	}
	return "cannot be looked at: " + err.Error()
}
