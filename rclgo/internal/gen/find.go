package gen

import (
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Source is a set of interface files, by name.
type Source struct {
	files map[Name]string
	// IDLOnly names those that exist as .idl files only; they are read from there.
	IDLOnly []Name
}

// Find lists the interface files of the roots. A root is an install prefix (with
// share/<package>/) or the source folder of one package (with a package.xml). Where
// two roots have a package the first one's is taken, as with overlays.
func Find(roots []string) (*Source, error) {
	s := &Source{files: map[Name]string{}}
	seen := map[string]bool{}
	for _, root := range roots {
		folders, err := packageFolders(root)
		if err != nil {
			return nil, err
		}
		for pkg, folder := range folders {
			if !seen[pkg] {
				seen[pkg] = s.add(pkg, folder)
			}
		}
	}
	for n, path := range s.files {
		if filepath.Ext(path) == ".idl" {
			s.IDLOnly = append(s.IDLOnly, n)
		}
	}
	slices.SortFunc(s.IDLOnly, compareNames)
	return s, nil
}

func compareNames(a, b Name) int { return strings.Compare(a.String(), b.String()) }

// packageFolders maps the packages of a root to their folders.
func packageFolders(root string) (map[string]string, error) {
	if text, err := os.ReadFile(filepath.Join(root, "package.xml")); err == nil {
		var manifest struct {
			Name string `xml:"name"`
		}
		if err := xml.Unmarshal(text, &manifest); err != nil || manifest.Name == "" {
			return nil, fmt.Errorf("cannot read root path %q: its package.xml names no package", root)
		}
		return map[string]string{strings.TrimSpace(manifest.Name): root}, nil
	}
	share := filepath.Join(root, "share")
	entries, err := os.ReadDir(share)
	if err != nil {
		return nil, fmt.Errorf("cannot read root path %q: it has neither package.xml nor share; "+
			"name an install prefix or a package's source folder", root)
	}
	folders := map[string]string{}
	for _, e := range entries {
		folders[e.Name()] = filepath.Join(share, e.Name())
	}
	return folders, nil
}

// add lists the interface files of one package and reports whether there are any. A file
// in the kind's own format takes precedence over its .idl twin.
func (s *Source) add(pkg, folder string) bool {
	found := false
	for kind := range suffixes {
		for _, ext := range []string{".idl", "." + kind} {
			files, _ := filepath.Glob(filepath.Join(folder, kind, "*"+ext))
			for _, f := range files {
				s.files[Name{pkg, kind, strings.TrimSuffix(filepath.Base(f), ext)}] = f
				found = true
			}
		}
	}
	return found
}

// Packages returns the names of all packages, sorted.
func (s *Source) Packages() []string {
	var pkgs []string
	for n := range s.files {
		pkgs = append(pkgs, n.Pkg)
	}
	slices.Sort(pkgs)
	return slices.Compact(pkgs)
}

// Read reads the interfaces of pkgs and of every package that they depend on, sorted by
// name.
func (s *Source) Read(pkgs []string) ([]*Interface, error) {
	var all []*Interface
	done := map[string]bool{}
	for queue := slices.Clone(pkgs); len(queue) > 0; queue = queue[1:] {
		pkg := queue[0]
		if done[pkg] {
			continue
		}
		done[pkg] = true
		interfaces, err := s.readPackage(pkg)
		if err != nil {
			return nil, err
		}
		for _, i := range interfaces {
			queue = append(queue, i.Deps()...)
		}
		all = append(all, interfaces...)
	}
	slices.SortFunc(all, func(a, b *Interface) int { return compareNames(a.Name, b.Name) })
	return all, s.checkNested(all)
}

// Needed returns the interfaces that are wanted, and those that they need, in their order.
func Needed(all []*Interface, wanted func(Name) bool) []*Interface {
	of := map[Name]*Interface{} // by their messages
	for _, i := range all {
		of[i.Name] = i
		for _, m := range i.Messages {
			of[m.Name] = i
		}
	}
	kept := map[*Interface]bool{}
	var keep func(*Interface)
	keep = func(i *Interface) {
		if i == nil || kept[i] {
			return
		}
		kept[i] = true
		for _, n := range i.needs() {
			keep(of[n])
		}
	}
	for _, i := range all {
		if wanted(i.Name) {
			keep(i)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(i *Interface) bool { return !kept[i] })
}

func (s *Source) readPackage(pkg string) (all []*Interface, err error) {
	for _, name := range slices.SortedFunc(maps.Keys(s.files), compareNames) {
		if name.Pkg != pkg {
			continue
		}
		i, err := readFile(name, s.files[name])
		if err != nil {
			return nil, fmt.Errorf("cannot read %s from %s: %w", name, s.files[name], err)
		}
		all = append(all, i)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("cannot find package %q: no root path has interface files of it; "+
			"install it, source its workspace, or add --root-path", pkg)
	}
	return all, nil
}

func readFile(name Name, path string) (*Interface, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	parse := ParseMsg
	if filepath.Ext(path) == ".idl" {
		parse = ParseIDL
	}
	i, err := parse(name, string(text))
	if err != nil {
		return nil, err
	}
	i.Path = path
	return i, nil
}

// checkNested reports the types that are used and do not exist.
func (s *Source) checkNested(all []*Interface) error {
	known := map[Name]bool{}
	for _, i := range all {
		for _, m := range i.Messages {
			known[m.Name] = true
		}
	}
	for _, i := range all {
		for _, m := range i.Messages {
			for _, f := range m.Fields {
				if f.Type.Primitive == "" && !known[f.Type.Nested] {
					return fmt.Errorf("cannot read %s from %s: field %s is of type %s, which does not exist",
						i.Name, i.Path, f.Name, f.Type.Nested)
				}
			}
		}
	}
	return nil
}
