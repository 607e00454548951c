package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// small is a tree of two files.
func small() tree {
	var t tree
	t.add("bin/rstate", 0o755, []byte("program"))
	t.add("share/man/man1/rstate.1.gz", 0o644, []byte("page"))
	return t
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// below returns what is below a folder, in the order of a walk.
func below(t *testing.T, folder string) (names []string) {
	t.Helper()
	if err := filepath.WalkDir(folder, func(file string, _ fs.DirEntry, err error) error {
		if file != folder {
			names = append(names, strings.TrimPrefix(file, folder+"/"))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return names
}

// TestUninstallStaysBelowItsPrefix: a list that was tampered with removes nothing, neither elsewhere nor here.
func TestUninstallStaysBelowItsPrefix(t *testing.T) {
	prefix := t.TempDir()
	write(t, filepath.Join(prefix, "bin/rstate"), "program")
	write(t, filepath.Join(prefix, manifest), "bin/rstate\n../outside\n"+manifest+"\n")
	if err := uninstall(prefix, "", io.Discard); err == nil || !strings.Contains(err.Error(), "outside of") {
		t.Errorf("it says %v", err)
	}
	if left := below(t, prefix); !slices.Contains(left, "bin/rstate") {
		t.Errorf("it left %v", left)
	}
	if err := uninstall(t.TempDir(), "", io.Discard); err == nil || !strings.Contains(err.Error(), "name the PREFIX") {
		t.Errorf("without a list it says %v", err)
	}
}

// TestAnInterruptedInstallIsUninstalled: an install ends after any of its files, as the full disk of a machine ends it.
func TestAnInterruptedInstallIsUninstalled(t *testing.T) {
	files := small()
	for n := range len(files) + 1 {
		prefix := t.TempDir()
		cut := slices.Clone(files)
		if n < len(cut) {
			cut[n].path = manifest // which is there then
		}
		if err := replace(cut, prefix, ""); (err != nil) != (n < len(cut)) {
			t.Errorf("the install that ends at file %d: %v", n, err)
		}
		if err := uninstall(prefix, "", io.Discard); err != nil {
			t.Errorf("after file %d: %v", n, err)
		}
		if left := below(t, prefix); len(left) > 0 {
			t.Errorf("after file %d it left %v", n, left)
		}
	}
}

// TestAnInterruptedUninstallIsRepeated: a file that cannot be removed keeps the list.
func TestAnInterruptedUninstallIsRepeated(t *testing.T) {
	prefix := t.TempDir()
	if err := replace(small(), prefix, ""); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(prefix, "share/man/man1/rstate.1.gz")
	if err := os.Remove(page); err != nil {
		t.Fatal(err)
	}
	write(t, page+"/mine", "text") // a folder that is not empty is not removed
	if err := uninstall(prefix, "", io.Discard); err == nil {
		t.Error("it removed the folder of another program")
	}
	if err := os.RemoveAll(page); err != nil {
		t.Fatal(err)
	}
	if err := uninstall(prefix, "", io.Discard); err != nil {
		t.Error(err)
	}
	if left := below(t, prefix); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

// TestACutOffListNamesNothing: the last line of a list that was cut off may be another file's name.
func TestACutOffListNamesNothing(t *testing.T) {
	prefix := t.TempDir()
	write(t, filepath.Join(prefix, "bin/rs"), "of another program")
	write(t, filepath.Join(prefix, manifest), "bin/rs")
	if err := replace(small(), prefix, ""); err != nil {
		t.Fatal(err)
	}
	if err := uninstall(prefix, "", io.Discard); err != nil {
		t.Fatal(err)
	}
	if left := below(t, prefix); !slices.Contains(left, "bin/rs") || slices.Contains(left, "bin/rstate") {
		t.Errorf("it left %v", left)
	}
}

// TestInstallOverwritesNothingOfOthers: a file or link that is in the way stays as it is, and so does the earlier install.
func TestInstallOverwritesNothingOfOthers(t *testing.T) {
	for _, earlier := range []bool{false, true} {
		prefix := t.TempDir()
		if earlier {
			if err := replace(small(), prefix, ""); err != nil {
				t.Fatal(err)
			}
		}
		other, elsewhere := filepath.Join(prefix, "bin/other"), filepath.Join(prefix, "elsewhere")
		if err := os.MkdirAll(filepath.Dir(other), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(elsewhere, other); err != nil { // it leads to nothing yet
			t.Fatal(err)
		}
		before := below(t, prefix)
		more := small()
		more.add("bin/other", 0o755, []byte("program"))
		if err := replace(more, prefix, ""); err == nil || !strings.Contains(err.Error(), other+" is there, and make install has not") {
			t.Errorf("it says %v", err)
		}
		if after := below(t, prefix); !slices.Equal(before, after) {
			t.Errorf("there was %v, and there is %v", before, after)
		}
		if err := os.Remove(other); err != nil {
			t.Fatal(err)
		}
		if err := replace(more, prefix, ""); err != nil {
			t.Error(err)
		}
	}
}

// TestEveryUserMayUseWhatIsInstalled, whatever the umask of the one that installs it is.
func TestEveryUserMayUseWhatIsInstalled(t *testing.T) {
	destdir := t.TempDir()
	old := syscall.Umask(0o077)
	err := replace(small(), "/opt/robot", destdir)
	if now := syscall.Umask(old); now != 0o077 {
		t.Errorf("the umask is %o afterwards", now)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range below(t, destdir) {
		info, err := os.Stat(filepath.Join(destdir, name))
		if err != nil {
			t.Fatal(err)
		}
		want := fs.FileMode(0o644)
		if info.IsDir() || strings.HasSuffix(name, "bin/rstate") {
			want = 0o755
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", name, got, want)
		}
	}
}
