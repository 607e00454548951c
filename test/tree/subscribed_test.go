package tree

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// subscriptions find where the sources read messages of a type of the bindings.
var subscriptions = []*regexp.Regexp{
	regexp.MustCompile(`\b\w+_msgs_msg\.New(\w+)Subscription\(`),
	regexp.MustCompile(`\bhear\(.*\b\w+_msgs_msg\.(\w+)TypeSupport`),
	regexp.MustCompile(`\.NewSubscription\(\w+, \w+_msg\.(\w+)TypeSupport`),
	regexp.MustCompile(`\b\w+_msgs_action\.New(\w+?)(?:Client|Server)\(`),
}

// byName find subscriptions to a type that a file or a person names. FuzzAnyType stands for all of them.
var byName = regexp.MustCompile(`\.NewSubscription\(`)

// TestEverySubscribedTypeIsFuzzed: test/bytes has a target for each type that a process of rstate subscribes to.
func TestEverySubscribedTypeIsFuzzed(t *testing.T) {
	text, err := os.ReadFile("../bytes/bytes_test.go")
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^func Fuzz(\w+)\(`).FindAllStringSubmatch(string(text), -1) {
		targets[m[1]] = true
	}
	found := map[string]bool{}
	for _, dir := range packages(t, "internal", "cmd") {
		for _, f := range files(t, dir) {
			if strings.HasSuffix(f.name, "_test.go") {
				continue
			}
			source, err := os.ReadFile(f.name)
			if err != nil {
				t.Fatal(err)
			}
			types := subscribed(string(source))
			for _, name := range types {
				found[name] = true
				if !targets[name] {
					t.Errorf("%s subscribes to %s, and test/bytes has no Fuzz%s", f.name, name, name)
				}
			}
		}
	}
	for _, name := range []string{"ArmLease", "InstanceState", "PeerStatus", "NetworkState", "Transition", "Log",
		"AnyType"} {
		if !found[name] {
			t.Errorf("no subscription to %s was found, so this test does not see them any more", name)
		}
	}
}

// subscribed lists the types to which a source subscribes.
func subscribed(source string) (types []string) {
	for _, one := range subscriptions {
		for _, m := range one.FindAllStringSubmatch(source, -1) {
			types = append(types, m[1])
		}
	}
	if byName.MatchString(source) && !strings.Contains(source, "func hear[") {
		types = append(types, "AnyType")
	}
	return types
}
