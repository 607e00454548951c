package rmwchoice

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/tiiuae/rclgo/internal/rcl" // the program under test uses ROS
)

// TestMain is also the program that the test starts.
func TestMain(m *testing.M) {
	if os.Getenv("RMWCHOICE_TELL") == "" {
		os.Exit(m.Run())
	}
	if wanted, linked, refused := Refused(); refused {
		os.Stdout.WriteString(wanted + " is not " + linked + "; " + os.Getenv(variable) + "\n" + Problem().Error())
	}
	os.Stdout.WriteString(Notice())
}

// program runs the program with an environment, whose later entries win, and returns its lines.
func program(t *testing.T, env ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), "RMWCHOICE_TELL=1"), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("with %v it ends with %v: %s", env, err, out)
	}
	return strings.TrimSpace(string(out))
}

// linked skips a test where ROS chooses the middleware by itself.
func linked(t *testing.T) string {
	t.Helper()
	if hasChooser() {
		t.Skip("ROS chooses the middleware by itself here")
	}
	return inUse()
}

func TestProgramAnswersForItself(t *testing.T) {
	linked := linked(t)
	for name, c := range map[string]struct{ value, said string }{
		"another":      {"rmw_of_a_dream", "rmw_of_a_dream is not " + linked + "; rmw_of_a_dream"},
		"the linked":   {linked, ""},
		"none at all":  {"", ""},
		"a longer one": {linked + "_2", linked + "_2 is not " + linked + "; " + linked + "_2"},
	} {
		t.Run(name, func(t *testing.T) {
			said, _, _ := strings.Cut(program(t, variable+"="+c.value), "\n")
			if said != c.said {
				t.Errorf("said %q, want %q", said, c.said)
			}
		})
	}
}

// fake compiles testdata/fake.c to a library in a prefix of its own, and lists it as a middleware.
func fake(t *testing.T, name string, args ...string) (prefix, library string) {
	t.Helper()
	prefix = t.TempDir()
	library = filepath.Join(prefix, "lib", "lib"+name+".so")
	index := filepath.Join(prefix, "share", "ament_index", "resource_index", "rmw_typesupport")
	for _, dir := range []string{filepath.Dir(library), index} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(index, name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	compile(t, append(args, `-DDEFAULT="`+inUse()+`"`, "-shared", "-fPIC", "-o", library, "testdata/fake.c")...)
	return prefix, library
}

func compile(t *testing.T, args ...string) {
	t.Helper()
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	if out, err := exec.Command(cc, append(args, "-ldl")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// run runs a program with an environment as it is: exec.Cmd would keep one of two equal names.
func run(t *testing.T, file string, env ...string) string {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p, err := os.StartProcess(file, []string{file}, &os.ProcAttr{Env: env, Files: []*os.File{nil, in, in}})
	in.Close()
	if err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(out)
	state, waited := p.Wait()
	if err := errors.Join(err, waited); err != nil || !state.Success() {
		t.Errorf("with %v it ends with %v, %v: %s", env, state, err, said)
	}
	return strings.TrimSpace(string(said))
}

// TestTheLoaderFinds: a program is refused only a middleware that the loader would not find.
func TestTheLoaderFinds(t *testing.T) {
	_, chooser := fake(t, "rmw_implementation")
	_, beside := fake(t, "rmw_beside_cpp", `-DIDENTIFIER="rmw_beside_cpp"`)
	_, other := fake(t, "rmw_other_cpp", `-DIDENTIFIER="rmw_other_cpp"`)
	if err := os.Rename(beside, filepath.Join(filepath.Dir(chooser), filepath.Base(beside))); err != nil {
		t.Fatal(err)
	}
	libraries, dir := filepath.Dir(chooser), t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(other), filepath.Join(dir, "lib")); err != nil {
		t.Fatal(err)
	}
	build := func(name string, rpath ...string) string {
		file := filepath.Join(dir, "bin", name)
		args := []string{"-o", file, "testdata/program.c", "choice.c", "-L" + libraries, "-lrmw_implementation",
			"-Wl,--disable-new-dtags"}
		for _, folder := range append(rpath, libraries) {
			args = append(args, "-Wl,-rpath,"+folder)
		}
		compile(t, args...)
		return file
	}
	plain, absolute, origin := build("plain"), build("absolute", filepath.Dir(other)), build("origin", "$ORIGIN/../lib")
	const first, second, third = variable + "=rmw_other_cpp", variable + "=rmw_of_a_dream", variable + "=rmw_beside_cpp"
	refused, works := "rmw_other_cpp r"+first[1:], "rmw_other_cpp "+first
	path := "LD_LIBRARY_PATH=/:" + filepath.Dir(other)
	prefix := "AMENT_PREFIX_PATH=" + filepath.Dir(filepath.Dir(other))
	for name, c := range map[string]struct {
		file string
		env  []string
		said string
	}{
		"nowhere":          {plain, []string{first}, refused},
		"in a prefix":      {plain, []string{first, prefix}, refused},
		"LD_LIBRARY_PATH":  {plain, []string{first, path}, works},
		"RPATH":            {absolute, []string{first}, works},
		"RPATH of $ORIGIN": {origin, []string{first}, works},
		"beside":           {plain, []string{third}, "rmw_beside_cpp " + third},
		"already loaded":   {plain, []string{first, "LD_PRELOAD=" + other}, works},
		"the first counts": {absolute, []string{first, second}, works + " " + second},
		"the first is bad": {absolute, []string{second, first}, "rmw_of_a_dream r" + second[1:] + " r" + first[1:]},
	} {
		t.Run(name, func(t *testing.T) {
			if said := run(t, c.file, c.env...); said != c.said {
				t.Errorf("said %q, want %q", said, c.said)
			}
		})
	}
}

// TestSeveralRequests: ROS reads the first. The program and what it starts see the same request afterwards.
func TestSeveralRequests(t *testing.T) {
	linked := linked(t)
	var env []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, variable+"=") {
			env = append(env, entry)
		}
	}
	env = append(env, "RMWCHOICE_TELL=1")
	for name, c := range map[string]struct {
		values []string
		said   string
	}{
		"good, bad":  {[]string{linked, "rmw_of_a_dream"}, ""},
		"empty, bad": {[]string{"", "rmw_of_a_dream"}, ""},
		"bad, good":  {[]string{"rmw_of_a_dream", linked}, "rmw_of_a_dream is not " + linked + "; rmw_of_a_dream"},
		"bad, bad":   {[]string{"rmw_of_a_dream", "rmw_2"}, "rmw_of_a_dream is not " + linked + "; rmw_of_a_dream"},
	} {
		t.Run(name, func(t *testing.T) {
			own := slices.Clone(env)
			for _, v := range c.values {
				own = append(own, variable+"="+v)
			}
			if said, _, _ := strings.Cut(run(t, os.Args[0], own...), "\n"); said != c.said {
				t.Errorf("said %q, want %q", said, c.said)
			}
		})
	}
}

