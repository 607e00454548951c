package bed

import (
	"io"
	"os"
	"testing"
)

// StartPiped is Start for a program with which the test exchanges text: the test writes to `in`,
// and reads the program's stdout from `out`. Both close when the test ends.
func StartPiped(t testing.TB, name string, command Command) (p *Process, in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	needMain(t)
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatalf("cannot start %s: %v", name, err)
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatalf("cannot start %s: %v", name, err)
	}
	defer theirOut.Close()
	if p, err = launch(name, command, theirIn, theirOut); err != nil {
		t.Fatalf("cannot start %s: %v", name, err)
	}
	t.Cleanup(func() {
		in.Close()
		out.Close()
	})
	adopt(t, p)
	return p, in, out
}
