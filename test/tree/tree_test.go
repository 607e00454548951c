// Package tree holds the tests of the source tree itself: which package may import which, that every package has a
// comment, and that the engine stays pure. It imports nothing of this project; it reads the source.
package tree

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

// rule is what one package may import of this project, and why the line is drawn there.
type rule struct {
	dir     string
	imports string // of this project and of rclgo; blank-separated; "any/…" allows a whole folder
	reason  string
}

// Arrows point down only: a package may import what stands above it in this list, never below.
var rules = []rule{
	{"internal/clean", "", "what is safe to print does not depend on what it says"},
	{"internal/lifecycle", "", "ROS 2's words are data that everything else is built on"},
	{"internal/strict", "", "reading YAML strictly knows nothing of what is read"},
	{"internal/machine", "internal/clean internal/lifecycle internal/strict",
		"a machine is data: it knows no node, no file, no time"},
	{"internal/middleware", "", "what a middleware gives is a value that everything else may ask; it tries nothing itself"},
	{"internal/network", "internal/lifecycle internal/machine internal/middleware internal/strict",
		"the network file is data: it starts nothing"},
	{"internal/plan", "internal/lifecycle internal/machine internal/network",
		"a plan is a pure function of a file and of what is read"},
	{"internal/draw", "internal/lifecycle internal/machine internal/network internal/plan",
		"a picture is made of the file alone, so that it can be drawn without ROS"},
	{"internal/term", "internal/clean", "the terminal knows lines and columns, not what they say"},
	{"internal/narrate", "", "the narration of a demonstration does not depend on its content"},
	{"internal/journal", "internal/clean internal/lifecycle",
		"the journal keeps lines; what they are about is the business of those who write and ask"},
	{"internal/queue", "", "a queue knows nothing of its items"},
	{"internal/outbox", "internal/queue", "writing behind knows nothing of what is written"},
	{"internal/secret", "", "reading a secret knows nothing of what it allows"},
	{"internal/gate", "", "readers and steps are kept apart, whatever is read"},
	{"internal/lease", "", "the lease is arithmetic that others write again in their own language"},
	{"internal/tally", "", "what is visible in a call is a pure function of answers"},
	{"internal/stepper", "", "what a stepped loop does next is a pure function of answers and time; it knows no machine and no ROS"},
	{"internal/siminterfaces", "internal/clean internal/machine",
		"what a network is to clients of a standard is a pure function of its state; it knows no ROS"},
	{"internal/bond", "", "the protocol of bonds is a pure function of messages and time"},
	{"internal/nav2", "", "parameters and commands of nav2's manager are data; it knows no ROS"},
	{"internal/latch", "", "what a network remembers of stops is merged by a pure function, in whatever order it comes"},
	{"internal/mirror", "internal/latch internal/lifecycle internal/machine",
		"which change of a peer is followed is a pure function of what was heard; it knows no node and no file"},
	{"internal/engine/arming", "", "what a node's answers to arm and disarm mean, without the engine around it"},
	{"internal/engine/belief", "internal/lifecycle",
		"what a node announces and answers means, without the engine around it"},
	{"internal/checking", "internal/network",
		"what was measured for a check means, without the engine around it"},
	{"internal/engine/grant", "", "the permission to arm is a value of its own"},
	{"internal/engine/ids", "", "what a repeated id gets is a pure decision"},
	{"internal/engine/guards", "internal/lease", "which guard counts is a pure function of what guards have said and when"},
	{"internal/engine/stopinput", "", "whether a stop input is clear is a pure function of what was heard and seen"},
	{"internal/engine", "internal/checking internal/clean internal/engine/arming internal/engine/belief internal/engine/grant internal/engine/guards internal/engine/ids internal/engine/stopinput internal/latch internal/lease internal/lifecycle internal/machine internal/mirror internal/network internal/plan internal/stepper",
		"the engine is pure; what it imports must be, or a run cannot be had again"},
	{"internal/dispatch", "internal/engine",
		"the order of effects and the gaps of the loop are decided once, for real and for simulated loops; they are pure"},
	{"internal/coordinator", "internal/dispatch internal/engine internal/queue",
		"the loop feeds the engine and carries out effects, whatever the world is"},
	{"internal/recording", "internal/tally", "a recording knows neither ROS nor the loop"},
	{"internal/looper", "internal/engine internal/network internal/queue internal/recording internal/stepper internal/tally", "the loop runs beside the engine, whatever its participants are"},
	{"internal/simnet", "internal/dispatch internal/engine internal/engine/guards internal/engine/stopinput internal/latch internal/lease internal/lifecycle internal/machine internal/mirror internal/network internal/plan internal/stepper",
		"the scripted world must run without ROS and without the real loop's clock"},
	{"internal/explore", "internal/dispatch internal/engine internal/engine/guards internal/engine/stopinput internal/latch internal/lease internal/lifecycle internal/machine internal/mirror internal/network",
		"the explored world is data, so that it can be copied and compared; it needs no ROS and no clock"},
	{"internal/junit", "", "the form of results for build servers knows nothing of what was tested"},
	{"internal/rehearse", "internal/clean internal/engine internal/junit internal/lifecycle internal/machine internal/network internal/simnet internal/stepper internal/strict",
		"a rehearsal is a script for the simulated world; it needs no ROS"},
	{"internal/batch", "internal/clean internal/junit internal/network internal/strict",
		"which scenario runs when, and what comes of it, does not depend on how one is run"},
	{"internal/protocol", "rclgo/…", "what daemon and clients agree on belongs to neither"},
	{"internal/rosnet", "internal/bond internal/clean internal/coordinator internal/engine internal/engine/guards internal/engine/stopinput internal/gate internal/latch internal/lease internal/lifecycle internal/looper internal/machine internal/measure internal/middleware internal/mirror internal/nav2 internal/network internal/outbox internal/plan internal/procs internal/protocol internal/queue internal/recording internal/secret internal/selftest internal/siminterfaces internal/stepper internal/strict internal/tally rclgo/… msgs/gen/…",
		"the real world stands beside the scripted one; neither knows the process around it"},
	{"internal/patient", "", "a constant that the engine and the clients share depends on nothing"},
	{"internal/runnable", "", "what setup and all tests wait with depends on none of them"},
	{"internal/procs", "", "which process of this host belongs to a participant is read from the kernel alone, so that it can be tested without ROS"},
	{"internal/selftest", "internal/middleware internal/procs msgs/gen/… rclgo/…",
		"what the middleware of a process gives is tried without anything else of rstate, so that every process can ask"},
	{"internal/doctor", "internal/lifecycle internal/middleware internal/strict",
		"a judgement is a pure function of facts; it looks at nothing itself"},
	{"internal/outline", "internal/clean internal/lifecycle internal/network",
		"the draft of a network file is a pure function of what was seen"},
	{"internal/launchfile", "internal/outline", "what a launch file says is read without ROS and without its graph"},
	{"internal/measure", "internal/network msgs/gen/… rclgo/…",
		"the daemon and the doctor read values in the same way"},
	{"internal/gather", "internal/checking internal/doctor internal/measure internal/middleware internal/network internal/outline msgs/gen/… rclgo/…",
		"facts are gathered without judging, and beside the real world: the doctor must not lean on what it examines"},
	{"internal/httpapi", "internal/machine internal/secret",
		"what goes over HTTP is a contract of its own; the process turns snapshots into it"},
	{"internal/logs", "internal/clean", "a log does not depend on its writers"},
	{"internal/sdnotify", "", "a report to a service manager does not depend on what reports"},
	{"internal/host", "internal/journal internal/procs", "what processes of a host know of each other without ROS"},
	{"internal/session", "internal/clean internal/doctor internal/host internal/logs internal/selftest internal/network rclgo/…",
		"a use of ROS is the same for daemons, clients and guards, so it knows none of them"},
	{"internal/client", "internal/doctor internal/gather internal/host internal/journal internal/machine internal/middleware internal/selftest internal/network internal/outline internal/protocol internal/session internal/stepper msgs/gen/… rclgo/…",
		"a client can do what any ROS program can; it needs no engine"},
	{"internal/demo", "internal/lease internal/lifecycle internal/session msgs/gen/… rclgo/… ros/rstate/stepped",
		"what is driven knows nothing of the driver"},
	{"internal/guard", "internal/clean internal/engine/guards internal/lease internal/middleware internal/sdnotify internal/session msgs/gen/… rclgo/…",
		"a guard is there for the faults of a daemon, so it shares nothing with it but what their words mean"},
	{"internal/daemon", "internal/bond internal/clean internal/coordinator internal/engine internal/gate internal/host internal/httpapi internal/journal internal/latch internal/lifecycle internal/logs internal/machine internal/nav2 internal/network internal/rosnet internal/sdnotify internal/session internal/stepper msgs/gen/… rclgo/…",
		"a daemon puts the parts together; no part may know it"},
	{"internal/whatif", "internal/network internal/rehearse", "what a browser plays is the rehearsal, unchanged"},
	{"internal/page", "", "the page is a client of the HTTP API like others; it is files, and how they are served"},
	{"internal/instances", "internal/daemon internal/httpapi internal/page",
		"how daemons are reached over HTTP is the same for one and for many"},
	{"internal/factory", "internal/clean internal/daemon internal/engine internal/host internal/httpapi internal/instances internal/logs internal/machine internal/sdnotify internal/selftest internal/network internal/session msgs/gen/… rclgo/…",
		"a factory makes daemons, and drives no node itself"},
	{"cmd/rstate", "config internal/batch internal/clean internal/client internal/daemon internal/demo internal/doctor internal/draw internal/engine internal/factory internal/guard internal/host internal/httpapi internal/instances internal/journal internal/launchfile internal/lifecycle internal/logs internal/machine internal/nav2 internal/network internal/outline internal/plan internal/recording internal/rehearse internal/sdnotify internal/session internal/stepper internal/strict internal/narrate internal/term msgs/gen/… rclgo/…",
		"main parses and exits"},
}

