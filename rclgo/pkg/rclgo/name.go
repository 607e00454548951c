package rclgo

import "strings"

// noNUL refuses texts that C would cut at a NUL, with an error of that code.
func noNUL(op string, code int, texts ...string) error {
	for _, text := range texts {
		if strings.ContainsRune(text, 0) {
			return newError(code, op, "it contains a NUL")
		}
	}
	return nil
}
