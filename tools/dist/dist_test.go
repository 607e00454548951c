package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

func TestTreeRefusesWhatNoPackageMayHave(t *testing.T) {
	for _, c := range []struct {
		name  string
		paths []string
		want  string
	}{
		{"a path twice", []string{"bin/rstate", "bin/./rstate"}, "there twice"},
		{"a way out", []string{"../etc/passwd"}, "no path"},
		{"the root of the machine", []string{"/etc/passwd"}, "no path"},
	} {
		var files tree
		for _, p := range c.paths {
			files.add(p, 0o644, nil)
		}
		if _, err := files.sorted(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestWheelListsItsFiles: pip checks the hash of each file, and the list has every file once.
func TestWheelListsItsFiles(t *testing.T) {
	w := wheel{version: "0.1.0", tags: []string{"manylinux_2_17_x86_64"}, program: []byte("program"), license: []byte("license")}
	w.data.add("share/rstate/config/demo.yaml", 0o644, []byte("demo"))
	data, err := w.bytes(noon)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	record := ""
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name, "/RECORD") {
			record = string(text)
			want = append(want, f.Name+",,")
			continue
		}
		sum := sha256.Sum256(text)
		want = append(want, fmt.Sprintf("%s,sha256=%s,%d", f.Name, base64.RawURLEncoding.EncodeToString(sum[:]), len(text)))
		if script := strings.HasSuffix(f.Name, "/scripts/rstate"); script != (f.Mode().Perm() == 0o755) {
			t.Errorf("%s has mode %v", f.Name, f.Mode())
		}
	}
	if got := strings.Split(strings.TrimSpace(record), "\n"); !slices.Equal(got, want) {
		t.Errorf("RECORD is\n%s\nwant\n%s", record, strings.Join(want, "\n"))
	}
	w.data.addLink("bin/link", "rstate")
	if _, err := w.bytes(noon); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("a wheel with a link: %v", err)
	}
}

// TestWheelsSayWhereTheyRun: a program without ROS runs everywhere; others need the C library for which they were linked.
func TestWheelsSayWhereTheyRun(t *testing.T) {
	for _, c := range []struct {
		target string
		minor  int
		want   string
	}{
		{"linux/amd64", 0, "manylinux_2_17_x86_64.musllinux_1_1_x86_64"},
		{"linux/amd64", 34, "manylinux_2_34_x86_64"},
		{"linux/amd64", 4, "manylinux_2_17_x86_64"},
		{"linux/arm64", 0, "manylinux_2_17_aarch64.musllinux_1_1_aarch64"},
	} {
		if got, err := platforms(c.target, c.minor); err != nil || strings.Join(got, ".") != c.want {
			t.Errorf("%s with glibc 2.%d: %v, %v", c.target, c.minor, got, err)
		}
	}
	if _, err := platforms("plan9/arm", 0); err == nil {
		t.Error("there is a wheel for plan9")
	}
}

// TestBuildServersNameTheWheelThatIsMade: pip refuses a wheel under another name, and one for another processor. The shell
// of a build server finds the file.
func TestBuildServersNameTheWheelThatIsMade(t *testing.T) {
	for _, file := range []string{"github.yaml", "gitlab.yaml"} {
		text, err := os.ReadFile("../../docs/ci/" + file)
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile(`(?m)^ +RSTATE: ci/(.*)$`).FindSubmatch(text)
		if named == nil || !bytes.Contains(text, []byte("pip install $RSTATE\n")) {
			t.Errorf("%s installs no $RSTATE, which the shell expands, from ci", file)
			continue
		}
		for _, c := range []struct {
			target string
			minor  int
			want   bool
		}{{"linux/amd64", 0, true}, {"linux/amd64", 39, true}, {"linux/arm64", 0, false}} {
			tags, err := platforms(c.target, c.minor)
			if err != nil {
				t.Fatal(err)
			}
			name := wheel{version: "0.1.0+g1234abcd", tags: tags}.fileName()
			if is, err := path.Match(string(named[1]), name); err != nil || is != c.want {
				t.Errorf("%s: %s finds %s: %v, %v", file, named[1], name, is, err)
			}
		}
	}
}

