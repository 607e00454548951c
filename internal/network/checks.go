package network

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"rstate/internal/strict"
)

// Check is one thing that must hold before and while the network is armed. Exactly one of Topic, Service, Parameter
// and File is set, and says what is looked at. Kind says what is asked of it.
type Check struct {
	Topic     string
	Service   string
	Parameter string // of the node that has the check
	File      string // on the host of the daemon

	Type  string        // of the topic or service; empty: the type with which the topic is published
	Rate  float64       // how often the topic comes at least, Hz; 0: as it likes
	Age   time.Duration // the greatest age of the newest message of the topic; 0: any
	Field string        // of the topic's messages, with dots between nested names; empty: none is looked at
	Bound Bound         // of the field or parameter
	When  When
	Warn  bool // it is shown, and forbids nothing
}

// CheckKind is what a check asks of the thing that it looks at.
type CheckKind string

// The kinds of checks. Each has a gauge in package checking.
const (
	CheckRate      CheckKind = "rate"      // a topic comes often enough
	CheckAge       CheckKind = "age"       // the newest message of a topic is new enough
	CheckField     CheckKind = "field"     // a field of the newest message is within a bound
	CheckService   CheckKind = "service"   // a service answers with success
	CheckParameter CheckKind = "parameter" // a parameter of the node is within a bound
	CheckFile      CheckKind = "file"      // a file exists
)

// When says in which part of an armed network's life a check counts.
type When string

// The parts. A check without `when` counts in both.
const (
	Always When = ""
	Enter  When = "enter" // before the network is armed
	Stay   When = "stay"  // while it is armed
)

// DefaultFieldAge is the greatest age of the message in which a field is looked at.
const DefaultFieldAge = 5 * time.Second

// Kind returns what the check asks.
func (c *Check) Kind() CheckKind {
	switch {
	case c.Service != "":
		return CheckService
	case c.Parameter != "":
		return CheckParameter
	case c.File != "":
		return CheckFile
	case c.Field != "":
		return CheckField
	case c.Rate > 0:
		return CheckRate
	}
	return CheckAge
}

// Counted reports whether the check listens to a topic. Every other one asks, and gets an answer.
func (c *Check) Counted() bool { return c.Topic != "" }

// Subject names what the check looks at.
func (c *Check) Subject() string {
	if c.Field != "" {
		return c.Topic + " " + c.Field
	}
	return cmp.Or(c.Topic, c.Service, c.Parameter, c.File)
}

// Enters reports whether the check forbids to arm.
func (c *Check) Enters() bool { return !c.Warn && c.When != Stay }

// Stays reports whether the check forbids to stay armed.
func (c *Check) Stays() bool { return !c.Warn && c.When != Enter }

// fieldPattern is how the fields of a message are written, with dots between nested ones.
const fieldPattern = `^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`

var fieldName = regexp.MustCompile(fieldPattern)

func checkFields() []strict.Field[Check] {
	limit := strict.Pointer(strict.Float(), func() float64 { return 0 })
	return []strict.Field[Check]{
		strict.Key("topic", "a topic: with rate, age or field", rosName("topic", "/joint_states"),
			func(c *Check) *string { return &c.Topic }).Plain(),
		strict.Key("rate", "how often the topic comes, at least", strict.Rate(),
			func(c *Check) *float64 { return &c.Rate }),
		strict.Key("age", "the greatest age of the newest message of the topic, by its arrival; with a field, 5s if it is left out",
			ageKind(), func(c *Check) *time.Duration { return &c.Age }).Plain(),
		strict.Key("field", "a field of the topic's messages, with dots between nested names; with above, below or is",
			fieldKind(), func(c *Check) *string { return &c.Field }).Plain(),
		strict.Key("service", "a service that answers with success", rosName("service", "/arm_driver/self_test"),
			func(c *Check) *string { return &c.Service }).Plain(),
		strict.Key("parameter", "a parameter of the node; with above, below or is", parameterKind(),
			func(c *Check) *string { return &c.Parameter }).Plain(),
		strict.Key("file", "a file or folder that exists on the host of rstate, as an absolute path", fileKind(),
			func(c *Check) *string { return &c.File }).Plain(),
		strict.Key("above", "the field or parameter is greater than this", limit,
			func(c *Check) **float64 { return &c.Bound.Above }),
		strict.Key("below", "the field or parameter is smaller than this", limit,
			func(c *Check) **float64 { return &c.Bound.Below }),
		strict.Key("is", "the field or parameter is equal to this: a number, true, false or a text",
			strict.Pointer(scalarKind(), func() Scalar { return Scalar{} }), func(c *Check) **Scalar { return &c.Bound.Is }),
		strict.Key("type", "the type of the topic or service", checkTypeKind(),
			func(c *Check) *string { return &c.Type }).Else(DefaultCheckType + " of a service; a topic's own"),
		strict.Key("when", "enter: it counts before the network is armed; stay: while it is armed; without this key, both",
			strict.Enum(Enter, Stay), func(c *Check) *When { return &c.When }).Plain(),
		strict.Key("warn", "true: it is shown, and forbids nothing", strict.Bool(),
			func(c *Check) *bool { return &c.Warn }),
	}
}

