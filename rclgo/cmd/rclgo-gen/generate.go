package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tiiuae/rclgo/internal/gen"
)

// generate is the generate command: its flags, parsed.
type generate struct {
	flags    *flag.FlagSet
	dest     string
	roots    []string
	include  []*regexp.Regexp
	goDeps   []string
	license  string
	cgoFlags string
	check    bool
	options  gen.Options
}

func newGenerate(output io.Writer) *generate {
	g := &generate{flags: flag.NewFlagSet("generate", flag.ContinueOnError)}
	f := g.flags
	f.SetOutput(output)
	for _, name := range []string{"d", "dest-path"} {
		f.StringVar(&g.dest, name, "", "folder to write the bindings to (default ./msgs)")
	}
	for _, name := range []string{"r", "root-path"} {
		f.Func(name, "install prefix or source folder of one package to read from, or several with colons between them, "+
			"may be repeated; the first that has a package wins (default $AMENT_PREFIX_PATH)", func(s string) error {
			g.roots = append(g.roots, filepath.SplitList(s)...)
			return nil
		})
	}
	f.StringVar(&g.options.Module, "message-module-prefix", "",
		"import path of the folder of the bindings (default: from the go.mod above it)")
	f.Func("include-package", "regular expression of packages to generate, with what they need, "+
		"may be repeated (default: all)", func(s string) error {
		re, err := regexp.Compile(s)
		g.include = append(g.include, re)
		return err
	})
	f.Func("include-package-deps", "name of a package to generate, with what it needs, may be repeated", func(s string) error {
		g.include = append(g.include, regexp.MustCompile("^"+regexp.QuoteMeta(s)+"$"))
		return nil
	})
	f.Func("include-go-package-deps", "Go package folder, or folder/... , whose imports of bindings name the packages "+
		"to generate, may be repeated", func(s string) error {
		g.goDeps = append(g.goDeps, s)
		return nil
	})
	f.StringVar(&g.license, "license-header-path", "", "file whose text goes to the top of every file, as a comment")
	f.StringVar(&g.options.RclgoPath, "rclgo-import-path", "", "import path of the client library's module (default github.com/tiiuae/rclgo)")
	f.Bool("ignore-ros-distro-mismatch", false, "accepted for compatibility; the bindings serve every release, so nothing is compared")
	f.StringVar(&g.cgoFlags, "cgo-flags-path", "", "accepted for compatibility; the bindings have no cgo, so nothing is written")
	f.StringVar(&g.options.BuildTag, "build-tag", "", "build constraint of every file")
	f.BoolVar(&g.options.Lenient, "lenient", false, "make bindings that bear a version of their types with other fields")
	f.BoolVar(&g.check, "check", false, "write nothing; say which files are out of date and exit with 1 if any is")
	return g
}

func (g *generate) run(args []string, stdout, stderr io.Writer) int {
	switch err := g.flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case g.flags.NArg() > 0:
		fmt.Fprintf(stderr, "cannot use argument %q: generate takes options only\n", g.flags.Arg(0))
		return 2
	}
	files, err := g.render(stderr)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	if !g.check {
		if err := gen.Write(g.dest, files); err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
		return 0
	}
	faults, err := gen.Diff(g.dest, files)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	for _, f := range faults {
		fmt.Fprintln(stdout, f)
	}
	if len(faults) > 0 {
		fmt.Fprintf(stderr, "%s is not in step with its interfaces; run the same command without --check\n", g.dest)
		return 1
	}
	return 0
}

// render completes the options and renders the bindings.
func (g *generate) render(stderr io.Writer) (map[string][]byte, error) {
	if err := g.complete(); err != nil {
		return nil, err
	}
	source, err := gen.Find(g.roots)
	if err != nil {
		return nil, err
	}
	pkgs, err := g.packages(source)
	if err != nil {
		return nil, err
	}
	interfaces, err := source.Read(pkgs)
	if err != nil {
		return nil, err
	}
	for _, i := range interfaces {
		if slices.Contains(source.IDLOnly, i.Name) {
			fmt.Fprintf(stderr, "note: %s has no .%s file and is read from %s\n", i.Name, i.Kind, i.Path)
		}
	}
	return gen.Bindings(interfaces, g.options)
}

// complete fills in what was not given on the command line.
func (g *generate) complete() (err error) {
	if g.dest == "" {
		g.dest = "msgs"
	}
	if len(g.roots) == 0 {
		for _, root := range filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH")) {
			if _, err := os.Stat(filepath.Join(root, "share")); err == nil {
				g.roots = append(g.roots, root)
			}
		}
	}
	if len(g.roots) == 0 {
		return errors.New("cannot find interfaces: AMENT_PREFIX_PATH has no prefix; source a ROS 2 setup file or give --root-path")
	}
	if g.options.Module == "" {
		if g.options.Module, err = gen.ModulePath(g.dest); err != nil {
			return err
		}
	}
	if g.license != "" {
		text, err := os.ReadFile(g.license)
		if err != nil {
			return fmt.Errorf("cannot read licence header: %w", err)
		}
		g.options.License = gen.Comment(string(text))
	}
	return nil
}

// packages chooses the packages to generate.
func (g *generate) packages(source *gen.Source) ([]string, error) {
	all := source.Packages()
	if len(g.include) == 0 && len(g.goDeps) == 0 {
		return all, nil
	}
	var chosen []string
	for _, re := range g.include {
		n := len(chosen)
		for _, pkg := range all {
			if re.MatchString(pkg) {
				chosen = append(chosen, pkg)
			}
		}
		if len(chosen) == n {
			return nil, fmt.Errorf("cannot include packages %q: none of that name has interfaces in %s",
				re, strings.Join(g.roots, ", "))
		}
	}
	imported, err := gen.ImportedPackages(g.goDeps, g.options.Module)
	if err != nil {
		return nil, err
	}
	return append(chosen, imported...), nil
}
