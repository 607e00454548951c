// Command with runs a command under faults of the middleware, on a sourced ROS 2:
//
//	go run ./test/shim/with no_events,other_gids bin/rstate doctor
//
// It ends with the exit code of the command. It may import the standard library and test/shim.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"rstate/test/shim"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: with FAULT[,FAULT…] COMMAND [ARGUMENT…]\n\nfaults:")
		for _, fault := range shim.Faults() {
			fmt.Fprintf(os.Stderr, "  %-16s %s\n", fault.Name, fault.Like)
		}
		return 2
	}
	folder, err := os.MkdirTemp("", "rstate-shim-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	library, err := shim.Build(folder)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	signal.Notify(make(chan os.Signal, 1), os.Interrupt) // which the terminal also sends to the command
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Env = append(os.Environ(), shim.Environment(library, strings.Split(args[0], ",")...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
