package main

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// stage is one command of a run.
type stage struct {
	name   string
	lane   lane
	after  []string // the stages that must have passed before
	limit  time.Duration
	folder string // from the root
	env    []string
	args   []string
	counts bool   // the command is go test -json: its tests are counted
	units  []unit // which it runs, if it is about units
	meter  string // the program through which go test runs binaries, which measures them
	shows  bool   // its output is printed also if it passes
}

// lane says beside what a stage may run.
type lane int

const (
	prepares lane = iota // one at a time, in their order
	computes             // one at a time, and they give way to others
	inRooms              // as many at a time as there are rooms
	apart                // one at a time, when all others have ended: about time
)

const (
	rehearsal = "the rehearsal of the page"
	chromium  = "a browser"
	tester    = "-vet=off" // lint does it once for all
)

// pureTests is a stage of packages without ROS 2.
func pureTests(name string, packages []string, flags ...string) stage {
	args := append([]string{"go", "test", "-json", tester, "-timeout", "25m"}, flags...)
	return stage{name: name, lane: computes, after: []string{rehearsal}, limit: 30 * time.Minute, folder: ".",
		args: append(args, packages...), counts: true}
}

// onROS returns the arguments of a command in the environment of the ROS 2 in use.
func (s situation) onROS(args ...string) []string {
	const script = `env="$(go -C "$1" run ./setup env)" && eval "$env" && shift && exec "$@"`
	return append([]string{"bash", "-c", script, onROSWord, s.root}, args...)
}

// onROSWord is the name of the shell of such a command.
const onROSWord = "on-ros"

// called gives a stage of a second distribution a name of its own.
func called(name, distro string) string { return name + ", " + distro }

// binary returns the program rstate that tests of a need use.
func (s situation) binary(n need, distro string) string {
	return path.Join(s.root, "bin", distro, n.tags(), "rstate")
}

// tags returns the build tags of a need.
func (n need) tags() string {
	switch n {
	case patient, realClock: // ros,patient when all pass with those limits (decision tests-6)
		return "ros"
	default:
		return ""
	}
}

// readies returns the stages that make a distribution and the programs of tests ready.
func (s situation) readies(distro string, units []unit) []stage {
	env := []string{"ROS_DISTRO=" + distro}
	install := called("ROS 2", distro)
	stages := []stage{{name: install, lane: prepares, limit: 30 * time.Minute, folder: ".", env: env,
		args: []string{"go", "run", "./setup", "-q"}}}
	for _, n := range []need{patient, realClock} {
		if !slices.ContainsFunc(units, func(u unit) bool { return u.needs == n }) {
			continue
		}
		compile := called("build with "+n.tags(), distro)
		if slices.ContainsFunc(stages, func(s stage) bool { return s.name == compile }) {
			continue
		}
		stages = append(stages, stage{name: compile, lane: prepares, limit: 20 * time.Minute, folder: ".", env: env,
			after: []string{install, rehearsal}, args: s.onROS("bash", "-c", fmt.Sprintf(
				"go list -export -f '' -tags %[1]s ./... && go build -tags %[1]s -o '%[2]s' ./cmd/rstate", n.tags(), s.binary(n, distro)))})
	}
	for _, name := range []string{"simulation_interfaces", "nav2_interfaces"} {
		stages = append(stages, stage{name: called(name, distro), lane: prepares, after: []string{install}, limit: 8 * time.Minute,
			folder: ".", env: env, args: s.onROS("go", "run", "./setup", name)})
	}
	return stages
}

// pages are the stages before the page can be tested.
func pages() []stage {
	return []stage{
		{name: chromium, lane: prepares, limit: 8 * time.Minute, folder: ".", args: []string{"go", "run", "./setup", "chromium"}},
		{name: "a Prometheus", lane: prepares, limit: 8 * time.Minute, folder: ".", args: []string{"go", "run", "./setup", "prometheus"}},
	}
}

// unitStages returns the stages that run some units, those of a folder in one. The folder with the most units is divided.
func (s situation) unitStages(distro string, units []unit, race bool) []stage {
	var stages []stage
	for _, n := range []need{browser, patient, binding, realClock} {
		byFolder := map[string][]unit{}
		for _, u := range units {
			if u.needs == n {
				byFolder[u.folder] = append(byFolder[u.folder], u)
			}
		}
		var folders []string
		for f := range byFolder {
			folders = append(folders, f)
		}
		slices.SortFunc(folders, func(a, b string) int {
			if d := len(byFolder[b]) - len(byFolder[a]); d != 0 {
				return d
			}
			return strings.Compare(a, b)
		})
		for _, f := range folders {
			halves := [][]unit{byFolder[f]}
			if len(byFolder[f]) > largeFolder && n == patient {
				halves = split(byFolder[f])
			}
			for k, half := range halves {
				stages = append(stages, s.unitStage(distro, half, k, race))
			}
		}
	}
	return stages
}

// largeFolder is the number of units from which on those of a folder run as two stages.
const largeFolder = 20

func split(units []unit) [][]unit {
	halves := make([][]unit, 2)
	for k, u := range units {
		halves[k%2] = append(halves[k%2], u)
	}
	return halves
}

