package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"unicode/utf8"
)

const maxDepth = 32 // of the objects and lists of a body; ours have 1

// readBody reads the whole body, if the route has one, and replaces it with what was read. It
// returns a problem if the body is no JSON value that has one meaning only.
//
// Once the body has been read, net/http ends the read deadline of the request: a command may take
// longer.
func readBody(w http.ResponseWriter, r *http.Request, expected bool, limit int64) *Problem {
	if !expected && r.ContentLength != 0 {
		return problem(http.StatusBadRequest, "this request takes no body")
	}
	if !expected {
		return nil
	}
	if p := checkType(r.Header); p != nil {
		return p
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var large *http.MaxBytesError
	var network net.Error
	switch {
	case errors.As(err, &large):
		return problem(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes", limit))
	case errors.As(err, &network) && network.Timeout():
		return problem(http.StatusRequestTimeout, "the body did not arrive in time")
	case err != nil:
		return problem(http.StatusBadRequest, "cannot read the body: "+err.Error())
	}
	if err := checkJSON(text); err != nil {
		return problem(http.StatusBadRequest, "cannot read the body as JSON: "+err.Error())
	}
	r.Header.Set("Content-Type", "application/json") // as huma writes it
	r.Body = io.NopCloser(bytes.NewReader(text))
	return nil
}

// checkType accepts JSON only. A browser sends JSON to another origin only after it has asked for
// permission, which this server never gives.
func checkType(h http.Header) *Problem {
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
// differ about a key that occurs twice, about null and about bytes that are not UTF-8.
func checkJSON(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	switch err := checkValue(d, 0); err {
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

func checkValue(d *json.Decoder, depth int) error {
	token, err := d.Token()
	if err == nil && token == nil {
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
		}
		if err := checkValue(d, depth+1); err != nil {
			return err
		}
	}
	_, err = d.Token() // the end of the object or list
	return err
}