// everywhere is a constant, which each package may multiply its limits with.
const everywhere = "internal/patient"

func TestImportsPointDown(t *testing.T) {
	for _, r := range rules {
		allowed := strings.Fields(r.imports)
		for _, f := range files(t, r.dir) {
			if strings.HasSuffix(f.name, "_test.go") {
				continue
			}
			for _, imp := range f.ast.Imports {
				path := ours(imp)
				if path == "" || path == r.dir || path == everywhere || allows(allowed, path) {
					continue
				}
				t.Errorf("%s imports %s, which %s may not: %s", f.name, path, r.dir, r.reason)
			}
		}
	}
}

// TestEveryPackageHasARule keeps the list whole: a package that is not in it has no place in the picture.
func TestEveryPackageHasARule(t *testing.T) {
	for _, dir := range packages(t, "internal", "cmd") {
		if !slices.ContainsFunc(rules, func(r rule) bool { return dir == r.dir || strings.HasPrefix(dir, r.dir+"/") }) {
			t.Errorf("%s has no rule: say in test/tree what it may import, and why", dir)
		}
	}
}

func TestEveryPackageSaysItsJob(t *testing.T) {
	for _, dir := range packages(t, "internal", "cmd", "setup", "test", "tools", "rclgo/pkg", "rclgo/cmd",
		"rclgo/internal") {
		said := false
		for _, f := range files(t, dir) {
			doc := f.ast.Doc.Text()
			said = said || strings.HasPrefix(doc, "Package ") || strings.HasPrefix(doc, "Command ") ||
				ast.IsGenerated(f.ast)
		}
		if !said {
			t.Errorf("%s has no package comment: say what it is for and what it may import", dir)
		}
	}
}

