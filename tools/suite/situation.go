package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rstate/test/promises"
)

// situation is what a choice depends on.
type situation struct {
	root    string
	distros []string // the first has everything, the others what depends on a distribution
	notHere []string // distributions that this machine cannot run, and why

	packages []listed
	pure     []string // packages without ROS 2 and without a browser
	races    []string // those of them whose tests start goroutines
	reach    []string // packages that the change reaches
	units    []unit
	rows     []promises.Row

	change change
	eighth int
	whose  string // how the eighth was found
	stalls string
	meter  string // this program
}

// raceless are the packages whose goroutines share a list of work only. The race detector makes them so slow that only
// nightly has it.
var raceless = []string{"rstate/internal/explore", "rstate/internal/rehearse"}

// look reads the situation of a checkout.
func look(folder string) (situation, error) {
	root, err := filepath.Abs(folder)
	if err != nil {
		return situation{}, err
	}
	s := situation{root: root, distros: []string{"jazzy", "kilted"}, change: lastChange(root)}
	s.eighth, s.whose = ownEighth(root)
	if d := os.Getenv("ROS_DISTRO"); d != "" {
		s.distros = append([]string{d}, slices.DeleteFunc(s.distros, func(o string) bool { return o == d })...)
	}
	if os.Getenv("AMENT_PREFIX_PATH") != "" { // a sourced one is used as it is, and there is no other beside it
		s.distros, s.notHere = s.distros[:1], s.distros[1:]
	}
	if s.units, err = units(root); err != nil {
		return s, err
	}
	if s.rows, err = promises.Load(root); err != nil {
		return s, err
	}
	packages, err := list(root)
	if err != nil {
		return s, err
	}
	needBrowser := func(name string) bool { return slices.Contains(inBrowser, strings.TrimPrefix(name, "rstate/")) }
	s.pure = slices.DeleteFunc(pure(packages), needBrowser)
	many, _, err := sorted(packages)
	if err != nil {
		return s, err
	}
	s.races = slices.DeleteFunc(many, func(name string) bool { return !slices.Contains(s.pure, name) || slices.Contains(raceless, name) })
	s.packages = packages
	return s.about(s.change), nil
}

// about returns the situation for another change.
func (s situation) about(c change) situation {
	s.change = c
	s.reach = reached(s.root, s.packages, c.folders())
	if c.all || slices.Contains(c.files, "go.mod") || slices.Contains(c.files, "go.sum") {
		s.reach = slices.Clone(s.pure)
		for _, folder := range inBrowser {
			s.reach = append(s.reach, "rstate/"+folder)
		}
	}
	return s
}

// isReached reports whether the change reaches a package of this module.
func (s situation) isReached(name string) bool { return slices.Contains(s.reach, name) }

// isPromise reports whether a unit is the test of a promise.
func (s situation) isPromise(u unit) bool {
	return slices.ContainsFunc(s.rows, func(r promises.Row) bool { return r.Test == u.id() })
}

// isBeside reports whether a unit is named beside the test of a promise, and all that the promise depends on, or only
// what has changed.
func (s situation) isBeside(u unit, changed bool) bool {
	return slices.ContainsFunc(s.rows, func(r promises.Row) bool {
		return slices.Contains(r.More, u.id()) && (!changed || slices.ContainsFunc(r.When, s.change.below))
	})
}

// isChanged reports whether the file of a unit has changed, or what all units with its need have in common.
func (s situation) isChanged(u unit) bool {
	switch {
	case s.change.all || slices.Contains(s.change.files, u.file):
		return true
	case u.needs == browser:
		return s.isReached("rstate/" + u.folder)
	case u.needs == binding:
		return s.change.below(rclgoFolder)
	}
	return false
}

// waited are the units for which a person waits: those of the promises, and those whose file has changed.
func (s situation) waited(u unit) bool {
	return s.isPromise(u) || slices.Contains(s.change.files, u.file)
}

// keep returns the units for which a function holds.
func keep(units []unit, holds func(unit) bool) []unit {
	return slices.DeleteFunc(slices.Clone(units), func(u unit) bool { return !holds(u) })
}

// real returns the stages of some units on the first distribution, with all that they need.
func (s situation) real(units []unit, race bool) []stage {
	stages := append(s.readies(s.distros[0], units), pages()...)
	return append(stages, s.unitStages(s.distros[0], units, race)...)
}

// second returns the stages of some units on a second distribution. The page is the same on each.
func (s situation) second(distro string, units []unit) []stage {
	units = keep(units, func(u unit) bool { return u.needs != browser })
	return append(s.readies(distro, units), s.unitStages(distro, units, false)...)
}
