package gen

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// install makes an install prefix with headers of rcl and the given libraries.
func install(t *testing.T, names ...string) string {
	t.Helper()
	prefix := t.TempDir()
	for _, dir := range []string{"include/rcl", "include/rmw", "lib"} {
		if err := os.MkdirAll(filepath.Join(prefix, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(prefix, "lib", "lib"+name+".so"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return prefix
}

func TestCGOFlags(t *testing.T) {
	overlay, base := install(t), install(t, append(slices.Clone(libraries), "rmw_fastrtps_cpp")...)
	got := CGOFlags([]string{"/nowhere", overlay, base}).Shell()
	want := "export CGO_CFLAGS='-O2 -g -I" + overlay + "/include/rcl -I" + overlay + "/include/rmw -I" + base +
		"/include/rcl -I" + base + "/include/rmw'\n" +
		"export CGO_LDFLAGS='-L" + overlay + "/lib -L" + base + "/lib -Wl,--disable-new-dtags -Wl,-rpath," + overlay +
		"/lib -Wl,-rpath," + base + "/lib " +
		"-lrcl -lrcl_action -lrcl_lifecycle -lrcl_yaml_param_parser -lrmw -lrcutils -lrosidl_runtime_c -lrmw_fastrtps_cpp'\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	both := install(t, append(slices.Clone(libraries), middlewares...)...)
	if got := CGOFlags([]string{both}).LD; !slices.Contains(got, "-lrmw_implementation") ||
		slices.Contains(got, "-lrmw_fastrtps_cpp") {
		t.Errorf("a whole installation is linked with %q", got)
	}
}

func TestCGOFlagsNameWhatIsMissing(t *testing.T) {
	for missing, has := range map[string][]string{
		"rcl":                {"rmw", "rmw_implementation"},
		"rmw_implementation": libraries,
		"":                   append(slices.Clone(libraries), "rmw_implementation"),
	} {
		if got := CGOFlags([]string{install(t, has...)}).Missing; got != missing {
			t.Errorf("with %q it misses %q, want %q", has, got, missing)
		}
	}
}

func TestShellQuotes(t *testing.T) {
	if got := (Flags{C: []string{"-I/it's here"}}).Shell(); !strings.Contains(got, `'-I/it'\''s here'`) {
		t.Errorf("got %s", got)
	}
}