// TestTheEngineIsPure looks for what makes a run differ from another with the same inputs.
func TestTheEngineIsPure(t *testing.T) {
	clocks := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
	for _, dir := range []string{"internal/clean", "internal/engine", "internal/engine/arming",
		"internal/engine/belief", "internal/checking", "internal/engine/grant", "internal/engine/guards", "internal/engine/ids", "internal/engine/stopinput", "internal/latch", "internal/dispatch", "internal/lease",
		"internal/stepper", "internal/mirror", "internal/plan", "internal/machine", "internal/network",
		"internal/lifecycle"} {
		for _, f := range files(t, dir) {
			if strings.HasSuffix(f.name, "_test.go") {
				continue
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if n == nil {
					return false
				}
				where := f.set.Position(n.Pos())
				switch n := n.(type) {
				case *ast.GoStmt:
					t.Errorf("%v starts a goroutine; %s has none: what happens side by side cannot be replayed", where,
						dir)
				case *ast.ChanType:
					t.Errorf("%v has a channel; %s has none: inputs come in, effects go out", where, dir)
				case *ast.MapType:
					if dir == "internal/engine" {
						t.Errorf("%v has a map; the engine has none: its order changes from run to run", where)
					}
				case *ast.SelectorExpr:
					if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains(clocks, n.Sel.Name) {
						t.Errorf("%v reads a clock; time comes to %s with each input", where, dir)
					}
				case *ast.ImportSpec:
					if p, _ := strconv.Unquote(n.Path.Value); strings.HasPrefix(p, "math/rand") || p == "log" ||
						p == "sync" {
						t.Errorf("%v imports %s, which has no place in %s", where, p, dir)
					}
				}
				return true
			})
		}
	}
}

