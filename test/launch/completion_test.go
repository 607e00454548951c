package launch

import (
	"path"
	"strings"
	"testing"
)

// completions are the completion files of the shells, below share, by shell.
var completions = map[string]string{
	"bash": "bash-completion/completions/rstate",
	"zsh":  "zsh/site-functions/_rstate",
	"fish": "fish/vendor_completions.d/rstate.fish",
}

// TestManPagesAreInstalled: the package installs the man pages that the program writes.
func TestManPagesAreInstalled(t *testing.T) {
	written := cmakeAll(t, `COMMAND "\$\{CMAKE_CURRENT_BINARY_DIR\}/rstate" man "([^"]+)"`)
	installed := cmakeAll(t, `install\(DIRECTORY "([^"]+)" DESTINATION share/man\)`)
	if len(written) != 1 || len(installed) != 1 || written[0] != installed[0] || path.Base(installed[0]) != "man1" {
		t.Errorf("written are %v, installed %v", written, installed)
	}
}

// TestCompletionsAreInstalled: the package and the image install the completions that the program
// writes, where each shell looks for them.
func TestCompletionsAreInstalled(t *testing.T) {
	written := map[string]string{} // shell by file
	for _, line := range cmakeAll(t, `COMMAND "\$\{CMAKE_CURRENT_BINARY_DIR\}/rstate" completion ([a-z]+ > "\$\{completions\}/[^"]+")`) {
		shell, file, _ := strings.Cut(line, ` > "${completions}/`)
		written[strings.TrimSuffix(file, `"`)] = shell
	}
	installed := map[string]string{} // folder by file
	for _, line := range cmakeAll(t, `install\(FILES "\$\{completions\}/([^"]+" DESTINATION share/[^)]+)\)`) {
		file, folder, _ := strings.Cut(line, `" DESTINATION `)
		installed[file] = folder
	}
	copies := readDockerfile(t).final().all("COPY")
	for shell, place := range completions {
		t.Run(shell, func(t *testing.T) {
			file := path.Base(place)
			if written[file] != shell {
				t.Errorf("%s is written as that of %q", file, written[file])
			}
			if want := "share/" + path.Dir(place); installed[file] != want {
				t.Errorf("%s is installed in %q, not in %s", file, installed[file], want)
			}
			found := false
			for _, args := range copies {
				sources, target, from := copied(args)
				found = found || from == "build" && target == "/usr/share/"+place && len(sources) == 1 &&
					sources[0] == "/opt/rstate/share/"+place
			}
			if !found {
				t.Errorf("the image has no /usr/share/%s from what was built: %v", place, copies)
			}
		})
	}
	if len(written) != len(completions) || len(installed) != len(completions) {
		t.Errorf("written are %v, installed %v", written, installed)
	}
}