// TestDebianIsReadByDpkg: dpkg takes what the writer makes. Where there is no dpkg, the form of the archive is looked at.
func TestDebianIsReadByDpkg(t *testing.T) {
	d := debian{name: "rstate", version: "0.1.0", arch: "amd64", depends: []string{"libc6 (>= 2.34)"}, summary: "short",
		description: "one\ntwo", conffiles: []string{"etc/rstate/environment"}, postinst: "#!/bin/sh\n"}
	d.files.add("usr/bin/rstate", 0o755, []byte("program"))
	d.files.add("etc/rstate/environment", 0o644, []byte("text"))
	d.files.addLink("usr/bin/rs", "rstate")
	data, err := d.bytes(noon)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(data, []byte("!<arch>\ndebian-binary   ")) {
		t.Errorf("it begins with %q", data[:24])
	}
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		return
	}
	file := filepath.Join(t.TempDir(), d.fileName())
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	dpkg := func(words ...string) string {
		out, err := exec.Command("dpkg-deb", append(words, file)...).CombinedOutput()
		if err != nil {
			t.Fatalf("dpkg-deb %v: %v\n%s", words, err, out)
		}
		return string(out)
	}
	for _, want := range []string{"Package: rstate\n", "Version: 0.1.0\n", "Depends: libc6 (>= 2.34)\n",
		"Description: short\n one\n two\n"} {
		if got := dpkg("--field"); !strings.Contains(got, want) {
			t.Errorf("the control file lacks %q:\n%s", want, got)
		}
	}
	for _, want := range []string{"-rwxr-xr-x root/root         7 2026-11-27 12:00 ./usr/bin/rstate\n",
		"./usr/bin/rs -> rstate\n", "drwxr-xr-x root/root         0 2026-11-27 12:00 ./usr/bin/\n"} {
		if got := dpkg("--contents"); !strings.Contains(got, want) {
			t.Errorf("the contents lack %q:\n%s", want, got)
		}
	}
	if got := dpkg("--info"); !strings.Contains(got, "conffiles") || !strings.Contains(got, "postinst") {
		t.Errorf("dpkg sees\n%s", got)
	}
}

// TestDebianAsksBeforeItReplacesWhatIsTheUsers: dpkg keeps a file that the user has changed only if the package names it.
func TestDebianAsksBeforeItReplacesWhatIsTheUsers(t *testing.T) {
	files, conffiles, err := sources{root: "../.."}.units("/usr/lib/rstate")
	if err != nil {
		t.Fatal(err)
	}
	var etc []string
	for _, e := range files {
		if strings.HasPrefix(e.path, "etc/") {
			etc = append(etc, e.path)
		}
	}
	if !slices.Equal(etc, conffiles) || !slices.Contains(etc, "etc/rstate/environment") {
		t.Errorf("of %q it names %q", etc, conffiles)
	}
}

// TestMakeRemovesOnlyPackages: a folder of the user that -out names by mistake stays as it is.
func TestMakeRemovesOnlyPackages(t *testing.T) {
	names := []string{"SHA256SUMS", "ros-jazzy-rstate_0.1.0_amd64.deb", "rstate-0.1.0-py3-none-manylinux_2_34_x86_64.whl",
		"rstate.cdx.json", "rstate_0.1.0+gabc_arm64.deb"}
	for _, other := range []string{"", "thesis.odt", "rstate.go", "a/rstate-1.whl"} {
		folder := filepath.Join(t.TempDir(), "new", "packages")
		if err := empty(folder); err != nil {
			t.Fatal(err)
		}
		for _, name := range append(names, other) {
			if name != "" {
				write(t, filepath.Join(folder, name), "text")
			}
		}
		before := below(t, folder)
		if other == "" {
			before = nil
		}
		if err := empty(folder); (err != nil) != (other != "") {
			t.Errorf("beside %q: %v", other, err)
		}
		if after := below(t, folder); !slices.Equal(before, after) {
			t.Errorf("beside %q there is %q, want %q", other, after, before)
		}
	}
}

// TestPortableProgramsHaveNoPaths: a program that was linked for a folder and a middleware loses both, and keeps the rest.
func TestPortableProgramsHaveNoPaths(t *testing.T) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("there is no C compiler")
	}
	dir := t.TempDir()
	build := func(name, source string, words ...string) string {
		file := filepath.Join(dir, name)
		cmd := exec.Command(compiler, append([]string{"-x", "c", "-o", file, "-", "-L" + dir}, words...)...)
		cmd.Stdin = strings.NewReader(source)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("cannot build %s: %v\n%s", name, err, out)
		}
		return file
	}
	build("librmw_some_cpp.so", "int some(void) { return 3; }", "-shared", "-fPIC")
	// librcl brings the middleware, as that of ROS 2 does.
	build("librcl.so", "int some(void); int rcl(void) { return some(); }", "-shared", "-fPIC", "-x", "none", "-lrmw_some_cpp")
	for _, tags := range []string{"-Wl,--disable-new-dtags", "-Wl,--enable-new-dtags"} {
		file := build("program", "int rcl(void); int some(void); int main(void) { return rcl() + some(); }", "-x", "none", "-lrcl",
			"-lrmw_some_cpp", tags, "-Wl,-rpath,"+dir)
		program, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		moved, err := portable(program)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(moved, []byte(dir)) {
			t.Errorf("%s: the path is still in the program", tags)
		}
		f, err := elf.NewFile(bytes.NewReader(moved))
		if err != nil {
			t.Fatal(err)
		}
		libraries, err := f.ImportedLibraries()
		if err != nil || slices.Contains(libraries, "librmw_some_cpp.so") || !slices.Contains(libraries, "librcl.so") {
			t.Errorf("%s: it needs %v, %v", tags, libraries, err)
		}
		if err := os.WriteFile(file, moved, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(file)
		cmd.Env = []string{"LD_LIBRARY_PATH=" + dir}
		if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 6 {
			t.Errorf("%s: it ends with %v", tags, err)
		}
	}
	if _, err := portable([]byte("text")); err == nil {
		t.Error("a text is made portable")
	}
}
