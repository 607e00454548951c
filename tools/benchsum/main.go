// Command benchsum passes on the output of go test -bench and counts how many bounds are met. A
// benchmark with a bound reports how much of it is used, in the unit "of-bound": up to 1 the bound
// is met. The last line is "N of M met", and the exit status is 0 if all are met.
//
//	go test -bench . ./... | benchsum
//
// It may import the standard library only.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// unit is the unit of a measurement relative to its bound.
const unit = "of-bound"

func main() {
	if !sum(os.Stdin, os.Stdout) {
		os.Exit(1)
	}
}

// sum copies in to out and reports success: there is a bound, all bounds are met, and nothing
// failed.
func sum(in io.Reader, out io.Writer) bool {
	met, bounds, failed := 0, 0, false
	var missed []string
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		fmt.Fprintln(out, line)
		failed = failed || strings.HasPrefix(line, "FAIL") || strings.HasPrefix(line, "--- FAIL")
		used, ok := measure(line)
		if !ok {
			continue
		}
		if bounds++; used <= 1 {
			met++
		} else {
			missed = append(missed, strings.Fields(line)[0])
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(out, "benchsum: cannot read the benchmarks:", err)
		failed = true
	}
	if len(missed) > 0 {
		fmt.Fprintln(out, "not met:", strings.Join(missed, ", "))
	}
	fmt.Fprintf(out, "%d of %d met\n", met, bounds)
	return !failed && met == bounds && bounds > 0
}

// measure reads how much of its bound a benchmark used.
func measure(line string) (float64, bool) {
	fields := strings.Fields(line)
	if len(fields) == 0 || !strings.HasPrefix(fields[0], "Benchmark") {
		return 0, false
	}
	for k := 2; k+1 < len(fields); k++ {
		if fields[k+1] == unit {
			used, err := strconv.ParseFloat(fields[k], 64)
			return used, err == nil
		}
	}
	return 0, false
}
