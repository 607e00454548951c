// Command indomain runs one command in a ROS domain that no other run on this machine uses, unless ROS_DOMAIN_ID is
// set.
//
//	indomain COMMAND ARGUMENT...
//
// It may import the standard library and test/bed/domain.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"rstate/test/bed/domain"
)

func main() { os.Exit(run(os.Args[1:])) }

// run holds the domain while the command runs, and ends with its exit status.
func run(args []string) int {
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "indomain: cannot run: no command is named")
		return 2
	}
	_, release, err := domain.Take()
	if err != nil {
		fmt.Fprintln(os.Stderr, "indomain: "+err.Error())
		return 2
	}
	defer release()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return max(exit.ExitCode(), 1)
	}
	fmt.Fprintf(os.Stderr, "indomain: cannot run %q: %v\n", args[0], err)
	return 1
}
