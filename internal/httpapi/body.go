package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

const maxDepth = 32 // of the objects and lists of a body; ours have 1

// body is what a route takes as a body.
type body struct {
	expected bool
	optional bool     // it may be left out
	untyped  bool     // clients of the NRP send it without a content type
	keys     []string // all that are known: others are ignored, and named. Empty: the operation refuses others
}

// read reads the whole body, if the route has one, and replaces it with what was read, without the
// keys that are ignored. It returns a problem if the body is no JSON value that has one meaning only.
//
// Once the body has been read, net/http ends the read deadline of the request: a command may take
// longer.
func (b body) read(w http.ResponseWriter, r *http.Request, limit int64) (ignored []string, p *Problem) {
	if !b.expected && r.ContentLength != 0 {
		return nil, problem(http.StatusBadRequest, "this request takes no body")
	}
	if !b.expected || b.optional && r.ContentLength == 0 {
		return nil, nil
	}
	if p := b.checkType(r.Header); p != nil {
		return nil, p
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var large *http.MaxBytesError
	var network net.Error
	switch {
	case errors.As(err, &large):
		return nil, problem(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes", limit))
	case errors.As(err, &network) && network.Timeout():
		return nil, problem(http.StatusRequestTimeout, "the body did not arrive in time")
	case err != nil:
		return nil, problem(http.StatusBadRequest, "cannot read the body: "+err.Error())
	}
	if err := checkJSON(text, b.ignores); err != nil {
		return nil, problem(http.StatusBadRequest, "cannot read the body as JSON: "+err.Error())
	}
	text, ignored = b.known(text)
	r.Header.Set("Content-Type", "application/json") // as huma writes it
	r.Body = io.NopCloser(bytes.NewReader(text))
	return ignored, nil
}

// ignores reports whether a key is ignored.
func (b body) ignores(key string) bool { return len(b.keys) > 0 && !slices.Contains(b.keys, key) }

// known returns a body without the keys that are ignored, and these keys. Their values must not reach
// the operation: encoding/json takes a key in other letters for the known one.
func (b body) known(text []byte) (rest []byte, ignored []string) {
	var object map[string]json.RawMessage
	if len(b.keys) == 0 || json.Unmarshal(text, &object) != nil {
		return text, nil
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if b.ignores(key) {
			delete(object, key)
			ignored = append(ignored, key)
		}
	}
	rest, _ = json.Marshal(object) // it was read from JSON: this cannot fail
	return rest, ignored
}

// mostQuoted is how many keys of a client a warning names.
const mostQuoted = 16

// quoteKeys returns keys of a client as text of bounded length, without control characters.
func quoteKeys(keys []string) string {
	var list []string
	for _, key := range keys[:min(len(keys), mostQuoted)] {
		list = append(list, fmt.Sprintf("%.100q", key))
	}
	if more := len(keys) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}

// checkType accepts JSON only. A browser sends JSON to another origin only after it has asked for
// permission, which this server never gives. No type at all is taken for JSON where clients of the NRP
// send none. A browser could leave it out without asking, but it names the origin of the page.
func (b body) checkType(h http.Header) *Problem {
	page := len(h.Values("Origin")) > 0 || len(h.Values("Sec-Fetch-Site")) > 0
	if b.untyped && !page && len(h.Values("Content-Type")) == 0 {
		h.Set("Content-Type", "application/json")
	}
	kind, parameters, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || kind != "application/json" || len(h.Values("Content-Type")) > 1 {
		return problem(http.StatusUnsupportedMediaType, "send the body as Content-Type: application/json")
	}
	if c := parameters["charset"]; c != "" && !strings.EqualFold(c, "utf-8") {
		return problem(http.StatusUnsupportedMediaType, "send the body in UTF-8")
	}
	if h.Get("Content-Encoding") != "" {
		return problem(http.StatusUnsupportedMediaType, "send the body without Content-Encoding")
	}
	return nil
}

// checkJSON returns why a text is not one JSON value that all readers understand alike: readers
// differ about a key that occurs twice, about null and about bytes that are not UTF-8. A key that is
// ignored may be null.
func checkJSON(text []byte, ignores func(key string) bool) error {
	if !utf8.Valid(text) {
		return errors.New("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	switch err := checkValue(d, 0, ignores); err {
	case nil:
	case io.EOF:
		return errors.New("it ends too early")
	default:
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more after the value")
	}
	return nil
}

// checkValue reads one value. ignores says which of its keys are ignored; nil: it is itself the value of one.
func checkValue(d *json.Decoder, depth int, ignores func(key string) bool) error {
	token, err := d.Token()
	if err == nil && token == nil && ignores != nil {
		return errors.New("null stands for nothing here; leave the key out")
	}
	open, nested := token.(json.Delim)
	if err != nil || !nested {
		return err
	}
	if depth == maxDepth {
		return fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	}
	seen := map[string]bool{}
	for d.More() {
		inner := ignores
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			name := key.(string) // the decoder accepts nothing else as a key
			if seen[name] {
				return fmt.Errorf("the key %.100q occurs twice", name)
			}
			seen[name] = true
			if depth == 0 && ignores(name) {
				inner = nil
			}
		}
		if err := checkValue(d, depth+1, inner); err != nil {
			return err
		}
	}
	_, err = d.Token() // the end of the object or list
	return err
}
