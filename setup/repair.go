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

// repairs names the repairs of installed wheels. A prefix with other repairs is installed again.
const repairs = "cmake-paths bundled-links no-python-in-needed 1"

// The wheels' CMake files contain the paths of the machine that built them.
var (
	buildersPython = regexp.MustCompile(`/opt/python/cp\d+-cp\d+t?/include/python3\.\d+t?`)
	buildersNumpy  = regexp.MustCompile(`/opt/python/cp\d+-cp\d+t?/lib/python3\.\d+t?/site-packages/numpy/(_core|core)/include`)
)

// repairCMake replaces the builder's include folders by this machine's.
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

// linkBundled links the libraries that wheels bundle (ssl, yaml, tinyxml2 and more) into lib: the
// run paths of the other libraries lead there, and not to where the wheels put them.
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
		if err != nil && !os.IsExist(err) { // two wheels may bundle the same library: one is enough
			return fmt.Errorf("cannot link %q: %w", path, err)
		}
	}
	return nil
}

const pythonLibrary = "__rosidl_generator_py.so"

// unlinkPython removes the dependencies on libraries that work only in a Python process from
// libraries that do not need them.
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

// removals returns patchelf's arguments that remove such dependencies from a library that is not
// Python's.
func removals(needed []string) []string {
	var args []string
	for _, name := range needed {
		if strings.HasSuffix(name, pythonLibrary) {
			args = append(args, "--remove-needed", name)
		}
	}
	return args
}
