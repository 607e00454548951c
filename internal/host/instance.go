package host

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// NewInstance names this run. Names begin with the time, so that of two runs the one that began
// later has the greater.
func NewInstance(began time.Time) string {
	var id [16]byte
	binary.BigEndian.PutUint64(id[:], uint64(began.UnixNano()))
	rand.Read(id[8:]) // never fails
	return hex.EncodeToString(id[:])
}
