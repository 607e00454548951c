package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"time"
)

// wheel is a Python package in the form that pip installs. It has no Python of its own to run: pip copies the program to
// where scripts are, which is why it starts at once and with any Python.
type wheel struct {
	version string
	tags    []string // of platforms, such as manylinux_2_17_x86_64
	readme  string
	license []byte
	program []byte // rstate without ROS
	modules tree   // what Python imports
	data    tree   // what pip puts below the environment's prefix
}

func (w wheel) fileName() string {
	return fmt.Sprintf("rstate-%s-py3-none-%s.whl", w.version, strings.Join(w.tags, "."))
}

// bytes returns the wheel: a zip archive whose last file lists all others with their hashes.
func (w wheel) bytes(at time.Time) ([]byte, error) {
	info := fmt.Sprintf("rstate-%s.dist-info", w.version)
	extra := fmt.Sprintf("rstate-%s.data", w.version)
	files := tree{}
	files = append(files, w.modules...)
	files = append(files, w.data.under(extra+"/data")...)
	files.add(extra+"/scripts/rstate", 0o755, w.program)
	files, err := files.sorted()
	if err != nil {
		return nil, fmt.Errorf("cannot make %s: %w", w.fileName(), err)
	}
	files.add(info+"/licenses/LICENSE", 0o644, w.license)
	files.add(info+"/METADATA", 0o644, []byte(w.metadata()))
	files.add(info+"/WHEEL", 0o644, []byte(w.form()))

	var out bytes.Buffer
	z := zip.NewWriter(&out)
	z.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(to, flate.DefaultCompression)
	})
	write := func(e entry) error {
		h := &zip.FileHeader{Name: e.path, Method: zip.Deflate, Modified: at}
		h.SetMode(e.mode)
		to, err := z.CreateHeader(h)
		if err == nil {
			_, err = to.Write(e.data)
		}
		return err
	}
	record := strings.Builder{}
	for _, e := range files {
		if e.link != "" {
			return nil, fmt.Errorf("cannot make %s: %s is a link, and pip knows none", w.fileName(), e.path)
		}
		if err := write(e); err != nil {
			return nil, err
		}
		sum := sha256.Sum256(e.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", e.path, base64.RawURLEncoding.EncodeToString(sum[:]), len(e.data))
	}
	fmt.Fprintf(&record, "%s/RECORD,,\n", info)
	if err := write(entry{path: info + "/RECORD", mode: 0o644, data: []byte(record.String())}); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}

// metadata describes the package. Its version of the form is the first with License-Expression.
func (w wheel) metadata() string {
	return fmt.Sprintf(`Metadata-Version: 2.4
Name: rstate
Version: %s
Summary: Brings up, arms and shuts down all lifecycle nodes of a ROS 2 robot with one command
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.8
Description-Content-Type: text/markdown

%s`, w.version, w.readme)
}

func (w wheel) form() string {
	text := "Wheel-Version: 1.0\nGenerator: rstate tools/dist\nRoot-Is-Purelib: false\n"
	for _, tag := range w.tags {
		text += "Tag: py3-none-" + tag + "\n"
	}
	return text
}
