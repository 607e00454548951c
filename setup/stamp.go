package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// stampName is the file that marks a folder as complete, and names its sources. It is written last.
const stampName = ".rstate-setup.json"

// stamp describes a complete folder. It includes the path because virtual environments and
// generated CMake files contain absolute paths: a folder that was moved or copied is unusable.
type stamp struct {
	Path   string `json:"path"`
	Inputs string `json:"inputs"`
}

// differs describes how the folder on disk differs from the stamp; empty if it does not.
func (s stamp) differs() string {
	text, err := os.ReadFile(filepath.Join(s.Path, stampName))
	if err != nil {
		return "it was not made yet"
	}
	var found stamp
	if err := json.Unmarshal(text, &found); err != nil {
		return "its stamp cannot be read"
	}
	switch {
	case found.Path != s.Path:
		return "it was made at " + found.Path
	case found.Inputs != s.Inputs:
		return "what it is made of has changed"
	}
	return ""
}

func (s stamp) write() error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	temp := filepath.Join(s.Path, stampName+".new")
	if err := os.WriteFile(temp, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(s.Path, stampName))
}

// removeFolder removes a folder, its stamp first, so that an interrupted removal leaves nothing
// that looks complete.
func removeFolder(dir string) error {
	if err := os.Remove(filepath.Join(dir, stampName)); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("cannot remove %q: %w", dir, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("cannot remove %q: %w", dir, err)
	}
	return nil
}

// prefixStamp is the stamp of the wheels: their versions and repairs.
func (p place) prefixStamp() stamp {
	return stamp{Path: p.prefix(), Inputs: digest(repairs, hashFile(p.buildRequirements()), hashFile(p.requirements()))}
}

// overlayStamp is the stamp of our interfaces.
func (p place) overlayStamp() stamp { return p.stampOf(p.ours()) }

// stampOf is the stamp of a package of interfaces: its sources, and the ROS 2 that it is built on.
func (p place) stampOf(one interfaces) stamp {
	parts := []string{hashTree(filepath.Join(p.root, one.sources)), strings.Join(p.underlay(), ":")}
	if p.isSourced() {
		parts = append(parts, fileIdentity(filepath.Join(rclPrefix(p.sourced), "lib", "librcl.so")),
			fileIdentity(p.python()))
	} else {
		parts = append(parts, p.prefixStamp().Inputs)
		for _, quicker := range []string{"unity.cmake", parser} {
			parts = append(parts, hashFile(filepath.Join(p.root, "setup", quicker)))
		}
	}
	return stamp{Path: one.into, Inputs: digest(parts...)}
}

func digest(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d:%s,", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// hashFile returns an empty string for a missing file. The step that needs the file reports the
// error.
func hashFile(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return digest(string(text))
}

// hashTree covers the names and the contents of all files below a folder.
func hashTree(dir string) string {
	var parts []string
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			name, _ := filepath.Rel(dir, path)
			parts = append(parts, name, hashFile(path))
		}
		return nil
	})
	return digest(parts...)
}

// fileIdentity changes when a file is replaced, as an upgrade of an installation does.
func fileIdentity(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path
	}
	info, err := os.Stat(real)
	if err != nil {
		return real
	}
	return fmt.Sprintf("%s %d %d", real, info.Size(), info.ModTime().UnixNano())
}
