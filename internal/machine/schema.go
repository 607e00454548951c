package machine

import (
	"bytes"
	"encoding/json"

	"rstate/internal/strict"
)

// Schema is the JSON Schema of a machine in a file of its own, written from the tables that read it.
func Schema() []byte {
	s := strict.Record(FileFields(), Source{}).Schema.
		With("$schema", "https://json-schema.org/draft/2020-12/schema").
		With("title", "rstate machine file")
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		panic("machine: the schema is plain data, yet: " + err.Error()) // a fault of this program, not of a file
	}
	return b.Bytes()
}
