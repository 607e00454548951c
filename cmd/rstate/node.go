//go:build ros

package main

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rstate/internal/demo"
	"rstate/internal/network"
	"rstate/internal/session"
)

func nodeVerb(e *env, f *options) action {
	logger := logFlags(f)
	spec := demo.Node{
		Delay: map[string]time.Duration{}, LateAnswer: map[string]time.Duration{},
		Faults: map[demo.Fault][]string{}, After: map[demo.Fault]time.Duration{},
	}
	arm := f.Bool("arm", false, "offer ~/arm (std_srvs/srv/SetBool)")
	f.StringVar(&spec.ArmService, "arm-service", "", "offer arming as that `service`")
	leaseTopic := f.String("lease", session.UsualLease(),
		"`topic` of the arm lease; the node disarms when the lease ends: --lease /base/rstate/arm_lease")
	noLease := f.Bool("no-lease", false, "stay armed when the arm lease ends, like a node with dead_man: none")
	f.BoolVar(&spec.Plain, "plain", false, "run nodes without a lifecycle")
	f.Func("topic", "publish while active, as `name:type:rate`: --topic /scan:std_msgs/msg/Empty:50Hz; repeatable",
		func(text string) error {
			topic, err := parseTopic(text)
			spec.Topics = append(spec.Topics, topic)
			return err
		})
	f.Func("say", "publish a `value` in a field of a --topic before it: --topic /battery:std_msgs/msg/Float64:2Hz --say /battery:data=0.8; repeatable",
		func(text string) error {
			return say(spec.Topics, text)
		})
	f.Func("parameter", "have that parameter, as `name=value`: --parameter calibrated=true; repeatable", func(text string) error {
		value, err := parseParameter(text)
		spec.Parameters = append(spec.Parameters, value)
		return err
	})
	f.Func("service", "offer a service that answers with success, as `name:type`: --service /self_test:std_srvs/srv/Trigger; repeatable", func(text string) error {
		service, err := parseService(text)
		spec.Services = append(spec.Services, service)
		return err
	})
	stepper := stepFlags(f)
	count := f.Int("count", 1, "run that `number` of nodes for each name: /n_1, /n_2, …; above 20 nodes, they have no parameter services")
	faultFlags(f, &spec)
	timeFlags(f, &spec)
	return func(words []string) int {
		switch {
		case *count < 1:
			return e.fail(exitBadInput, "cannot make %d nodes: write --count with 1 or more", *count)
		case *arm && spec.ArmService == "":
			spec.ArmService = "~/arm"
		}
		if spec.Stepper = stepper(); spec.Stepper != nil && *count*len(words) > 1 && len(spec.Stepper.Wants) > 0 {
			return e.fail(exitBadInput, "cannot make nodes: --want is of one node; run the others by themselves")
		}
		if fault := badNames(words, spec, *leaseTopic); fault != "" {
			return e.fail(exitBadInput, "cannot make nodes: %s", fault)
		}
		if !*noLease {
			spec.Lease = path.Join("/", *leaseTopic)
		}
		log, _, err := logger()
		if err != nil {
			return e.fail(exitBadInput, "%v", err)
		}
		defer func() { _ = log.Sync() }()
		stop, quiet := serviceSignals()
		defer quiet()
		demo, err := demo.New(demoNodes(words, *count, spec), e.ros, log)
		if err != nil {
			return codeOf(e, err)
		}
		<-stop
		demo.Stop()
		return exitDone
	}
}

// wantWords are what a participant of a stepped loop can want, by their numbers.
var wantWords = []string{"", "stop", "reset", "abort", "pause", "fail", "succeed"}

// stepFlags adds the options of a participant of a stepped loop.
func stepFlags(f *options) func() *demo.Stepper {
	on := f.Bool("step", false, "take part in a stepped loop: offer ~/step (rstate_msgs/srv/Step)")
	s := &demo.Stepper{Wants: map[uint64]uint8{}}
	f.DurationVar(&s.Takes, "step-takes", 0, "the `time` that each call of ~/step takes: --step-takes 2ms")
	f.BoolVar(&s.Data, "step-data", false,
		"publish a number on ~/wave in each step, in lockstep, so that it can be recorded")
	f.Uint64Var(&s.Fails, "fail-step", 0, "fail in the step of that `number`, once: --fail-step 50")
	f.Func("want", "want something at the end of a step, as `what@step`, one of "+strings.Join(wantWords[1:], ", ")+
		": --want stop@100; repeatable", func(text string) error {
		what, step, _ := strings.Cut(text, "@")
		n, err := strconv.ParseUint(step, 10, 64)
		k := slices.Index(wantWords, what)
		if err != nil || n == 0 || k <= 0 {
			return fmt.Errorf("write it like stop@100")
		}
		s.Wants[n] = uint8(k)
		return nil
	})
	return func() *demo.Stepper {
		if !*on && len(s.Wants) == 0 && s.Fails == 0 && s.Takes == 0 && !s.Data {
			return nil
		}
		return s
	}
}

// badNames describes the first name that ROS does not accept; it is empty if all are valid. A name
// may be relative, or begin with ~/.
func badNames(nodes []string, spec demo.Node, lease string) string {
	look := func(name string, fault func(string) (string, string)) string {
		problem, hint := fault(path.Join("/", strings.TrimPrefix(name, "~/")))
		if problem == "" {
			return ""
		}
		return fmt.Sprintf("%q %s; %s", name, problem, hint)
	}
	faults := []string{look(lease, network.TopicName)}
	for _, name := range nodes {
		faults = append(faults, look(name, network.NodeName))
	}
	if spec.ArmService != "" {
		faults = append(faults, look(spec.ArmService, network.ServiceName))
	}
	for _, t := range spec.Topics {
		faults = append(faults, look(t.Name, network.TopicName))
	}
	for _, s := range spec.Services {
		faults = append(faults, look(s.Name, network.ServiceName))
	}
	return cmp.Or(faults...)
}

