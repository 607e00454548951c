package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// assets are the files of the page as they are served, and index.html, which is a template.
//
//go:embed web
var assets embed.FS

// built holds what make builds: the rehearsal as WebAssembly, compressed. It may be empty.
//
//go:embed all:built
var built embed.FS

const (
	indexName = "index.html"
	// Module is the rehearsal as WebAssembly, and glue the script of the Go distribution that starts it.
	moduleName = "rehearse.wasm"
	glueName   = "wasm_exec.js"
	workerName = "app/rehearse-worker.js"
)

// policy lets files of this server run, and nothing else. The verb is the hash of the import map.
const policy = "default-src 'none'; script-src 'self' 'sha256-%s'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types rstate"

// workerPolicy is that of the worker, the only script that may compile WebAssembly.
const workerPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"

// kinds are the types of files by their extension.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json",
}

// Page answers requests for the page and its files.
type Page struct {
	files map[string]file // by path
}

// file is one answer.
type file struct {
	kind, etag, policy string
	forever            bool // the path changes with the content
	plain, zipped      []byte
}

// New makes the page from the embedded files.
func New() (*Page, error) {
	web, err := fs.Sub(assets, "web")
	if err != nil {
		return nil, err
	}
	extra, err := fs.Sub(built, "built")
	if err != nil {
		return nil, err
	}
	return newPage(web, extra)
}

// newPage makes the page from the files of a folder and from what make has built.
func newPage(web, extra fs.FS) (*Page, error) {
	contents, err := read(web)
	if err != nil {
		return nil, err
	}
	zipped, err := read(extra)
	if err != nil {
		return nil, err
	}
	base := "/page/" + hashOf(contents, zipped) + "/"
	p := &Page{files: map[string]file{}}
	for name, text := range contents {
		if kinds[path.Ext(name)] == "" || name == indexName {
			continue
		}
		f := file{kind: kinds[path.Ext(name)], forever: true, plain: text, zipped: zip(text)}
		if name == workerName {
			f.policy = workerPolicy
		}
		p.files[base+name] = f
	}
	for name, packed := range zipped {
		name, isZipped := strings.CutSuffix(name, ".gz")
		if kinds[path.Ext(name)] != "" && isZipped {
			p.files[base+name] = file{kind: kinds[path.Ext(name)], forever: true, zipped: packed}
		}
	}
	_, rehearses := zipped[moduleName+".gz"]
	return p, p.index(contents, "."+base, rehearses)
}

// index makes the page itself, which names all files by the folder of this version. The folder is relative, since a proxy
// may serve all of it below a path of its own.
func (p *Page) index(contents map[string][]byte, base string, rehearses bool) error {
	var modules []string
	for name := range contents {
		if path.Ext(name) == ".js" && name != workerName && !strings.HasPrefix(name, "app/later/") {
			modules = append(modules, base+name)
		}
	}
	slices.Sort(modules)
	imports := fmt.Sprintf(`{"imports":{"preact":"%[1]spreact.js","preact/hooks":"%[1]shooks.js",`+
		`"@preact/signals":"%[1]ssignals.js","@preact/signals-core":"%[1]ssignals-core.js","htm":"%[1]shtm.js"}}`,
		base+"vendor/")
	t, err := template.New(indexName).Parse(string(contents[indexName]))
	if err != nil {
		return fmt.Errorf("cannot read the template of the page: %w", err)
	}
	var text bytes.Buffer
	err = t.Execute(&text, map[string]any{"Base": base, "Modules": modules, "Rehearses": rehearses,
		"Imports": imports}) // all are names of our own
	if err != nil {
		return fmt.Errorf("cannot make the page: %w", err)
	}
	sum := sha256.Sum256([]byte(imports))
	p.files["/"] = file{
		kind: kinds[".html"], policy: fmt.Sprintf(policy, base64.StdEncoding.EncodeToString(sum[:])),
		etag: `"` + hashOf(map[string][]byte{"": text.Bytes()}) + `"`, plain: text.Bytes(), zipped: zip(text.Bytes()),
	}
	return nil
}

// ServeHTTP answers GET and HEAD with a file of the page, or with 404.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := p.files[r.URL.Path]
	if !ok {
		http.Error(w, "there is no such page; GET /openapi.json describes the API", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-cache")
	if f.forever {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if f.etag != "" {
		h.Set("ETag", f.etag)
	}
	if f.policy != "" {
		h.Set("Content-Security-Policy", f.policy)
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Vary", "Accept-Encoding")
	f.send(w, r)
}

// send writes the content, compressed if the client takes that.
func (f file) send(w http.ResponseWriter, r *http.Request) {
	if takesGzip(r) {
		w.Header().Set("Content-Encoding", "gzip")
		if f.etag != "" {
			w.Header().Set("ETag", strings.TrimSuffix(f.etag, `"`)+`-gzip"`)
		}
		serve(w, r, f.zipped)
		return
	}
	text := f.plain
	if text == nil {
		text = unzip(f.zipped)
	}
	serve(w, r, text)
}

// serve writes the content unless the client has it.
func serve(w http.ResponseWriter, r *http.Request, text []byte) {
	if tag := w.Header().Get("ETag"); tag != "" && slices.Contains(strings.Split(r.Header.Get("If-None-Match"), ", "), tag) {
		w.Header().Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(text) // a client that is away gets no answer
	}
}

// takesGzip reports whether the client asks for gzip, and does not weigh it with 0.
func takesGzip(r *http.Request) bool {
	for _, one := range strings.Split(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, weight, _ := strings.Cut(one, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
			return err != nil || q > 0
		}
	}
	return false
}

// read returns the files of a folder by path.
func read(folder fs.FS) (map[string][]byte, error) {
	contents := map[string][]byte{}
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		contents[name], err = fs.ReadFile(folder, name)
		return err
	})
	return contents, err
}

// hashOf names a version of the files.
func hashOf(sets ...map[string][]byte) string {
	all := sha256.New()
	for _, set := range sets {
		names := make([]string, 0, len(set))
		for name := range set {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			fmt.Fprintf(all, "%s\x00%d\x00", name, len(set[name]))
			all.Write(set[name])
		}
	}
	return hex.EncodeToString(all.Sum(nil))[:16]
}

func zip(text []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is valid
	w.ModTime = time.Time{}
	_, _ = w.Write(text) // into memory
	_ = w.Close()
	return out.Bytes()
}

// unzip returns nil if the content is not compressed.
func unzip(packed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return text
}
