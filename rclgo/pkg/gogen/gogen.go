// Package gogen generates Go bindings for ROS 2 interfaces. Command rclgo-gen runs it. The
// package reads interface files and loads no ROS library.
package gogen

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/tiiuae/rclgo/internal/gen"
)

// A Rule selects ROS packages by name.
type Rule struct {
	Pattern *regexp.Regexp
}

// NewRule returns a rule for a regular expression, which must match the whole name.
func NewRule(pattern string) (*Rule, error) {
	re, err := regexp.Compile("^(?:" + pattern + ")$")
	if err != nil {
		return nil, fmt.Errorf("cannot read package rule: %w", err)
	}
	return &Rule{Pattern: re}, nil
}

// String returns the expression that NewRule was called with.
func (r *Rule) String() string {
	return strings.TrimSuffix(strings.TrimPrefix(r.Pattern.String(), "^(?:"), ")$")
}

// A RuleSet selects what any of its rules selects.
type RuleSet []*Rule

// Includes reports whether a rule matches str.
func (s RuleSet) Includes(str string) bool {
	return slices.ContainsFunc(s, func(r *Rule) bool { return r.Pattern.MatchString(str) })
}

// Config says what to generate. If none of the three lists of packages has an entry, the
// generator writes every package that it finds. Otherwise it writes what the lists select,
// and the packages that those need. TypeIncludes selects among these single types, which are
// written with the types that they need.
type Config struct {
	RclgoImportPath     string   // import path of the client library's module
	MessageModulePrefix string   // import path of DestPath; empty to derive it from go.mod
	RootPaths           []string // install prefixes, or source folders of single packages
	DestPath            string   // folder of the bindings
	CGOFlagsPath        string   // file for GenerateCGOFlags; "-" is stdout, "" is none

	RegexIncludes  RuleSet
	ROSPkgIncludes []string // names of ROS packages
	GoPkgIncludes  []string // folders of Go code; "dir/..." adds the folders below dir
	TypeIncludes   RuleSet  // names like std_msgs/msg/String; empty: all types

	LicenseHeader string // text for the top of each file

	BuildTag string // build constraint of each file
	Lenient  bool   // bindings accept a version of their types with other fields

	Notes io.Writer // for notes about interface files; nil for stderr
}

// DefaultConfig holds the import paths of the library and of its message module.
var DefaultConfig = Config{
	RclgoImportPath:     "github.com/tiiuae/rclgo",
	MessageModulePrefix: "github.com/tiiuae/rclgo-msgs",
}

// RclgoRepoRootPath returns the folder of this module's source. It panics if the program was
// built without file names.
func RclgoRepoRootPath() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		panic("cannot tell the folder of rclgo: the program has no file names")
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// A Generator writes what a Config asks for.
type Generator struct{ config *Config }

// New returns a generator. It keeps config.
func New(config *Config) *Generator { return &Generator{config: config} }

// GenerateGolangMessageTypes writes the bindings below DestPath.
func (g *Generator) GenerateGolangMessageTypes() error {
	files, err := g.render()
	if err != nil {
		return err
	}
	return gen.Write(g.config.DestPath, files)
}

// OutOfDate compares the bindings below DestPath with what GenerateGolangMessageTypes would
// write, and returns a line for each file that differs.
func (g *Generator) OutOfDate() ([]string, error) {
	files, err := g.render()
	if err != nil {
		return nil, err
	}
	return gen.Diff(g.config.DestPath, files)
}

// GenerateROS2AllMessagesImporter writes msgs.gen.go to DestPath: a package that imports all
// bindings there, so that each type is registered in package typemap.
func (g *Generator) GenerateROS2AllMessagesImporter() error {
	module, err := g.module()
	if err != nil {
		return err
	}
	return gen.WriteImporter(g.config.DestPath, g.options(module))
}

// GenerateCGOFlags writes shell commands to CGOFlagsPath. They set CGO_CFLAGS and CGO_LDFLAGS
// for the prefixes in RootPaths.
func (g *Generator) GenerateCGOFlags() error {
	text := gen.CGOFlags(g.config.RootPaths).Shell()
	switch g.config.CGOFlagsPath {
	case "":
		return nil
	case "-":
		_, err := os.Stdout.WriteString(text)
		return err
	}
	if err := gen.Write(filepath.Dir(g.config.CGOFlagsPath),
		map[string][]byte{filepath.Base(g.config.CGOFlagsPath): []byte(text)}); err != nil {
		return fmt.Errorf("cannot write cgo flags: %w", err)
	}
	return nil
}