func librariesWith(folder string) string {
	return "LD_LIBRARY_PATH=" + folder + ":" + os.Getenv("LD_LIBRARY_PATH")
}

func prefixesWith(prefix string) string {
	return "AMENT_PREFIX_PATH=" + prefix + ":" + os.Getenv("AMENT_PREFIX_PATH")
}

// TestChooserIsKnownByItsName: not by a symbol, which one build of it exports and another does not.
func TestChooserIsKnownByItsName(t *testing.T) {
	linked := linked(t)
	for name, c := range map[string]struct {
		library string
		args    []string
		chooses bool
	}{
		"built without tests":         {"rmw_implementation", nil, true},
		"built with tests":            {"rmw_implementation", []string{"-DPREFETCH"}, true},
		"another with such functions": {"something", []string{"-DPREFETCH", `-DIDENTIFIER="` + linked + `"`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			prefix, library := fake(t, c.library, c.args...)
			_, other := fake(t, "rmw_other_cpp", `-DIDENTIFIER="rmw_other_cpp"`)
			prefixes, libraries := prefixesWith(prefix), librariesWith(filepath.Dir(other))
			// A middleware that is installed: only where none is chosen at run time is it refused.
			said := program(t, "LD_PRELOAD="+library, prefixes, libraries, variable+"=rmw_other_cpp")
			if chose := !strings.Contains(said, "rmw_other_cpp is not "); chose != c.chooses {
				t.Errorf("said %q", said)
			}
			if !c.chooses {
				return
			}
			said = program(t, "LD_PRELOAD="+library, prefixes, libraries, variable+"=rmw_of_a_dream")
			if !strings.HasPrefix(said, "rmw_of_a_dream is not ;") { // which one it would have is not asked
				t.Errorf("of one that is not installed it says %q", said)
			}
			if said := program(t, "LD_PRELOAD="+library, prefixes, variable+"="); said != "" {
				t.Errorf("without a request it says %q", said)
			}
		})
	}
}

// TestWhatToDoIsSaid: a line for each case, with what was asked for, what is installed, and what to do.
func TestWhatToDoIsSaid(t *testing.T) {
	linked := linked(t)
	_, chooser := fake(t, "rmw_implementation")
	prefix, other := fake(t, "rmw_other_cpp", `-DIDENTIFIER="rmw_other_cpp"`)
	for name, c := range map[string]struct {
		env  []string
		want []string
	}{
		"not installed": {[]string{variable + "=rmw_of_a_dream"}, []string{
			`asks for "rmw_of_a_dream", which is not installed`, "installed: " + linked, "unset RMW_IMPLEMENTATION",
			"install the ROS 2 package rmw_of_a_dream"}},
		"not installed, chosen at run time": {[]string{"LD_PRELOAD=" + chooser, variable + "=rmw_of_a_dream"}, []string{
			`asks for "rmw_of_a_dream", which is not installed`, "installed: " + linked}},
		"installed, not linked": {[]string{prefixesWith(prefix), variable + "=rmw_other_cpp"}, []string{
			`asks for "rmw_other_cpp", which is installed`, "linked with " + linked, "build the program"}},
		"installed, not found": {[]string{prefixesWith(prefix), "LD_PRELOAD=" + chooser, variable + "=rmw_other_cpp"},
			[]string{`asks for "rmw_other_cpp", which is installed`, "does not find librmw_other_cpp.so", "source the setup"}},
		"installed, not tried": {
			[]string{prefixesWith(prefix), librariesWith(filepath.Dir(other)), "LD_PRELOAD=" + chooser,
				variable + "=rmw_other_cpp"}, []string{
				"the middleware rmw_other_cpp has not been tried", "tried: rmw_cyclonedds_cpp, " + "rmw_fastrtps_cpp",
				"installed: " + linked + ", rmw_other_cpp", "set RMW_IMPLEMENTATION to"}},
	} {
		t.Run(name, func(t *testing.T) {
			said := program(t, c.env...)
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("said %q, which lacks %q", said, want)
				}
			}
			if line := said[strings.LastIndex(said, "\n")+1:]; strings.Count(said, "\n") > 1 || line == "" {
				t.Errorf("said %q, not one line of the problem", said)
			}
		})
	}
}
