package gen

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// literal turns a value, as interface files write them, into a Go literal of t's
// primitive.
func literal(t Type, s string) (string, error) {
	s = strings.TrimSpace(s)
	goType := goPrimitives[t.Primitive]
	switch {
	case goType == "string":
		return strconv.Quote(unescape(unquote(s))), nil
	case goType == "bool":
		switch strings.ToLower(s) {
		case "true", "1":
			return "true", nil
		case "false", "0":
			return "false", nil
		}
	case strings.HasPrefix(goType, "float"):
		if f, err := strconv.ParseFloat(s, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return strconv.FormatFloat(f, 'g', -1, 64), nil
		}
	case strings.HasPrefix(goType, "uint"):
		bits, _ := strconv.Atoi(goType[4:])
		if u, err := parseInteger(s, bits, strconv.ParseUint); err == nil {
			return strconv.FormatUint(u, 10), nil
		}
	case strings.HasPrefix(goType, "int"):
		bits, _ := strconv.Atoi(goType[3:])
		if i, err := parseInteger(s, bits, strconv.ParseInt); err == nil {
			return strconv.FormatInt(i, 10), nil
		}
	}
	return "", fmt.Errorf("%q is no value of type %s", s, t.Primitive)
}

// parseInteger reads decimals, where leading zeros mean nothing, else 0x, 0o and 0b.
func parseInteger[T any](s string, bits int, parse func(string, int, int) (T, error)) (T, error) {
	s = strings.TrimPrefix(s, "+")
	if v, err := parse(s, 10, bits); err == nil {
		return v, nil
	}
	return parse(s, 0, bits)
}

// unquote takes off one pair of quotes, if there is one.
func unquote(s string) string {
	for _, q := range []string{`"`, `'`} {
		if len(s) >= 2 && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			return strings.ReplaceAll(s[1:len(s)-1], `\`+q, q)
		}
	}
	return s
}

var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\"`, `"`, `\'`, `'`)

func unescape(s string) string { return escapes.Replace(s) }

// splitList splits "[a, b]" (or "(a, b)", as .idl files write it) at the commas that
// are not inside quotes.
func splitList(s string) ([]string, error) {
	if len(s) < 2 || !strings.Contains("[( ", s[:1]) || !strings.Contains("]) ", s[len(s)-1:]) {
		return nil, fmt.Errorf("%q is no list of values", s)
	}
	var values []string
	var quote byte
	body, start := s[1:len(s)-1], 0
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == ',':
			values = append(values, strings.TrimSpace(body[start:i]))
			start = i + 1
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("%q: a quote is not closed", s)
	}
	if last := strings.TrimSpace(body[start:]); last != "" {
		values = append(values, last)
	}
	return values, nil
}
