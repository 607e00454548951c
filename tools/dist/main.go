// Command dist makes what users install: Debian packages, Python wheels, and a folder of their choice.
//
//	dist make [-out bin/dist]      build all programs and pack them into a folder without other files; make dist
//	dist pack -out FOLDER ...      pack programs that are built already
//	dist install -prefix P ...     install them below P; make install
//	dist uninstall -prefix P       remove what install wrote; make uninstall
//	dist version                   print the version of this clone
//
// Each package is a list of files (tree.go) that a writer puts into its form: deb.go, wheel.go, install.go. The lists
// are in contents.go. The same files and the same SOURCE_DATE_EPOCH give the same bytes. No writer needs a network, root
// or a program of the machine. It may import the standard library.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "dist: "+err.Error())
		os.Exit(1)
	}
}

// request is what a command line asks for.
type request struct {
	out, prefix, destdir string
	programs             list // target=FILE
	ros                  list // distribution=FILE,OVERLAY
}

type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("say what to do: make, pack, install, uninstall or version")
	}
	var r request
	f := flag.NewFlagSet("dist "+args[0], flag.ContinueOnError)
	f.StringVar(&r.out, "out", "bin/dist", "the `folder` for the packages")
	f.StringVar(&r.prefix, "prefix", "/usr/local", "the `folder` below which to install")
	f.StringVar(&r.destdir, "destdir", "", "a `folder` that stands for / while files are written")
	f.Var(&r.programs, "program", "a program without ROS, as linux/amd64=`FILE`; may be repeated")
	f.Var(&r.ros, "ros", "a program with ROS and the interfaces, as jazzy=`FILE,OVERLAY`; may be repeated")
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%q is one word too many", f.Arg(0))
	}
	switch args[0] {
	case "make":
		return makeAll(r, out)
	case "pack":
		s, err := gather(r)
		if err != nil {
			return err
		}
		return pack(s, r.out, out)
	case "install":
		s, err := gather(r)
		if err != nil {
			return err
		}
		return install(s, r.prefix, r.destdir, out)
	case "version":
		told, err := version()
		fmt.Fprintln(out, told)
		return err
	case "uninstall":
		return uninstall(r.prefix, r.destdir, out)
	}
	return fmt.Errorf("cannot %s: dist can make, pack, install, uninstall, and tell the version", args[0])
}

// epoch is the time of all files: that of SOURCE_DATE_EPOCH, else that of the commit.
func epoch() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		said, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, errors.New("cannot tell the time of this version: set SOURCE_DATE_EPOCH, since git tells none")
		}
		text = strings.TrimSpace(string(said))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q: make it a number of seconds", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
