package stepper

import (
	"strings"
	"testing"
	"time"
)

func TestL5ParseEnd(t *testing.T) {
	for text, want := range map[string]Want{"": None, "succeed": Succeed, "fail": Fail} {
		if got, err := ParseEnd(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"stop", "abort", "Succeed", "100", " "} {
		if got, err := ParseEnd(text); err == nil || got != None ||
			!strings.Contains(err.Error(), "write succeed or fail") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func TestParseSpan(t *testing.T) {
	for text, want := range map[string]Span{
		"": {}, " ": {}, "1": {Steps: 1}, "100 20ms": {100, 20 * time.Millisecond},
		"20ms,100": {100, 20 * time.Millisecond}, "1h": {DT: time.Hour},
		"4611686018427387904": {Steps: 1 << 62},
	} {
		if got, err := ParseSpan(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0", "-1", "soon", "1 2", "1s 2s", "0s", "-20ms", "1.5", "4611686018427387905",
		"99999999999999999999", "1000000h", "100\n"} {
		if got, err := ParseSpan(text); err == nil || !strings.Contains(err.Error(), "write 100, 20ms, or 100 20ms") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
