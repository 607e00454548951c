package network

import (
	"bytes"
	"encoding/json"

	"rstate/internal/strict"
)

// Schema is the JSON Schema of the network file, written from the same tables that read it.
func Schema() []byte {
	f := file{Network: Defaults()}
	s := strict.Record(fileFields(), f).Schema.
		With("$schema", "https://json-schema.org/draft/2020-12/schema").
		With("title", "rstate network file")
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		panic("network: the schema is plain data, yet: " + err.Error()) // a fault of this program, not of a file
	}
	return b.Bytes()
}
