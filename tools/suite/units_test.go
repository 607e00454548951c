package main

import (
	"slices"
	"testing"
)

// TestUnits: a function of go test in a file that is compiled only with ROS 2, or that needs a browser, is a unit.
func TestUnits(t *testing.T) {
	body := func(tags, more string) string {
		return tags + "package p\n\nimport \"testing\"\n\nfunc TestMain(*testing.M) {}\n\nfunc Testify() {}\n" + more
	}
	files(t, map[string]string{
		"p/pure_test.go":           body("", "func TestPure(*testing.T) {}\n"),
		"p/without_test.go":        body("//go:build !ros\n\n", "func TestWithout(*testing.T) {}\n"),
		"p/ros_test.go":            body("//go:build ros\n\n", "func TestReal(*testing.T) {}\nfunc FuzzReal(*testing.F) {}\nfunc ExampleX() {}\n"),
		"p/time_test.go":           body("// About time.\n\n//go:build ros && !patient\n\n", "func TestSoon(*testing.T) {}\n"),
		"p/other_test.go":          body("//go:build windows && ros\n\n", "func TestOther(*testing.T) {}\n"),
		"test/page/look_test.go":   body("", "func TestLook(*testing.T) {}\n"),
		"test/page/real_test.go":   body("//go:build ros\n\n", "func TestBoth(*testing.T) {}\n"),
		"rclgo/pkg/x/x_test.go":    body("", "func TestX(*testing.T) {}\n"),
		"p/testdata/no_test.go":    "no Go",
		".ros/jazzy/some_test.go":  "no Go",
		"p/not.go":                 "package p\n\nfunc TestNot() {}\n",
		"rclgo/pkg/x/main_test.go": body("", ""),
	})
	found, err := units(".")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, u := range found {
		got = append(got, u.id()+" "+[]string{"nothing", "patient", "real clock", "browser", "binding"}[u.needs])
	}
	slices.Sort(got)
	want := []string{"p.ExampleX patient", "p.FuzzReal patient", "p.TestReal patient", "p.TestSoon real clock",
		"rclgo/pkg/x.TestX binding", "test/page.TestBoth patient", "test/page.TestLook browser"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