// checkTypeKind leaves what it reads to checkType, which knows whether it is of a topic or of a service.
func checkTypeKind() strict.Kind[string] {
	k := interfaceType("srv|msg", DefaultCheckType)
	k.Read = strict.Text("a type, like "+DefaultCheckType, "", func(string) (string, string) { return "", "" }).Read
	return k
}

// ageKind reads an age. A check without one says nothing of it.
func ageKind() strict.Kind[time.Duration] {
	k := strict.Duration(false)
	k.Write = func(d time.Duration) strict.Written {
		if d == 0 {
			return nil
		}
		return strict.Word(fmt.Sprint(k.Show(d)))
	}
	return k
}

func fieldKind() strict.Kind[string] {
	const wanted = "the name of a field, like percentage or pose.position.x"
	return strict.Text(wanted, fieldPattern, func(s string) (string, string) {
		if !fieldName.MatchString(s) {
			return fmt.Sprintf("%q is no name of a field", s), "write " + wanted
		}
		return "", ""
	})
}

func parameterKind() strict.Kind[string] {
	const wanted = "the name of a parameter, like max_speed"
	return strict.Text(wanted, `^\S+$`, func(s string) (string, string) {
		if s == "" || strings.ContainsAny(s, " \t\r\n") {
			return fmt.Sprintf("%q is no name of a parameter", s), "write " + wanted
		}
		return "", ""
	})
}

func fileKind() strict.Kind[string] {
	const wanted = "an absolute path, like /run/calibrated"
	return strict.Text(wanted, `^/.*[^/]$`, func(s string) (string, string) {
		if !filepath.IsAbs(s) || s != filepath.Clean(s) || s == "/" || strings.ContainsRune(s, 0) {
			return fmt.Sprintf("%q is no absolute path of a file", s), "write " + wanted
		}
		return "", ""
	})
}

func checksKind() strict.Kind[[]Check] {
	one := strict.Record(checkFields(), Check{})
	return strict.Kind[[]Check]{
		Schema: strict.Schema{"type": "array", "items": one.Schema},
		Read: func(v strict.Value, into *[]Check) {
			items, ok := v.Items("a list of checks, like [{topic: /joint_states, rate: 50Hz}]")
			if !ok {
				return
			}
			list := make([]Check, len(items))
			for i, item := range items {
				one.Read(item, &list[i])
				checkOf(item, &list[i])
			}
			*into = list
		},
		Show: func(c []Check) any { return append([]Check{}, c...) },
		Write: func(checks []Check) strict.Written {
			list := make([]strict.Written, len(checks))
			for i := range checks {
				list[i] = strict.Mapping(checkFields(), &checks[i])
			}
			return strict.Writtens(list)
		},
	}
}

// subjects are the keys that say what a check looks at, with the keys that each may have beside it.
var subjects = []struct {
	key, word string
	with      []string
}{
	{"topic", "a topic", []string{"rate", "age", "field", "above", "below", "is", "type"}},
	{"service", "a service", []string{"type"}},
	{"parameter", "a parameter", []string{"above", "below", "is"}},
	{"file", "a file", nil},
}

