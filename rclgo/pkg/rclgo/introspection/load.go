package introspection

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unsafe"
)

// ErrNotInstalled matches, with errors.Is, a *LoadError for a type that no installed package
// has.
var ErrNotInstalled = errors.New("not installed")

// LoadError reports why a type cannot be used.
type LoadError struct {
	Kind    string // message, service or action
	Name    string // as given
	Cause   string
	Missing bool // the package, or the type in it, is not installed
}

func (e *LoadError) Error() string {
	return fmt.Sprintf("cannot load %s type %q: %s", e.Kind, e.Name, e.Cause)
}

// Is makes errors.Is(err, ErrNotInstalled) true for types that are missing.
func (e *LoadError) Is(target error) bool { return e.Missing && target == ErrNotInstalled }

// The two libraries of an interface package that are used here.
const (
	typesupport         = "rosidl_typesupport_c"
	introspectionTyping = "rosidl_typesupport_introspection_c"
)

// libraries caches open libraries by file name. Its lock also covers every call into them:
// the getters of nested types fill in static tables on their first call.
var libraries = struct {
	sync.Mutex
	open map[string]unsafe.Pointer
}{open: map[string]unsafe.Pointer{}}

// Load loads the type called name ("pkg/msg/Name", "pkg/srv/Name", "pkg/action/Name", or one
// of the messages of a service or action). It returns the reason if that fails.
func Load(name string) error {
	n, err := parseName(name)
	if err != nil {
		return &LoadError{Kind: "interface", Name: name, Cause: err.Error()}
	}
	kinds := map[string][]string{
		"msg":    {"message"},
		"srv":    {"service", "message"},
		"action": {"action", "service", "message"},
	}[n.kind]
	for _, kind := range kinds {
		if _, e := loadHandle(name, kind); e == nil {
			return nil
		} else if err == nil {
			err = e
		}
	}
	return err
}

// loadHandle returns the type support that rcl needs for a type of one kind.
func loadHandle(name, kind string) (unsafe.Pointer, error) {
	return load(name, kind, typesupport, func(handle unsafe.Pointer) (unsafe.Pointer, error) { return handle, nil })
}

// loadLayout returns the layout of a message's C struct.
func loadLayout(name string) (*layout, error) {
	return load(name, "message", introspectionTyping, readLayout)
}

// load finds a type in one of its package's libraries and reads it, all under the
// lock.
func load[T any](name, kind, library string, read func(unsafe.Pointer) (T, error)) (result T, err error) {
	n, err := parseName(name)
	if err != nil {
		return result, &LoadError{Kind: kind, Name: name, Cause: err.Error()}
	}
	libraries.Lock()
	defer libraries.Unlock()
	lib, missing, err := openLibrary(n.pkg, library)
	if err != nil {
		return result, &LoadError{Kind: kind, Name: name, Cause: err.Error(), Missing: missing}
	}
	handle := handleOf(lib, n.symbol(library, kind))
	if handle == nil {
		return result, &LoadError{Kind: kind, Name: name, Missing: true, Cause: fmt.Sprintf(
			"package %s is installed but has no such %s; check the name, or build the package anew",
			n.pkg, kind)}
	}
	if result, err = read(handle); err != nil {
		return result, &LoadError{Kind: kind, Name: name, Cause: err.Error()}
	}
	return result, nil
}

// CheckLayout returns an error if the descriptions of messages of the installed ROS 2 have a layout that this
// package does not know, or another one than those of the ROS 2 for which this program was built: then functions of rcl
// take other arguments than the program passes. Without one of its messages nothing can be sent.
var CheckLayout = sync.OnceValue(func() error {
	l, err := loadLayout("builtin_interfaces/msg/Time")
	if errors.Is(err, ErrNotInstalled) {
		return nil
	}
	if err == nil {
		err = checkTime(l)
	}
	return err
})

// checkTime is CheckLayout with the description of builtin_interfaces/msg/Time.
func checkTime(l *layout) error {
	if !isTime(l) {
		return &LoadError{Kind: "message", Name: "builtin_interfaces/msg/Time", Cause: errLayout.Error()}
	}
	if l.stride != builtStride {
		return fmt.Errorf("this program is built for %s, but it runs on %s: build it again", release(builtStride),
			release(l.stride))
	}
	return nil
}

