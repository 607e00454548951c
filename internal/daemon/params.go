//go:build ros

package daemon

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"rstate/internal/host"
	"rstate/internal/logs"
	"rstate/internal/session"
)

// The parameters of a daemon, beside use_sim_time, which every node has by itself.
const (
	paramNetwork   = "network"
	paramAutostart = "autostart"
	paramJournal   = "journal"
	paramLogLevel  = "log_level"
)

// fixedAtStart describes a parameter that keeps its value.
const fixedAtStart = "fixed when the daemon starts"

// badParameter is BadParameter without what rclgo says about the name, too.
func badParameter(name string, err error) *session.BadParameter {
	if cause := errors.Unwrap(err); cause != nil {
		err = cause
	}
	return &session.BadParameter{Name: name, Cause: err}
}

// parameters are the daemon's. What it is made from is fixed when it starts; the log's level may be
// set any time.
type parameters struct {
	network   string
	journal   string
	autostart string
}

// declareParameters declares all of them. What the command line says is their default, and where
// both say something they have to agree.
func declareParameters(node *rclgo.Node, c Config) (p parameters, err error) {
	if p, err = declareJournal(node, c); err != nil || c.Nav2 {
		return p, err
	}
	if p.network, err = declareFixed(node, paramNetwork, c.File, "the network file, as a path"); err != nil {
		return p, err
	}
	if p.network, err = host.ExpandHome(p.network); err != nil {
		return p, &session.BadParameter{Name: paramNetwork, Cause: err}
	}
	if c.File != "" && !sameFile(p.network, c.File) {
		return p, &session.BadParameter{Name: paramNetwork,
			Cause: fmt.Errorf("it is %q and the command line says %q; leave one of them out", p.network, c.File)}
	}
	if p.autostart, err = declareFixed(node, paramAutostart, "",
		"the state or command to bring the network to once it is known, never one that arms; empty: none"); err != nil {
		return p, err
	}
	return p, nil
}

// declareJournal declares the parameters of every daemon: where its journal is, and the level of its log.
func declareJournal(node *rclgo.Node, c Config) (p parameters, err error) {
	if p.journal, err = declareFixed(node, paramJournal, c.Journal,
		"the folder of the journal; empty: rstate/<node> in $ROS_HOME, else in ~/.ros"); err != nil {
		return p, err
	}
	if p.journal, err = host.ExpandHome(p.journal); err != nil {
		return p, &session.BadParameter{Name: paramJournal, Cause: err}
	}
	if c.Journal != "" && !sameFile(p.journal, c.Journal) {
		return p, &session.BadParameter{Name: paramJournal,
			Cause: fmt.Errorf("it is %q and --journal says %q; leave one of them out", p.journal, c.Journal)}
	}
	level := zap.NewAtomicLevel()
	if c.Level != nil {
		level = *c.Level
	}
	return p, declareLogLevel(node, level)
}

// strangers returns the given parameters that the daemon does not declare. ROS ignores them
// silently, and so hides misspelt names. They are not a fault, because files for many nodes contain
// them.
func strangers(params *rclgo.Parameters) []string {
	var names []string
	for name := range params.Overrides() {
		if _, declared := params.Get(name); !declared {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// declareFixed declares a parameter that keeps the value with which the daemon starts.
func declareFixed[T rclgo.ParameterValue](node *rclgo.Node, name string, value T, description string) (T, error) {
	given, err := rclgo.DeclareParameter(node, name, value, &rclgo.ParameterDescriptor{
		Description: description, ReadOnly: true, AdditionalConstraints: fixedAtStart,
	})
	if err != nil {
		return value, badParameter(name, err)
	}
	return given, nil
}

// declareLogLevel lets others change the log's level, at once.
func declareLogLevel(node *rclgo.Node, level zap.AtomicLevel) error {
	params := node.Parameters()
	params.OnSet(func(list []rclgo.Parameter) error {
		_, _, err := levelIn(list)
		return err
	})
	follow := func(list []rclgo.Parameter) {
		if at, is, err := levelIn(list); is && err == nil {
			level.SetLevel(at)
		}
	}
	params.OnChange(follow)
	value, err := rclgo.DeclareParameter(node, paramLogLevel, level.String(), &rclgo.ParameterDescriptor{
		Description: "the least level that is logged", AdditionalConstraints: "debug, info, warn or error",
	})
	if err != nil {
		return badParameter(paramLogLevel, err)
	}
	follow([]rclgo.Parameter{{Name: paramLogLevel, Value: value}})
	return nil
}

// levelIn returns the log's level among parameters, if it is among them.
func levelIn(list []rclgo.Parameter) (level zapcore.Level, is bool, err error) {
	for _, p := range list {
		if name, ok := p.Value.(string); ok && p.Name == paramLogLevel {
			level, err = logs.Level(name)
			return level, true, err
		}
	}
	return 0, false, nil
}

// sameFile says whether two paths mean the same place.
func sameFile(a, b string) bool {
	x, err := filepath.Abs(a)
	y, err2 := filepath.Abs(b)
	return a != "" && err == nil && err2 == nil && x == y
}

// NoNetwork is the error of a daemon without a network file.
type NoNetwork struct{}

func (*NoNetwork) Error() string {
	return "cannot run: no network file is given; write rstate run FILE, or --ros-args -p network:=FILE"
}
