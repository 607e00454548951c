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

	"github.com/tiiuae/rclgo/pkg/gogen"
)

// generate holds the parsed flags of the generate command.
type generate struct {
	name       string
	flags      *flag.FlagSet
	config     gogen.Config
	configFile string
	license    string
	check      bool
	noImporter bool
}

func newGenerate(name string, output io.Writer) *generate {
	g := &generate{name: name, flags: flag.NewFlagSet(name, flag.ContinueOnError),
		config: gogen.Config{RclgoImportPath: gogen.DefaultConfig.RclgoImportPath}}
	f, c := g.flags, &g.config
	f.SetOutput(output)
	for _, name := range []string{"d", "dest-path"} {
		f.StringVar(&c.DestPath, name, ".", "folder to write the bindings to")
	}
	for _, name := range []string{"r", "root-path"} {
		f.Func(name, "install prefix or source folder of one package to read from, or several with colons between them, "+
			"may be repeated; the first that has a package wins (default $AMENT_PREFIX_PATH)", func(s string) error {
			for _, root := range filepath.SplitList(s) {
				if !slices.Contains(c.RootPaths, root) {
					c.RootPaths = append(c.RootPaths, root)
				}
			}
			return nil
		})
	}
	for _, name := range []string{"c", "config-file"} {
		f.StringVar(&g.configFile, name, g.configFile,
			"YAML file with options of commands; options on the command line win "+
				"(default $HOME/.rclgo.yaml, if it exists)")
	}
	f.StringVar(&c.MessageModulePrefix, "message-module-prefix", "",
		"import path of the folder of the bindings (default: from the go.mod above it)")
	f.Func("include-package", "regular expression of names of packages to generate, with what they need, "+
		"may be repeated (default: all)", func(s string) error {
		if _, err := regexp.Compile(s); err != nil {
			return err
		}
		rule, err := gogen.NewRule(s)
		c.RegexIncludes = append(c.RegexIncludes, rule)
		return err
	})
	f.Func("include-type", "regular expression of names of types to generate, like std_msgs/msg/String, with what they need, "+
		"may be repeated (default: all of the packages)", func(s string) error {
		rule, err := gogen.NewRule(s)
		c.TypeIncludes = append(c.TypeIncludes, rule)
		return err
	})
	f.Func("include-package-deps", "name of a package to generate, with what it needs, may be repeated",
		func(s string) error {
			c.ROSPkgIncludes = append(c.ROSPkgIncludes, s)
			return nil
		})
	f.Func("include-go-package-deps", "Go package folder, or folder/... , whose imports of bindings name the packages "+
		"to generate, may be repeated", func(s string) error {
		c.GoPkgIncludes = append(c.GoPkgIncludes, s)
		return nil
	})
	f.StringVar(&g.license, "license-header-path", "", "file whose text goes to the top of every file, as a comment")
	f.StringVar(&c.RclgoImportPath, "rclgo-import-path", c.RclgoImportPath,
		"import path of the client library's module")
	f.Bool("ignore-ros-distro-mismatch", false,
		"accepted for compatibility; the bindings serve every release, so nothing is compared")
	f.StringVar(&c.CGOFlagsPath, "cgo-flags-path", "cgo-flags.env",
		`file for shell commands that set CGO_CFLAGS and CGO_LDFLAGS for the root paths; "-" is stdout, "" is none`)
	f.StringVar(&c.BuildTag, "build-tag", "", "build constraint of every file")
	f.BoolVar(&c.Lenient, "lenient", false, "make bindings that bear a version of their types with other fields")
	f.BoolVar(&g.noImporter, "no-importer", false, "do not write msgs.gen.go, which imports all bindings")
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
		fmt.Fprintf(stderr, "cannot use argument %q: %s takes options only\n", g.flags.Arg(0), g.name)
		return 2
	}
	if err := g.complete(stderr); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	if g.name == "generate-rclgo" {
		fmt.Fprintln(stderr, "note: nothing to do: no part of this module is generated from an installed ROS")
		return 0
	}
	g.config.Notes = stderr
	if g.check {
		return g.compare(stdout, stderr)
	}
	generator := gogen.New(&g.config)
	steps := []func() error{generator.GenerateGolangMessageTypes, generator.GenerateCGOFlags}
	if !g.noImporter {
		steps = append(steps, generator.GenerateROS2AllMessagesImporter)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
	}
	return 0
}

// compare prints which files are out of date and writes no file.
func (g *generate) compare(stdout, stderr io.Writer) int {
	faults, err := gogen.New(&g.config).OutOfDate()
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	for _, f := range faults {
		fmt.Fprintln(stdout, f)
	}
	if len(faults) > 0 {
		fmt.Fprintf(stderr, "%s is not in step with its interfaces; run the same command without --check\n",
			g.config.DestPath)
		return 1
	}
	return 0
}

// complete fills in options that the command line does not give.
func (g *generate) complete(stderr io.Writer) error {
	if err := g.fromFile(stderr); err != nil {
		return err
	}
	if len(g.config.RootPaths) == 0 {
		for _, root := range filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH")) {
			if _, err := os.Stat(filepath.Join(root, "share")); err == nil {
				g.config.RootPaths = append(g.config.RootPaths, root)
			}
		}
	}
	if len(g.config.RootPaths) == 0 && g.name == "generate" {
		return errors.New("cannot find interfaces: AMENT_PREFIX_PATH has no prefix; source a ROS 2 setup file or give --root-path")
	}
	if g.license != "" {
		text, err := os.ReadFile(g.license)
		if err != nil {
			return fmt.Errorf("cannot read licence header: %w", err)
		}
		g.config.LicenseHeader = string(text)
	}
	return nil
}

// short maps options of one letter to their long names.
var short = map[string]string{"d": "dest-path", "r": "root-path", "c": "config-file"}

// fromFile takes the options that only the config file gives.
func (g *generate) fromFile(stderr io.Writer) error {
	settings, path, err := readConfig(g.configFile)
	if err != nil {
		return err
	}
	if path != "" {
		fmt.Fprintf(stderr, "note: options are read from %s\n", path)
	}
	given := map[string]bool{}
	g.flags.Visit(func(f *flag.Flag) {
		given[f.Name] = true
		if long := short[f.Name]; long != "" {
			given[long] = true
		}
	})
	for _, s := range settings {
		if s.command != g.name || given[s.option] {
			continue
		}
		if g.flags.Lookup(s.option) == nil || s.option == "config-file" {
			return fmt.Errorf("cannot use config file %s: %s has no option %q", path, s.command, s.option)
		}
		for _, v := range s.values {
			if err := g.flags.Set(s.option, v); err != nil {
				return fmt.Errorf("cannot use config file %s: option %s: %w", path, s.option, err)
			}
		}
	}
	return nil
}
