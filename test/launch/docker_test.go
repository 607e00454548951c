package launch

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// instruction is an instruction of a Dockerfile, with its continuation lines joined.
type instruction struct {
	word string
	args string
}

// stage is the part of a Dockerfile after one FROM.
type stage struct {
	image string // with the defaults of the build arguments filled in
	name  string
	steps []instruction
}

// dockerfile is a Dockerfile, parsed as far as the tests need.
type dockerfile struct {
	defaults map[string]string // of build arguments
	stages   []stage
}

var known = []string{"FROM", "ARG", "RUN", "COPY", "ADD", "ENV", "USER", "WORKDIR", "SHELL", "HEALTHCHECK",
	"ENTRYPOINT", "CMD"}

func readDockerfile(t *testing.T) dockerfile {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	file := dockerfile{defaults: map[string]string{}}
	joined := ""
	for _, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		begun, more := strings.CutSuffix(line, `\`)
		joined += begun
		if more {
			joined += " "
			continue
		}
		word, args, _ := strings.Cut(joined, " ")
		joined = ""
		if !slices.Contains(known, word) {
			t.Fatalf("no test knows what to do with %s", word)
		}
		file.add(instruction{word, strings.TrimSpace(args)})
	}
	if joined != "" {
		t.Fatalf("the Dockerfile ends in the middle of %q", joined)
	}
	return file
}

func (d *dockerfile) add(i instruction) {
	switch i.word {
	case "ARG":
		name, value, _ := strings.Cut(i.args, "=")
		d.defaults[name] = os.Expand(value, func(name string) string { return d.defaults[name] })
	case "FROM":
		words := strings.Fields(i.args)
		s := stage{image: os.Expand(words[0], func(name string) string { return d.defaults[name] })}
		if len(words) == 3 && words[1] == "AS" {
			s.name = words[2]
		}
		d.stages = append(d.stages, s)
		return
	}
	if len(d.stages) > 0 {
		last := &d.stages[len(d.stages)-1]
		last.steps = append(last.steps, i)
	}
}

func (s stage) all(word string) []string {
	var args []string
	for _, i := range s.steps {
		if i.word == word {
			args = append(args, i.args)
		}
	}
	return args
}

// only returns the arguments of an instruction that occurs once in a stage.
func (s stage) only(t *testing.T, word string) string {
	t.Helper()
	all := s.all(word)
	if len(all) != 1 {
		t.Fatalf("the stage has %d of %s, not one: %v", len(all), word, all)
	}
	return all[0]
}

func (d dockerfile) final() stage { return d.stages[len(d.stages)-1] }

// copied returns the sources of a COPY, its target, and the stage that it copies from.
func copied(args string) (sources []string, target, from string) {
	for _, w := range strings.Fields(args) {
		if option, is := strings.CutPrefix(w, "--"); is {
			from = strings.TrimPrefix(option, "from=")
		} else {
			sources = append(sources, w)
		}
	}
	last := len(sources) - 1
	return sources[:last], sources[last], from
}

// Go does not come from the distribution, so its download is pinned by a hash. Its version
// satisfies go.mod.
func TestGoIsPinned(t *testing.T) {
	file := readDockerfile(t)
	for _, name := range []string{"GO_SHA256_AMD64", "GO_SHA256_ARM64"} {
		if sum, err := hex.DecodeString(file.defaults[name]); err != nil || len(sum) != 32 {
			t.Errorf("%s is %q, which is no SHA-256", name, file.defaults[name])
		}
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^go ([0-9.]+)$`).FindSubmatch(mod)
	if m == nil {
		t.Fatal("go.mod names no Go")
	}
	have, want := numbers(t, file.defaults["GO_VERSION"]), numbers(t, string(m[1]))
	if len(have) != 3 {
		t.Errorf("Go %s is no release: it has no third number", file.defaults["GO_VERSION"])
	}
	if slices.Compare(have, want) < 0 {
		t.Errorf("Go is %s, go.mod wants %s", file.defaults["GO_VERSION"], m[1])
	}
}

