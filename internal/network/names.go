package network

import (
	"fmt"
	"regexp"
	"strings"

	"rstate/internal/strict"
)

// ROS refuses longer names: those of topics and services get a prefix within 255 bytes.
const maxName = 247

// rosPattern is for the schema of files; ItsID may be a part of a name there.
const rosPattern = `^(/[A-Za-z_]([A-Za-z0-9_]|\$\(sim\))*)+$`

var (
	rosNamePattern = regexp.MustCompile(`^(/[A-Za-z_][A-Za-z0-9_]*)+$`)
	badInName      = regexp.MustCompile(`[^A-Za-z0-9_/]`)
	digitFirst     = regexp.MustCompile(`(^|/)([0-9])`)
)

// rosName reads the full name of a node, topic or service; noun says which.
func rosName(noun, example string) strict.Kind[string] {
	wanted := "the full name of a " + noun + ", like " + example
	return strict.Text(wanted, rosPattern, func(s string) (string, string) {
		return nameFault(s, noun, wanted)
	})
}

// ServiceName says what is wrong with the full name of a service, and what to write; nothing, if nothing is.
func ServiceName(name string) (problem, hint string) {
	return nameFault(name, "service", "the full name of a service, like /arm_driver/arm")
}

// NodeName says what is wrong with the full name of a node, and what to write; nothing, if nothing is.
func NodeName(name string) (problem, hint string) {
	return nameFault(name, "node", "the full name of a node, like /slam")
}

// TopicName says what is wrong with the full name of a topic, and what to write; nothing, if nothing is.
func TopicName(name string) (problem, hint string) {
	return nameFault(name, "topic", "the full name of a topic, like /scan")
}

func nameFault(s, noun, wanted string) (problem, hint string) {
	switch {
	case rosNamePattern.MatchString(s) && len(s) <= maxName:
		return "", ""
	case rosNamePattern.MatchString(s):
		return fmt.Sprintf("is longer than the %d letters that ROS takes", maxName), "choose a shorter name"
	case strings.HasPrefix(s, "~"):
		return "is relative to a node", "write " + wanted
	case rosNamePattern.MatchString("/" + s):
		return "is a relative name", "write it in full: /" + s
	case badInName.MatchString(s):
		return fmt.Sprintf("is no name of a %s: ROS does not take %q in one", noun, badInName.FindString(s)),
			"use letters, digits, _ and /"
	case digitFirst.MatchString(s):
		return fmt.Sprintf("is no name of a %s: a part of it starts with a digit", noun),
			"start each part with a letter or _, like " + digitFirst.ReplaceAllString(s, "${1}sim_${2}")
	case strings.HasSuffix(s, "/"), strings.Contains(s, "//"):
		return fmt.Sprintf("is no name of a %s: a part of it is empty", noun), "write " + wanted
	}
	return "is no name of a " + noun, "write " + wanted
}

// interfaceType reads the type of a service (srv), a message (msg), or either.
func interfaceType(kinds, example string) strict.Kind[string] {
	pattern := `^[a-z][a-z0-9_]*/(` + kinds + `)/[A-Z][A-Za-z0-9]*$`
	whole := regexp.MustCompile(pattern)
	return strict.Text("a type, like "+example, pattern, func(s string) (string, string) {
		if whole.MatchString(s) && len(s) <= maxName {
			return "", ""
		}
		if parts := strings.Split(s, "/"); len(parts) == 2 {
			middle, _, _ := strings.Cut(kinds, "|")
			if full := parts[0] + "/" + middle + "/" + parts[1]; whole.MatchString(full) {
				return "is no full type", "write " + full
			}
		}
		return "is no type", "write package/" + strings.ReplaceAll(kinds, "|", " or ") + "/Name, like " + example
	})
}

const tokenPattern = `^[A-Za-z0-9_]+$`

var token = regexp.MustCompile(tokenPattern)

// simulationID reads an id that can be a part of a ROS name; the NRP's are numbers.
func simulationID() strict.Kind[string] {
	kind := strict.Text("an id of letters, digits and _", tokenPattern, func(s string) (string, string) {
		if !token.MatchString(s) || len(s) > 100 {
			return "is no simulation id", "use up to 100 letters, digits and _"
		}
		return "", ""
	})
	kind.Schema = strict.Schema{"type": []string{"string", "integer"}, "pattern": `^([A-Za-z0-9_]|\$\(sim\))+$`}
	return kind
}

// word reads the name of a group or of a sub-state.
func word(noun string) strict.Kind[string] {
	return strict.Text("the name of a "+noun, tokenPattern, func(s string) (string, string) {
		return wordFault(s, noun)
	})
}

func wordFault(s, noun string) (problem, hint string) {
	if !token.MatchString(s) || len(s) > 100 {
		return "is no name of a " + noun, "use letters, digits and _"
	}
	return "", ""
}
