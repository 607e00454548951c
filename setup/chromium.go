package main

import (
	"fmt"
	"io"
	"os/exec"
)

// The words that fetch a browser for the tests of the page, and a Prometheus for those of metrics.
const (
	chromiumWord   = "chromium"
	prometheusWord = "prometheus"
)

// browserPackages are what the tests need of Debian: a headless browser, and a font. apt finds the libraries that this
// machine lacks.
var browserPackages = []string{"chromium-headless-shell", "fonts-dejavu-core"}

// chromiumPrograms are the names under which this machine may have a browser already.
var chromiumPrograms = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}

// fetchChromium unpacks a headless Chromium below .ros, unless this machine has one.
func fetchChromium(p place, notes io.Writer) error {
	return fetchProgram(p, notes, extra{chromiumWord, "Chromium", digest(fmt.Sprint(browserPackages)),
		func(dir string) error { return unpackDebian(dir, browserPackages) }}, chromiumPrograms)
}

// prometheusPackages are of Debian. promtool is in the package too.
var prometheusPackages = []string{"prometheus"}

// fetchPrometheus unpacks a Prometheus below .ros, unless this machine has one.
func fetchPrometheus(p place, notes io.Writer) error {
	return fetchProgram(p, notes, extra{prometheusWord, "Prometheus", digest(fmt.Sprint(prometheusPackages)),
		func(dir string) error { return unpackDebian(dir, prometheusPackages) }}, prometheusPackages)
}

// fetchProgram fetches a program, unless this machine has one under one of these names.
func fetchProgram(p place, notes io.Writer, e extra, names []string) error {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			fmt.Fprintf(notes, "setup: this machine has a %s: %s\n", e.what, path)
			return nil
		}
	}
	return e.fetch(p, notes)
}
