package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Hash is the same for machines with the same content, whatever their names: peers mirror each other only then.
func (m *Machine) Hash() string {
	content := *m
	content.Name, content.Base = "", ""
	data, err := json.Marshal(content)
	if err != nil {
		panic("machine: plain data cannot be written as JSON: " + err.Error()) // a fault of this program, not of a file
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}
