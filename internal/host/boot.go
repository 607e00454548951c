package host

import (
	"os"
	"strings"
)

// bootFile has the id of the present boot of the machine.
const bootFile = "/proc/sys/kernel/random/boot_id"

// Boot returns an id of the present boot of the machine; empty: it is not known.
func Boot() string {
	text, err := os.ReadFile(bootFile)
	if err != nil {
		return ""
	}
	id, _, _ := strings.Cut(strings.TrimSpace(string(text)), "-") // 32 bits tell the boots of a journal apart
	return id
}