// faultFlags adds the options for faults of a node.
func faultFlags(f *options, spec *demo.Node) {
	for _, way := range []struct {
		flag  string
		fault demo.Fault
		usage string
	}{
		{"fail", demo.Refuse, "refuse the `step`, one of " + strings.Join(steps, ", ") + ": --fail configure"},
		{"err", demo.Err, "fail in the `step` with an error, and recover from error processing: --err activate"},
		{"freeze", demo.Freeze, "never return from the `step`, and stop answering: --freeze activate"},
		{"die", demo.Die, "end in the `step` as if killed, with all nodes of the process: --die configure"},
		{"lie", demo.Lie, "answer that the `step` was done, and do nothing: --lie activate"},
		{"lose-answer", demo.Lose, "do the `step` and never answer: --lose-answer configure"},
	} {
		f.Func(way.flag, way.usage+"; repeatable", func(step string) error {
			spec.Faults[way.fault] = append(spec.Faults[way.fault], step)
			return isStep(step)
		})
	}
	f.Func("times", "do the step without a fault after that `number` of faults: --fail configure --times 1",
		func(text string) (err error) {
			if spec.Times, err = strconv.Atoi(text); err != nil || spec.Times < 1 {
				return fmt.Errorf("write a number from 1 on")
			}
			return nil
		})
}

// timeFlags adds the options for delays of a node.
func timeFlags(f *options, spec *demo.Node) {
	for _, s := range steps {
		f.Func(s+"-delay", "the `time` that "+s+" takes: --"+s+"-delay 2s", func(text string) (err error) {
			spec.Delay[s], err = parseTime(text)
			return err
		})
	}
	f.Func("late-answer", "do the step at once and answer it late, as `step=time`: --late-answer activate=3s; repeatable", func(text string) error {
		step, late, found := strings.Cut(text, "=")
		if !found {
			return fmt.Errorf("write a step and how late it is, like activate=3s")
		}
		after, err := parseTime(late)
		if spec.LateAnswer[step] = after; err != nil {
			return err
		}
		return isStep(step)
	})
	after := func(fault demo.Fault, usage string) {
		f.Func(string(fault)+"-after", usage, func(text string) (err error) {
			spec.After[fault], err = parseTime(text)
			return err
		})
	}
	after(demo.Freeze, "stop answering after that `time`: --freeze-after 5s")
	after(demo.Die, "end as if killed after that `time`: --die-after 5s")
}

func isStep(step string) error {
	if !slices.Contains(steps, step) {
		return fmt.Errorf("write one of %s", strings.Join(steps, ", "))
	}
	return nil
}

func parseTime(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("write a time like 2s or 300ms")
	}
	return d, nil
}

// fastest is the highest rate of a demo node's topic, in Hz.
const fastest = 10_000

// topicForm is a name, the type of a message, and a rate.
var topicForm = regexp.MustCompile(`^([^:]+):([^:/]+/msg/[^:/]+):([0-9.]+)(Hz)?$`)

func parseTopic(text string) (demo.Topic, error) {
	parts := topicForm.FindStringSubmatch(text)
	if parts == nil {
		return demo.Topic{}, fmt.Errorf("write it like /scan:std_msgs/msg/Empty:50Hz")
	}
	rate, err := strconv.ParseFloat(parts[3], 64)
	if err != nil || rate < 0.001 || rate > fastest || math.IsNaN(rate) {
		return demo.Topic{}, fmt.Errorf("write a rate from 0.001Hz to 10000Hz")
	}
	return demo.Topic{Name: parts[1], Type: parts[2], Every: time.Duration(float64(time.Second) / rate)}, nil
}

// say sets a field of a topic.
func say(topics []demo.Topic, text string) error {
	name, said, _ := strings.Cut(text, ":")
	k := slices.IndexFunc(topics, func(t demo.Topic) bool { return t.Name == name })
	if k < 0 {
		return fmt.Errorf("write --topic %s:TYPE:RATE before it", cmp.Or(name, "/battery"))
	}
	value, err := parseValue(said)
	topics[k].Says = append(topics[k].Says, value)
	return err
}

func parseValue(text string) (demo.Value, error) {
	name, value, found := strings.Cut(text, "=")
	if !found || name == "" {
		return demo.Value{}, fmt.Errorf("write a name and a value, like percentage=0.8")
	}
	return demo.Value{Name: name, Value: network.Said(value).Plain()}, nil
}

// parseParameter is parseValue for a parameter, which has a type of its own: x=1.0 is a double.
func parseParameter(text string) (demo.Value, error) {
	p, err := parseValue(text)
	_, value, _ := strings.Cut(text, "=")
	p.Value = network.ParameterSaid(value)
	return p, err
}

// serviceForm is a name and the type of a service.
var serviceForm = regexp.MustCompile(`^([^:]+):([^:/]+/srv/[^:/]+)$`)

func parseService(text string) (demo.Service, error) {
	parts := serviceForm.FindStringSubmatch(text)
	if parts == nil {
		return demo.Service{}, fmt.Errorf("write it like /self_test:std_srvs/srv/Trigger")
	}
	return demo.Service{Name: parts[1], Type: parts[2]}, nil
}

// demoNodes returns count nodes for each name.
func demoNodes(names []string, count int, like demo.Node) []demo.Node {
	var nodes []demo.Node
	for _, name := range names {
		for i := range count {
			n := like
			n.Name = path.Join("/", name)
			if count > 1 {
				n.Name = fmt.Sprintf("%s_%d", n.Name, i+1)
			}
			nodes = append(nodes, n)
		}
	}
	return nodes
}
