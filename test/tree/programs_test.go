package tree

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestSendNeedsNoDaemon: what rstate send is made of knows neither the engine nor what makes a daemon. A client stays
// small, and a change of the daemon cannot change it.
func TestSendNeedsNoDaemon(t *testing.T) {
	never := []string{"internal/engine", "internal/coordinator", "internal/rosnet", "internal/daemon",
		"internal/instances", "internal/factory", "internal/httpapi"}
	met := map[string]string{} // by which way each package is needed
	var need func(dir, way string)
	need = func(dir, way string) {
		if met[dir] != "" {
			return
		}
		met[dir] = way
		for _, bad := range never {
			if dir == bad || strings.HasPrefix(dir, bad+"/") {
				t.Errorf("rstate send needs %s: %s", dir, way)
			}
		}
		if strings.HasPrefix(dir, "msgs/") || strings.HasPrefix(dir, "rclgo") {
			return
		}
		for _, f := range files(t, dir) {
			if strings.HasSuffix(f.name, "_test.go") {
				continue
			}
			for _, imp := range f.ast.Imports {
				if to := ours(imp); to != "" {
					need(to, way+", "+path.Base(f.name)+" imports "+to)
				}
			}
		}
	}
	for _, f := range files(t, "cmd/rstate") {
		name := path.Base(f.name)
		if !strings.HasPrefix(name, "send") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, imp := range f.ast.Imports {
			if to := ours(imp); to != "" {
				need(to, name+" imports "+to)
			}
		}
	}
	if met["internal/client"] == "" {
		t.Error("rstate send has no internal/client: the test looks at the wrong files")
	}
}

// TestAProgramHasOneContext: what rstate's programs are made of opens a context at one place only, the session that a
// program shares among its nodes. Several contexts of one process can lock up (decision middleware-20).
func TestAProgramHasOneContext(t *testing.T) {
	var opened []string
	for _, dir := range packages(t, "internal", "cmd") {
		for _, f := range files(t, dir) {
			if strings.HasSuffix(f.name, "_test.go") {
				continue
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				pkg, ok := s.X.(*ast.Ident)
				if ok && pkg.Name == "rclgo" && (strings.HasPrefix(s.Sel.Name, "NewContext") || s.Sel.Name == "Init") {
					opened = append(opened, dir)
				}
				return true
			})
		}
	}
	if !slices.Equal(opened, []string{"internal/session"}) {
		t.Errorf("contexts are opened in %q, want internal/session once", opened)
	}
}