func numbers(t *testing.T, version string) []int {
	t.Helper()
	var list []int
	for _, part := range strings.Split(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			t.Fatalf("%q is no version", version)
		}
		list = append(list, n)
	}
	return list
}

func TestWhatIsDownloadedIsChecked(t *testing.T) {
	for _, s := range readDockerfile(t).stages {
		for _, i := range s.steps {
			url := strings.Contains(i.args, "://")
			switch {
			case i.word == "ADD" && url && !strings.Contains(i.args, "--checksum=sha256:"):
				t.Errorf("ADD without a checksum: %s", i.args)
			case i.word == "RUN" && url && !strings.Contains(i.args, "sha256sum --check"):
				t.Errorf("RUN loads something and does not check what it got: %s", i.args)
			}
			if i.word == "RUN" && strings.Contains(i.args, "apt-get install") &&
				!(strings.Contains(i.args, "--no-install-recommends") &&
					strings.Contains(i.args, "rm -rf /var/lib/apt/lists/*")) {
				t.Errorf("RUN leaves more in the image than it has to: %s", i.args)
			}
		}
	}
}

// ignored lists the patterns of .dockerignore.
func ignored(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, line := range strings.Split(string(text), "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			patterns = append(patterns, line)
		}
	}
	return patterns
}

// ignores reports whether a path, or one of its parent folders, is excluded from the build.
func ignores(t *testing.T, patterns []string, name string) bool {
	t.Helper()
	for dir := name; dir != "."; dir = path.Dir(dir) {
		for _, p := range patterns {
			tail, anywhere := strings.CutPrefix(p, "**/")
			against := dir
			if anywhere {
				against = path.Base(dir)
			}
			match, err := path.Match(tail, against)
			if err != nil {
				t.Fatalf("%q is no pattern: %v", p, err)
			}
			if match {
				return true
			}
		}
	}
	return false
}

func TestWhatIsCopiedIsThere(t *testing.T) {
	file, patterns := readDockerfile(t), ignored(t)
	var before []string
	for _, s := range file.stages {
		for _, args := range s.all("COPY") {
			sources, _, from := copied(args)
			if from != "" {
				if !slices.Contains(before, from) {
					t.Errorf("COPY %s: there is no stage %s before", args, from)
				}
				continue
			}
			for _, source := range sources {
				if _, err := os.Stat(filepath.Join(root, source)); err != nil {
					t.Errorf("COPY %s: %v", args, err)
				}
				if ignores(t, patterns, source) {
					t.Errorf("COPY %s: .dockerignore leaves %s out", args, source)
				}
			}
		}
		before = append(before, s.name)
	}
}

// Large, secret and generated files are excluded from the build.
func TestTheBuildDoesNotSeeWhatIsMadeHere(t *testing.T) {
	patterns := ignored(t)
	for _, name := range []string{".git/config", ".ros/jazzy/lib/librcl.so", "bin/rstate", "launch/__pycache__/x.pyc",
		"test/launch/x_test.go"} {
		if !ignores(t, patterns, name) {
			t.Errorf(".dockerignore lets %s through", name)
		}
	}
}

// Every package of the program is included in the build.
func TestTheWholeProgramIsCopied(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-deps", "-tags", "ros", "-f",
		"{{if not .Standard}}{{.Dir}}{{end}}", "./cmd/rstate")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	needed := []string{"go.mod", "go.sum", "rclgo/go.mod", "ros/rstate/CMakeLists.txt",
		"msgs/rstate_msgs/CMakeLists.txt", "launch", "config"}
	for _, dir := range strings.Fields(string(out)) {
		if name, err := filepath.Rel(here, dir); err == nil && !strings.HasPrefix(name, "..") {
			needed = append(needed, filepath.ToSlash(name))
		}
	}
	if len(needed) < 15 {
		t.Fatalf("the program has only %v", needed)
	}
	patterns := ignored(t)
	var sources []string
	for _, args := range readDockerfile(t).stages[0].all("COPY") {
		from, _, _ := copied(args)
		sources = append(sources, from...)
	}
	for _, name := range needed {
		inside := func(source string) bool { return name == source || strings.HasPrefix(name, source+"/") }
		if !slices.ContainsFunc(sources, inside) || ignores(t, patterns, name) {
			t.Errorf("%s is needed and not copied", name)
		}
	}
}

