package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"fmt"
	"strings"
	"time"
)

// debian is a Debian package.
type debian struct {
	name, version, arch string
	depends, recommends []string
	summary             string
	description         string // lines of the long description
	conffiles           []string
	postinst            string
	files               tree
}

const maintainer = "The rstate maintainers <maintainers@rstate.example>"

func (d debian) fileName() string { return fmt.Sprintf("%s_%s_%s.deb", d.name, d.version, d.arch) }

// bytes returns the package: an ar archive of a version, a control archive and a data archive.
func (d debian) bytes(at time.Time) ([]byte, error) {
	files, err := d.files.sorted()
	if err != nil {
		return nil, fmt.Errorf("cannot make %s: %w", d.fileName(), err)
	}
	control := tree{}
	control.add("control", 0o644, []byte(d.control(files)))
	if len(d.conffiles) > 0 {
		control.add("conffiles", 0o644, []byte("/"+strings.Join(d.conffiles, "\n/")+"\n"))
	}
	if d.postinst != "" {
		control.add("postinst", 0o755, []byte(d.postinst))
	}
	var sums strings.Builder
	for _, e := range files {
		if e.link == "" {
			fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(e.data), e.path)
		}
	}
	control.add("md5sums", 0o644, []byte(sums.String()))
	first, err := tarball(control, at)
	if err != nil {
		return nil, err
	}
	second, err := tarball(files, at)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString("!<arch>\n")
	for _, member := range []struct {
		name string
		data []byte
	}{{"debian-binary", []byte("2.0\n")}, {"control.tar.gz", first}, {"data.tar.gz", second}} {
		fmt.Fprintf(&out, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", member.name, at.Unix(), 0, 0, 0o100644, len(member.data))
		out.Write(member.data)
		if len(member.data)%2 == 1 {
			out.WriteByte('\n')
		}
	}
	return out.Bytes(), nil
}

func (d debian) control(files tree) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %d\n", d.name, d.version,
		d.arch, maintainer, files.size()/1024+1)
	if len(d.depends) > 0 {
		fmt.Fprintf(&b, "Depends: %s\n", strings.Join(d.depends, ", "))
	}
	if len(d.recommends) > 0 {
		fmt.Fprintf(&b, "Recommends: %s\n", strings.Join(d.recommends, ", "))
	}
	fmt.Fprintf(&b, "Section: misc\nPriority: optional\nDescription: %s\n", d.summary)
	for line := range strings.Lines(d.description) {
		b.WriteString(" " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

// tarball returns the tree as a compressed archive whose files belong to root.
func tarball(t tree, at time.Time) ([]byte, error) {
	t, err := t.sorted()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.DefaultCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(zip)
	head := func(h tar.Header) error {
		h.ModTime, h.Uname, h.Gname, h.Format = at, "root", "root", tar.FormatGNU
		return w.WriteHeader(&h)
	}
	if err := head(tar.Header{Typeflag: tar.TypeDir, Name: "./", Mode: 0o755}); err != nil {
		return nil, err
	}
	for _, dir := range t.folders() {
		if err := head(tar.Header{Typeflag: tar.TypeDir, Name: "./" + dir + "/", Mode: 0o755}); err != nil {
			return nil, err
		}
	}
	for _, e := range t {
		h := tar.Header{Typeflag: tar.TypeReg, Name: "./" + e.path, Mode: int64(e.mode.Perm()), Size: int64(len(e.data))}
		if e.link != "" {
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, e.link, 0
		}
		if err := head(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err = zip.Close()
	return out.Bytes(), err
}

// gzipped returns data in the form in which Debian wants man pages.
func gzipped(data []byte) []byte {
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.DefaultCompression)
	if err == nil {
		_, err = zip.Write(data)
	}
	if err == nil {
		err = zip.Close()
	}
	if err != nil {
		panic(err) // a buffer takes everything, and the level is a constant
	}
	return out.Bytes()
}
