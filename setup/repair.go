package main

import (
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// repairs names what is done to the wheels after their installation. A prefix made with other repairs is made anew.
const repairs = "cmake-paths bundled-links no-python-in-needed 1"

// The wheels' CMake files hold the paths of the machine that they were built on.
var (
	buildersPython = regexp.MustCompile(`/opt/python/cp\d+-cp\d+t?/include/python3\.\d+t?`)
	buildersNumpy  = regexp.MustCompile(`/opt/python/cp\d+-cp\d+t?/lib/python3\.\d+t?/site-packages/numpy/(_core|core)/include`)
)

// repairCMake puts this machine's include folders in place of the builder's.
func repairCMake(text, pythonInclude, numpyInclude string) string {
	text = buildersNumpy.ReplaceAllLiteralString(text, numpyInclude)
	return buildersPython.ReplaceAllLiteralString(text, pythonInclude)
}

func repairCMakeFiles(share, pythonInclude, numpyInclude string) error {
	return filepath.WalkDir(share, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".cmake" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		repaired := repairCMake(string(text), pythonInclude, numpyInclude)
		if repaired == string(text) {
			return nil
		}
		return os.WriteFile(path, []byte(repaired), 0o644)
	})
}

// linkBundled makes the libraries that wheels bring along (ssl, yaml, tinyxml2 and more) visible in lib: the others'
// run paths lead there, and not to where the wheels put them.
func linkBundled(sitePackages, lib string) error {
	bundled, err := filepath.Glob(filepath.Join(sitePackages, "*.libs", "*"))
	if err != nil {
		return err
	}
	for _, path := range bundled {
		target, err := filepath.Rel(lib, path)
		if err != nil {
			return err
		}
		err = os.Symlink(target, filepath.Join(lib, filepath.Base(path)))
		if err != nil && !os.IsExist(err) { // two wheels may bring the same library: one is enough
			return fmt.Errorf("cannot link %q: %w", path, err)
		}
	}
	return nil
}

const pythonLibrary = "__rosidl_generator_py.so"

// unlinkPython takes the libraries that work in a Python process only out of those that have no need of them.
func unlinkPython(lib, patchelf string) error {
	libraries, err := filepath.Glob(filepath.Join(lib, "lib*.so"))
	if err != nil {
		return err
	}
	for _, path := range libraries {
		if strings.HasSuffix(path, pythonLibrary) {
			continue
		}
		needed, err := neededBy(path)
		if err != nil {
			return fmt.Errorf("cannot read %q: %w", path, err)
		}
		args := removals(needed)
		if len(args) == 0 {
			continue
		}
		if text, err := exec.Command(patchelf, append(args, path)...).CombinedOutput(); err != nil {
			return fmt.Errorf("cannot repair %q: %w: %s", path, err, strings.TrimSpace(string(text)))
		}
	}
	return nil
}

func neededBy(path string) ([]string, error) {
	file, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.ImportedLibraries()
}

// removals are patchelf's arguments that take out what a library that is not Python's must not need.
func removals(needed []string) []string {
	var args []string
	for _, name := range needed {
		if strings.HasSuffix(name, pythonLibrary) {
			args = append(args, "--remove-needed", name)
		}
	}
	return args
}
