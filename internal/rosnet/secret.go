//go:build ros

package rosnet

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"rstate/internal/network"
	"rstate/internal/secret"
)

// Secret is what a goal has to bring that arms: only its hash is kept. nil asks for nothing.
type Secret struct{ hash [sha256.Size]byte }

// ReadSecret reads the file that the network names, beside its own if it is no full path. A file
// that cannot be read, or holds nothing, is a fault of the network file; one that others may read
// is worth a warning.
func ReadSecret(net *network.Network) (s *Secret, warning string, err error) {
	path := net.Arming.SecretFile
	if path == "" {
		return nil, "", nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(net.File), path)
	}
	fault := func(problem, hint string) error {
		return network.Faults{{File: net.File, Key: "arming.secret_file", Problem: problem, Hint: hint}}
	}
	text, open, err := secret.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", fault("cannot be read: "+err.Error(), "make the file, or remove the key to arm without it")
	case err != nil:
		return nil, "", fault("cannot be read: "+err.Error(),
			"name a regular file that the user that runs rstate can read")
	}
	if open {
		warning = fmt.Sprintf("others than its owner may use %s, which holds the arming secret; chmod 600 it", path)
	}
	if text = strings.TrimRight(text, "\r\n"); text == "" {
		return nil, "", fault("holds nothing", "write a secret into "+path)
	}
	return &Secret{sha256.Sum256([]byte(text))}, warning, nil
}

// Fits reports whether what a goal brought is the secret. It takes as long whether much of it is right
// or little.
func (s *Secret) Fits(authority string) bool {
	if s == nil {
		return true
	}
	hash := sha256.Sum256([]byte(strings.TrimRight(authority, "\r\n")))
	return subtle.ConstantTimeCompare(s.hash[:], hash[:]) == 1
}
