// Package rmwchoice lets a program handle an environment that asks for a middleware which the program
// cannot have: one with which it is not linked, or one that is not installed. By itself rcl ends such a
// process with code 102 while it is being loaded, before main.
//
// An executable needs only to import the package, which reads RMW_IMPLEMENTATION before any library does.
// If ROS chooses the middleware at run time (librmw_implementation), the package changes nothing unless the
// middleware is not installed. It imports the standard library only.
package rmwchoice

// #include "choice.h"
import "C"

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	variable = "RMW_IMPLEMENTATION"
	chooser  = "rmw_implementation" // it is listed as a middleware, and loads one
)

// tried are the middlewares with which this module has been run.
var tried = []string{"rmw_cyclonedds_cpp", "rmw_fastrtps_cpp", "rmw_zenoh_cpp"}

var asked string

// init restores the variable's name, so that child processes see the same request.
func init() {
	if C.rmwchoice_asked() == nil {
		return
	}
	asked = C.GoString(C.rmwchoice_asked())
	os.Unsetenv("r" + variable[1:])
	os.Setenv(variable, asked)
}

// Refused returns the middleware that the environment asks for and the one that this program has, if the
// program cannot have the one that it is asked for: in that case the program must not use ROS. If ROS chooses
// the middleware at run time, linked is empty: to ask would load the middleware that is missing.
func Refused() (wanted, linked string, refused bool) {
	if asked == "" {
		return "", "", false
	}
	return asked, inUse(), true
}

// hasChooser reports whether ROS chooses the middleware at run time.
func hasChooser() bool { return C.rmwchoice_chooser() != nil }

// inUse returns the identifier of the middleware in use, or "" if there is none.
func inUse() string {
	if asked != "" && hasChooser() {
		return ""
	}
	return C.GoString(C.rmwchoice_in_use())
}

// Installed returns the middlewares that are installed where this program finds ROS 2.
func Installed() []string {
	var found []string
	for _, prefix := range prefixes() {
		entries, _ := os.ReadDir(filepath.Join(prefix, "share", "ament_index", "resource_index", "rmw_typesupport"))
		for _, e := range entries {
			if e.Name() != chooser && library(prefix, e.Name()) {
				found = append(found, e.Name())
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// prefixes returns those of the environment, and the one with the library that the program has loaded.
func prefixes() []string {
	list := filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH"))
	for _, file := range []*C.char{C.rmwchoice_chooser(), C.rmwchoice_library()} {
		if path := C.GoString(file); strings.Contains(path, "/") {
			list = append(list, filepath.Dir(filepath.Dir(path)))
		}
	}
	return list
}

func library(prefix, middleware string) bool {
	_, err := os.Stat(filepath.Join(prefix, "lib", "lib"+middleware+".so"))
	return err == nil
}

// Problem returns an error of one line if Refused: what was asked for, what is installed, and what to do.
func Problem() error {
	wanted, linked, refused := Refused()
	if !refused {
		return nil
	}
	installed := Installed()
	switch {
	case !slices.Contains(installed, wanted):
		return fmt.Errorf("%s asks for %q, which is not installed; installed: %s; unset %[1]s, set it to one of those, "+
			"or install the ROS 2 package %[2]s", variable, wanted, list(installed))
	case linked == "":
		return fmt.Errorf("%s asks for %q, which is installed, but the loader does not find lib%[2]s.so; source the "+
			"setup file of the workspace that has it, or unset %[1]s", variable, wanted)
	default:
		return fmt.Errorf("%s asks for %q, which is installed, but this program is linked with %s; unset %[1]s, "+
			"or build the program in a terminal in which a ROS 2 with rmw_implementation is sourced", variable, wanted, linked)
	}
}

// Notice returns a line about a middleware that is in use and with which this module has not been tried,
// or "".
func Notice() string {
	name := inUse()
	if name == "" || slices.Contains(tried, name) {
		return ""
	}
	return fmt.Sprintf("the middleware %s has not been tried; tried: %s; installed: %s; if something does not work, set "+
		"%s to one that has been tried", name, list(tried), list(Installed()), variable)
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