// The following methods do nothing, and return nil. In the original they write parts of the
// library from the headers of an installed ROS; no part of this library depends on them.

// GeneratePrimitives does nothing.
func (*Generator) GeneratePrimitives() error { return nil }

// GenerateRclgoFlags does nothing.
func (*Generator) GenerateRclgoFlags() error { return nil }

// GenerateTestGogenFlags does nothing.
func (*Generator) GenerateTestGogenFlags() error { return nil }

// GenerateROS2ErrorTypes does nothing.
func (*Generator) GenerateROS2ErrorTypes() error { return nil }

func (g *Generator) module() (string, error) {
	if g.config.MessageModulePrefix != "" {
		return g.config.MessageModulePrefix, nil
	}
	return gen.ModulePath(g.config.DestPath)
}

func (g *Generator) options(module string) gen.Options {
	return gen.Options{Module: module, BuildTag: g.config.BuildTag, License: gen.Comment(g.config.LicenseHeader),
		RclgoPath: g.config.RclgoImportPath, Lenient: g.config.Lenient}
}

func (g *Generator) render() (map[string][]byte, error) {
	if len(g.config.RootPaths) == 0 {
		return nil, fmt.Errorf("cannot find interfaces: there is no root path; source a ROS 2 setup file or give --root-path")
	}
	module, err := g.module()
	if err != nil {
		return nil, err
	}
	source, err := gen.Find(g.config.RootPaths)
	if err != nil {
		return nil, err
	}
	packages, err := g.packages(source, module)
	if err != nil {
		return nil, err
	}
	interfaces, err := source.Read(packages)
	if err != nil {
		return nil, err
	}
	if interfaces, err = g.chosen(interfaces); err != nil {
		return nil, err
	}
	notes := g.config.Notes
	if notes == nil {
		notes = os.Stderr
	}
	for _, i := range interfaces {
		if slices.Contains(source.IDLOnly, i.Name) {
			fmt.Fprintf(notes, "note: %s has no .%s file and is read from %s\n", i.Name, i.Kind, i.Path)
		}
	}
	return gen.Bindings(interfaces, g.options(module))
}

// chosen returns the interfaces that TypeIncludes selects, with those that they need.
func (g *Generator) chosen(all []*gen.Interface) ([]*gen.Interface, error) {
	rules := g.config.TypeIncludes
	if len(rules) == 0 {
		return all, nil
	}
	for _, rule := range rules {
		if !slices.ContainsFunc(all, func(i *gen.Interface) bool { return rule.Pattern.MatchString(i.Name.String()) }) {
			return nil, fmt.Errorf("cannot include types %q: no package that is included has one of that name", rule)
		}
	}
	return gen.Needed(all, func(n gen.Name) bool { return rules.Includes(n.String()) }), nil
}

// packages returns the ROS packages that the includes name.
func (g *Generator) packages(source *gen.Source, module string) ([]string, error) {
	c, all := g.config, source.Packages()
	if len(c.RegexIncludes) == 0 && len(c.ROSPkgIncludes) == 0 && len(c.GoPkgIncludes) == 0 {
		return all, nil
	}
	chosen := slices.Clone(c.ROSPkgIncludes)
	for _, rule := range c.RegexIncludes {
		n := len(chosen)
		for _, pkg := range all {
			if rule.Pattern.MatchString(pkg) {
				chosen = append(chosen, pkg)
			}
		}
		if len(chosen) == n {
			return nil, fmt.Errorf("cannot include packages %q: none of that name has interfaces in %s",
				rule, strings.Join(c.RootPaths, ", "))
		}
	}
	imported, err := gen.ImportedPackages(c.GoPkgIncludes, module)
	if err != nil {
		return nil, err
	}
	return append(chosen, imported...), nil
}

// PrintErr writes to stderr like fmt.Print.
func PrintErr(a ...any) { fmt.Fprint(os.Stderr, a...) }

// PrintErrln writes to stderr like fmt.Println.
func PrintErrln(a ...any) { fmt.Fprintln(os.Stderr, a...) }

// PrintErrf writes to stderr like fmt.Printf.
func PrintErrf(format string, a ...any) { fmt.Fprintf(os.Stderr, format, a...) }