// release names the releases of ROS 2 in which the description of a member has that size.
func release(stride uintptr) string {
	if stride == flaggedMember {
		return "ROS 2 Lyrical or newer"
	}
	return "ROS 2 Kilted or older"
}

// isTime reports whether l describes builtin_interfaces/msg/Time, which never changes.
func isTime(l *layout) bool {
	return l.size == 8 && len(l.members) == 2 &&
		l.members[0].name == "sec" && l.members[0].id == idInt32 && l.members[0].offset == 0 &&
		l.members[1].name == "nanosec" && l.members[1].id == idUint32 && l.members[1].offset == 4
}

// openLibrary opens one of a package's libraries. It first looks where the loader does (the
// program's rpath, LD_LIBRARY_PATH, the system), then in the prefixes of AMENT_PREFIX_PATH.
// The lock is held.
func openLibrary(pkg, kind string) (lib unsafe.Pointer, missing bool, err error) {
	file := "lib" + pkg + "__" + kind + ".so"
	if lib, ok := libraries.open[file]; ok {
		return lib, false, nil
	}
	lib, err = dlopen(file)
	if err != nil {
		lib, err = openInPrefixes(pkg, file, err)
		if lib == nil && err == nil {
			return nil, true, errNotInstalled(pkg)
		}
	}
	if err != nil {
		return nil, false, fmt.Errorf("package %s is installed but does not load: %w; "+
			"install what it needs, or source the workspace that it was built in", pkg, err)
	}
	libraries.open[file] = lib
	return lib, false, nil
}

// openInPrefixes looks for file in the prefixes of AMENT_PREFIX_PATH. It returns neither a
// library nor an error if no prefix has the file and first, the loader's error, says only that.
func openInPrefixes(pkg, file string, first error) (unsafe.Pointer, error) {
	path, ok := findInPrefixes(file)
	if !ok {
		if missing, ok := missingFile(first); ok && missing == file {
			return nil, nil
		}
		return nil, first
	}
	lib, err := openWithNeeds(path, map[string]bool{})
	if err == nil {
		openSiblings(pkg, filepath.Dir(path))
	}
	return lib, err
}

func findInPrefixes(file string) (path string, ok bool) {
	for _, prefix := range filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH")) {
		path := filepath.Join(prefix, "lib", file)
		if _, err := os.Stat(path); err == nil {
			return path, true
		}
	}
	return "", false
}

// missingFile returns the library that the loader did not find.
func missingFile(err error) (string, bool) {
	file, _, ok := strings.Cut(err.Error(), ": cannot open shared object file")
	return file, ok
}

// openWithNeeds opens a library in a folder that the loader does not search. Its dependencies
// may be there too, so openWithNeeds opens them first: the loader uses libraries that are
// already open. Each library is tried once.
func openWithNeeds(path string, tried map[string]bool) (unsafe.Pointer, error) {
	tried[filepath.Base(path)] = true
	for {
		lib, err := dlopen(path)
		if err == nil {
			return lib, nil
		}
		need, ok := missingFile(err)
		found, there := findInPrefixes(need)
		if !ok || !there || tried[need] {
			return nil, err
		}
		if _, err := openWithNeeds(found, tried); err != nil {
			return nil, err
		}
	}
}

// openSiblings opens the package's other C type support libraries, since the middleware asks
// the loader for them by bare name, which finds a library that is already open. It ignores a
// library that does not open: the middleware reports it if it needs that one.
func openSiblings(pkg, dir string) {
	files, _ := filepath.Glob(filepath.Join(dir, "lib"+pkg+"__rosidl_typesupport_*_c.so"))
	for _, f := range files {
		if lib, err := openWithNeeds(f, map[string]bool{}); err == nil {
			libraries.open[filepath.Base(f)] = lib
		}
	}
}

func errNotInstalled(pkg string) error {
	path := os.Getenv("AMENT_PREFIX_PATH")
	if path == "" {
		return fmt.Errorf("package %s is not on the library path and AMENT_PREFIX_PATH is empty; "+
			"source the ROS 2 setup file first (source /opt/ros/<distro>/setup.bash)", pkg)
	}
	return fmt.Errorf("package %s is not installed in AMENT_PREFIX_PATH (%s); "+
		"install it or source the workspace that has it", pkg, path)
}
