package page

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func made(t *testing.T) *Page {
	t.Helper()
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// get asks for a file; headers are pairs of a name and a value.
func get(p *Page, path string, headers ...string) *http.Response {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for k := 0; k < len(headers); k += 2 {
		r.Header.Set(headers[k], headers[k+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestH8ThePolicyIsStrict: only files of this server run. The import map is the one inline script, and it is named by its
// hash.
func TestH8ThePolicyIsStrict(t *testing.T) {
	p := made(t)
	index := get(p, "/")
	policy, text := index.Header.Get("Content-Security-Policy"), body(t, index)
	for _, bad := range []string{"unsafe-", "*", "http:", "https:", "data:", "blob:"} {
		if strings.Contains(policy, bad) {
			t.Errorf("the policy has %q: %s", bad, policy)
		}
	}
	for _, want := range []string{"default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'none'",
		"require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy lacks %q: %s", want, policy)
		}
	}
	inline := regexp.MustCompile(`(?s)<script type="importmap">(.*?)</script>`).FindStringSubmatch(text)
	if inline == nil || !json.Valid([]byte(inline[1])) {
		t.Fatalf("the import map is %q", inline)
	}
	sum := sha256.Sum256([]byte(inline[1]))
	if hash := base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(policy, "'sha256-"+hash+"'") {
		t.Errorf("the policy does not name the import map by its hash %s: %s", hash, policy)
	}
	if n := strings.Count(text, "<script"); n != 2 {
		t.Errorf("there are %d scripts in the page", n)
	}
	for _, bad := range []string{" style=", "<style", " onclick", "javascript:", "//", `="/`} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

// TestH8OnlyTheWorkerCompiles WebAssembly: the page itself may not.
func TestH8OnlyTheWorkerCompiles(t *testing.T) {
	p := made(t)
	for name, f := range p.files {
		if isWorker := strings.HasSuffix(name, "/"+workerName); strings.Contains(f.policy, "wasm-unsafe-eval") != isWorker {
			t.Errorf("%s has the policy %q", name, f.policy)
		}
	}
}

// TestHeaders: a file is kept for good by a browser, since its path changes with the content. The page itself is not.
func TestHeaders(t *testing.T) {
	p := made(t)
	for name := range p.files {
		h := get(p, name).Header
		for key, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
			"Vary": "Accept-Encoding"} {
			if h.Get(key) != want {
				t.Errorf("%s: %s is %q", name, key, h.Get(key))
			}
		}
		if want := name != "/"; strings.Contains(h.Get("Cache-Control"), "immutable") != want {
			t.Errorf("%s: Cache-Control is %q", name, h.Get("Cache-Control"))
		}
		if h.Get("Content-Type") == "" {
			t.Errorf("%s has no type", name)
		}
	}
	if cache := get(p, "/").Header.Get("Cache-Control"); cache != "no-cache" {
		t.Errorf("the page has Cache-Control %q", cache)
	}
	if r := get(p, "/nothing"); r.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown path is answered with %d", r.StatusCode)
	}
}

// TestCompression: each client gets the same text, in the form that it takes.
func TestCompression(t *testing.T) {
	p := made(t)
	for name, f := range p.files {
		for accept, zipped := range map[string]bool{"": false, "gzip": true, "br, gzip;q=0.5": true, "gzip;q=0": false,
			"identity": false} {
			r := get(p, name, "Accept-Encoding", accept)
			text := body(t, r)
			if (r.Header.Get("Content-Encoding") == "gzip") != zipped {
				t.Errorf("%s for %q is encoded as %q", name, accept, r.Header.Get("Content-Encoding"))
			}
			if zipped {
				text = string(unzip([]byte(text)))
			}
			if f.plain != nil && text != string(f.plain) {
				t.Errorf("%s for %q is another text", name, accept)
			}
		}
	}
}

// TestTheBrowserAsksWhetherThePageIsNew, and gets no second copy of the same.
func TestTheBrowserAsksWhetherThePageIsNew(t *testing.T) {
	p := made(t)
	for _, accept := range []string{"", "gzip"} {
		tag := get(p, "/", "Accept-Encoding", accept).Header.Get("ETag")
		r := get(p, "/", "Accept-Encoding", accept, "If-None-Match", tag)
		if text := body(t, r); r.StatusCode != http.StatusNotModified || text != "" || tag == "" {
			t.Errorf("%q: status %d with %d bytes for the tag %q", accept, r.StatusCode, len(text), tag)
		}
		if r := get(p, "/", "Accept-Encoding", accept, "If-None-Match", `"old"`); r.StatusCode != http.StatusOK {
			t.Errorf("%q: an old tag is answered with %d", accept, r.StatusCode)
		}
	}
}

// TestAnotherVersionHasOtherPaths, so that an old page never mixes with new files.
func TestAnotherVersionHasOtherPaths(t *testing.T) {
	files := fstest.MapFS{indexName: {Data: []byte(`{{.Base}}`)}, "style.css": {Data: []byte("a {}")}}
	one, err := newPage(files, fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	files["style.css"] = &fstest.MapFile{Data: []byte("b {}")}
	two, err := newPage(files, fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := body(t, get(one, "/")), body(t, get(two, "/")); a == b || get(one, a[1:]+"style.css").StatusCode != 200 ||
		get(two, a[1:]+"style.css").StatusCode != 404 {
		t.Errorf("the paths are %s and %s", a, b)
	}
}

// largest is what a browser may have to fetch for the first view, compressed, so without the rehearsal.
const largest = 75_000

func TestThePageIsSmall(t *testing.T) {
	p := made(t)
	sum, packed := 0, 0
	for name, f := range p.files {
		if path.Ext(name) == ".wasm" || path.Base(name) == glueName {
			continue
		}
		sum, packed = sum+len(f.plain), packed+len(f.zipped)
	}
	t.Logf("%d bytes in %d files, %d compressed", sum, len(p.files), packed)
	if packed > largest {
		t.Errorf("the page has %d bytes, compressed, and may have %d", packed, largest)
	}
}

// TestTheVendoredFilesAreTheReleasedOnes: their hashes are written down, with versions and licences.
func TestTheVendoredFilesAreTheReleasedOnes(t *testing.T) {
	folder := filepath.Join("web", "vendor")
	text, err := os.ReadFile(filepath.Join(folder, "vendored.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []struct{ File, From, Package, Version, Licence, SHA256 string }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	packages, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, one := range list {
		known[one.File] = true
		file, err := os.ReadFile(filepath.Join(folder, one.File))
		if err != nil {
			t.Error(err)
		}
		if sum := sha256.Sum256(file); hex.EncodeToString(sum[:]) != one.SHA256 || one.From == "" || one.Licence == "" {
			t.Errorf("%s is not the released file: its hash is %x", one.File, sum)
		}
		if want := `"` + one.Package + `": "` + one.Version + `"`; !strings.Contains(string(packages), want) {
			t.Errorf("package.json has another version of %s: make page would check the scripts against it", one.Package)
		}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.js"))
	if err != nil || len(files) != len(list) {
		t.Errorf("%d files are vendored and %d are written down, %v", len(files), len(list), err)
	}
	for _, file := range files {
		if !known[filepath.Base(file)] {
			t.Errorf("%s has no entry in vendored.json", file)
		}
	}
}