// TestH1WordsAreReadAtTheBorder: only package machine makes a Word of a text, by ReadWord, which cleans it.
func TestH1WordsAreReadAtTheBorder(t *testing.T) {
	for _, dir := range packages(t, "internal", "cmd") {
		if dir == "internal/machine" {
			continue
		}
		for _, f := range files(t, dir) {
			if strings.HasSuffix(f.name, "_test.go") {
				continue
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Word" {
					if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "machine" {
						t.Errorf("%v converts a text to a machine.Word; read it with machine.ReadWord",
							f.set.Position(call.Pos()))
					}
				}
				return true
			})
		}
	}
}

type file struct {
	name string
	set  *token.FileSet
	ast  *ast.File
}

func files(t *testing.T, dir string) []file {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var list []file
	for _, p := range paths {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, p, nil, parser.ParseComments)
		if err != nil {
			t.Fatalf("cannot read %s: %v", p, err)
		}
		list = append(list, file{p, set, parsed})
	}
	return list
}

// packages lists the folders below that hold Go files.
func packages(t *testing.T, below ...string) []string {
	t.Helper()
	var dirs []string
	for _, b := range below {
		err := filepath.WalkDir(filepath.Join(root, b), func(p string, d os.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return filepath.SkipDir
			}
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "testdata" {
				return filepath.SkipDir
			}
			if !d.IsDir() && strings.HasSuffix(p, ".go") {
				dir, err := filepath.Rel(root, filepath.Dir(p))
				if err != nil {
					return err
				}
				if !slices.Contains(dirs, dir) {
					dirs = append(dirs, dir)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return dirs
}

// ours returns an import of this project as a folder of it, or nothing.
func ours(imp *ast.ImportSpec) string {
	path, _ := strconv.Unquote(imp.Path.Value)
	if rest, ok := strings.CutPrefix(path, "rstate/"); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(path, "github.com/tiiuae/rclgo/"); ok {
		return "rclgo/" + rest
	}
	return ""
}

func allows(allowed []string, path string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool {
		if folder, ok := strings.CutSuffix(a, "…"); ok {
			return strings.HasPrefix(path, folder)
		}
		return a == path
	})
}