// checkOf checks one check by itself, and gives it what depends on its kind.
func checkOf(v strict.Value, c *Check) {
	if !v.IsMap() {
		return
	}
	var found []int
	for i, s := range subjects {
		if v.Has(s.key) {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 0:
		v.Fault("names nothing to look at", "write {topic: …, rate: …Hz}, {service: …}, {parameter: …} or {file: …}")
		return
	case len(found) > 1:
		v.Fault("names "+subjects[found[0]].word+" and "+subjects[found[1]].word, "make two checks of it")
		return
	}
	s := subjects[found[0]]
	strange := misplaced(v, s.word, s.with)
	if s.key == "topic" && !strange {
		checkTopic(v)
	}
	if !strange {
		checkBound(v, c)
	}
	checkType(v, c)
	checkMeasured(v, c)
	if v.Has("warn") && c.Warn && v.Has("when") {
		v.Find("when").Fault("a check that only warns is shown at any time", "remove when:, or warn:")
	}
	if c.Field != "" && c.Age == 0 {
		c.Age = DefaultFieldAge
	}
}

// misplaced reports keys that what the check looks at does not have.
func misplaced(v strict.Value, word string, with []string) (found bool) {
	for _, key := range subjects[0].with {
		fits := false
		for _, w := range with {
			fits = fits || w == key
		}
		if !fits && v.Has(key) {
			v.Find(key).Fault(word+" has no "+key, "remove it")
			found = true
		}
	}
	return found
}

// checkTopic checks that exactly one thing is asked of a topic.
func checkTopic(v strict.Value) {
	rate, age, field := v.Has("rate"), v.Has("age"), v.Has("field")
	switch {
	case rate && age:
		v.Fault("asks for a rate and an age", "make two checks of it")
	case rate && field:
		v.Fault("asks for a rate and a field", "make two checks of it")
	case !rate && !age && !field && (v.Has("above") || v.Has("below") || v.Has("is")):
		v.Fault("does not say which field is compared", "add field: and its name")
	case !rate && !age && !field:
		v.Fault("does not say how often the topic comes", "add rate: and, for example, 10Hz; or age:, or field:")
	}
}

// checkBound checks what a field or a parameter is compared with.
func checkBound(v strict.Value, c *Check) {
	is, limits := v.Has("is"), v.Has("above") || v.Has("below")
	compares := v.Has("field") || v.Has("parameter")
	switch {
	case compares && !is && !limits:
		v.Fault("does not say what the value has to be", "add above:, below: or is:")
	case !compares && !v.Has("topic"): // misplaced has reported it
	case !compares && c.Bound.Given() && (v.Has("rate") || v.Has("age")):
		v.Fault("compares no field", "add field: and its name, or remove above:, below: and is:")
	case is && limits:
		v.Find("is").Fault("leaves no room for above: and below:", "remove the one or the other")
	case c.Bound.empty():
		emptyBound(v.Find("above"), c.Bound)
	}
}

// emptyBound reports a bound that no number is within.
func emptyBound(at strict.Value, b Bound) {
	if *b.Above == *b.Below {
		at.Fault(fmt.Sprintf("no number is between %v and %[1]v", Number(*b.Above)),
			fmt.Sprintf("write is: %v, or two numbers that differ", Number(*b.Above)))
		return
	}
	at.Fault("no number is "+b.String(), "exchange the two")
}

// checkType checks the type of a check, and gives a service without one the type that it usually has.
func checkType(v strict.Value, c *Check) {
	kind, example := "msg", "std_msgs/msg/Float32"
	if v.Has("service") {
		kind, example = "srv", DefaultCheckType
	}
	switch at := v.Find("type"); {
	case !v.Has("topic") && !v.Has("service"): // misplaced has reported a type
	case !v.Has("type") && v.Has("service"):
		c.Type = DefaultCheckType
	case c.Type == "": // there is none, or it is no text
	case otherKind(c.Type, kind):
		at.Fault(fmt.Sprintf("%s is not of the kind /%s/", c.Type, kind), "write package/"+kind+"/Name")
	default:
		interfaceType(kind, example).Read(at, &c.Type)
	}
}

// otherKind reports whether a type is that of a message where a service is wanted, or the reverse.
func otherKind(name, kind string) bool {
	parts := strings.Split(name, "/")
	return len(parts) == 3 && parts[1] != kind && (parts[1] == "msg" || parts[1] == "srv")
}

// Limits of what can be measured of a topic.
const (
	leastAge    = time.Millisecond
	TopicsRead  = 100 * time.Millisecond // while armed
	RatePeriods = 4                      // of a slow topic, in the time over which its rate is measured
	longRate    = 60                     // seconds that it takes to measure a rate
)

// checkMeasured checks that the rate or the age that is asked for can be measured, and soon.
func checkMeasured(v strict.Value, c *Check) {
	hint := fmt.Sprintf("write %v or more", TopicsRead)
	switch takes := RatePeriods / c.Rate; {
	case c.Age > 0 && c.Age < leastAge:
		v.Find("age").Fault(fmt.Sprintf("no message is read within %v of its arrival", c.Age), hint)
	case c.Age > 0 && c.Age < TopicsRead:
		v.Find("age").Warn(fmt.Sprintf("topics are read every %v, so a message that is too old is noticed later than that",
			TopicsRead), hint)
	case c.Rate > 0 && takes > longRate:
		v.Find("rate").Warn(fmt.Sprintf("takes %.0f s to be measured, and the network cannot be armed before", takes),
			"write age: and the time that may pass between two messages")
	}
}