// The image runs as a user other than root, has no build tools, and is copied from the build stage.
func TestTheImageRunsOneProgramForAPlainUser(t *testing.T) {
	final := readDockerfile(t).final()
	user := final.only(t, "USER")
	if name, _, _ := strings.Cut(user, ":"); name == "root" || name == "0" {
		t.Errorf("it runs as %s", user)
	}
	made, entered := false, false
	for _, i := range final.steps {
		made = made || i.word == "RUN" && strings.Contains(i.args, "useradd") && strings.HasSuffix(i.args, " "+user)
		entered = entered || i.word == "USER"
		if i.word == "RUN" && entered {
			t.Errorf("RUN %s: as %s", i.args, user)
		}
		if i.word == "RUN" && regexp.MustCompile(`\b(apt-get|colcon|go|curl)\b`).MatchString(i.args) {
			t.Errorf("RUN %s: what builds belongs into the stage before", i.args)
		}
	}
	if !made {
		t.Errorf("no stage makes the user %s", user)
	}
	built := slices.ContainsFunc(final.all("COPY"), func(args string) bool {
		_, _, from := copied(args)
		return from == "build"
	})
	if !built {
		t.Error("nothing is copied from the stage that builds")
	}
}

// The entry point is ours and replaces its process by rstate; the build installs the files that it
// sources.
func TestTheEntryPointIsRstate(t *testing.T) {
	file := readDockerfile(t)
	final := file.final()
	var entry []string
	if err := json.Unmarshal([]byte(final.only(t, "ENTRYPOINT")), &entry); err != nil || len(entry) != 1 {
		t.Fatalf("ENTRYPOINT is %s, not a list of one: a shell in between would keep the signals",
			final.only(t, "ENTRYPOINT"))
	}
	script := ""
	for _, args := range final.all("COPY") {
		if sources, target, _ := copied(args); target == entry[0] {
			script = filepath.Join(root, sources[0])
		}
	}
	info, err := os.Stat(script)
	if err != nil || info.Mode()&0o111 != 0o111 {
		t.Fatalf("%s is not copied from a file that everybody may run: %v", entry[0], err)
	}
	if out, err := exec.CommandContext(t.Context(), "bash", "-n", script).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", script, err, out)
	}
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if last := lines[len(lines)-1]; !regexp.MustCompile(`^exec /opt/rstate/bin/rstate "\$@"$`).MatchString(last) {
		t.Errorf("ends with %q: the container's process is to be rstate, with all its arguments", last)
	}
	for _, want := range []string{`source "/opt/ros/${ROS_DISTRO}/setup.bash"`, "source /opt/rstate/local_setup.bash"} {
		if !slices.Contains(lines, want) {
			t.Errorf("does not say %s", want)
		}
	}
	builds := 0
	for _, args := range file.stages[0].all("RUN") {
		if strings.Contains(args, "colcon build") {
			builds++
			if !strings.Contains(args, "--merge-install --install-base /opt/rstate ") {
				t.Errorf("is not built into /opt/rstate: %s", args)
			}
		}
	}
	if builds != 2 {
		t.Errorf("colcon builds %d times, the interfaces and rstate are two", builds)
	}
}

// The image is healthy while the daemon answers, whatever its name is.
func TestHealthIsTheDaemonsAnswer(t *testing.T) {
	final := readDockerfile(t).final()
	health := final.only(t, "HEALTHCHECK")
	if !strings.HasSuffix(health, `CMD /usr/local/bin/rstate status --node "$RSTATE_NODE"`) {
		t.Errorf("HEALTHCHECK is %s", health)
	}
	if env := strings.Join(final.all("ENV"), " "); !strings.Contains(env, "RSTATE_NODE=/rstate") {
		t.Errorf("ENV has no RSTATE_NODE: %s", env)
	}
	if !sourceStrings(t, "cmd/rstate")["status"] {
		t.Error("rstate has no status")
	}
}