// unitStage runs units of one folder that need the same.
func (s situation) unitStage(distro string, units []unit, half int, race bool) stage {
	u := units[0]
	args := []string{"go", "test", "-json", tester, "-timeout", "35m", "-count=1", "-p", "1"}
	if race && (u.needs == browser || u.needs == binding) {
		args = append(args, "-race")
	}
	if tags := u.needs.tags(); tags != "" {
		args = append(args, "-tags", tags)
	}
	args = append(args, "-run", exactly(namesOf(units)))
	st := stage{name: u.folder, lane: inRooms, limit: 40 * time.Minute, folder: ".", counts: true, units: units}
	if half > 0 {
		st.name += ", second half"
	}
	switch u.needs {
	case browser:
		st.name += " in a browser"
		st.after = []string{chromium, rehearsal}
		st.args = append(args, "./"+u.folder)
		return st
	case binding:
		inside := strings.TrimPrefix(strings.TrimPrefix(u.folder, rclgoFolder), "/")
		st.after = []string{called("ROS 2", distro)}
		st.folder, st.args = rclgoFolder, s.onROS(append(args, "./"+inside)...)
	default:
		st.after = []string{called("build with "+u.needs.tags(), distro), called("simulation_interfaces", distro),
			called("nav2_interfaces", distro), chromium}
		st.env = []string{"RSTATE_BINARY=" + s.binary(u.needs, distro)}
		st.args = s.onROS(append(args, "./"+u.folder)...)
	}
	if u.needs == realClock {
		st.name += ", about time"
		st.lane = apart
	} else if s.stalls != "" {
		st.env = append(st.env, "RSTATE_STALLS="+s.stalls)
	}
	st.name = called(st.name, distro)
	st.env = append(st.env, "ROS_DISTRO="+distro)
	return st
}

func namesOf(units []unit) []string {
	var names []string
	for _, u := range units {
		names = append(names, u.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// exactly returns the expression for go test -run that selects functions with these names.
func exactly(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }

// explored is a stage of the explorer.
func explored(name string, flags ...string) stage {
	return stage{name: name, lane: computes, limit: 60 * time.Minute, folder: ".",
		args: append([]string{"go", "run", "./tools/explore", "-depth", "1"}, flags...)}
}

// life is a kind of simulated lives and how many of them everything has.
type life struct {
	name  string
	flags []string
	seeds int
}

var lives = []life{
	{name: "schedules of peers", flags: []string{"-peers", "drawn"}, seeds: 10000},
	{name: "drawn machines", flags: []string{"-machines"}, seeds: 16000},
	{name: "peers with drawn machines", flags: []string{"-machines", "-peers", "drawn"}, seeds: 4000},
	{name: "schedules", seeds: 10000},
}

// lived is the stage of lives from a seed on.
func (l life) lived(name string, from, seeds int) stage {
	args := append([]string{"go", "run", "./tools/simulate"}, l.flags...)
	return stage{name: name, lane: computes, limit: 60 * time.Minute, folder: ".",
		args: append(args, "-from", fmt.Sprint(from), "-seeds", fmt.Sprint(seeds))}
}

// tenth is the stage of the lives that test has.
func (l life) tenth() stage { return l.lived(l.name, 1, l.seeds/10) }

// more is the stage of an eighth of the others.
func (l life) more(eighth int) stage {
	rest := l.seeds - l.seeds/10
	return l.lived(fmt.Sprintf("%s, eighth %d", l.name, eighth), 1+l.seeds/10+eighth*rest/eighths, rest/eighths)
}

// whole is the stage of all of them.
func (l life) whole() stage { return l.lived(l.name, 1, l.seeds) }

// made is a stage of a target of the Makefile.
func made(name, target string, ln lane, limit time.Duration) stage {
	return stage{name: name, lane: ln, limit: limit, folder: ".", args: []string{"make", "--no-print-directory", target}}
}

// odds are the stages of everything that are neither tests of a package nor simulated, on the first distribution.
func (s situation) odds() []stage {
	d := s.distros[0]
	env := []string{"ROS_DISTRO=" + d}
	lockstep := s.lockstep()
	return []stage{
		{name: "headers of Lyrical", lane: inRooms, after: []string{called("ROS 2", d)}, limit: 20 * time.Minute, folder: rclgoFolder,
			env: env, args: s.onROS("make", "--no-print-directory", "lyrical")},
		{name: "bytes that are no messages", lane: inRooms, after: []string{called("ROS 2", d)}, limit: 20 * time.Minute, folder: ".",
			env: env, args: s.onROS("go", "run", "./tools/fuzzbytes", "-unguided", "-for", "30s")},
		lockstep,
	}
}

// stepsVariable is the environment variable with the number of steps that are compared, and steps how many it is without.
const (
	stepsVariable = "RSTATE_STEPS"
	steps         = "1000"
)

// lockstepTest compares the data of two stepped runs.
const lockstepTest = "TestL11TwoRuns"

// lockstep is the stage that compares data in lockstep beside busy processes.
func (s situation) lockstep() stage {
	d := s.distros[0]
	return stage{name: "data in lockstep beside busy processes", lane: apart, counts: true, limit: 20 * time.Minute, folder: ".",
		after: []string{called("ROS 2", d)}, env: []string{"ROS_DISTRO=" + d, stepsVariable + "=" + cmp.Or(os.Getenv(stepsVariable), steps)},
		args: s.onROS("go", "test", "-json", tester, "-timeout", "15m", "-count=1", "-tags", patient.tags(), "-run", "^"+lockstepTest, "./test/ros")}
}
