package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// setting is an option in a configuration file, with its values.
type setting struct {
	command, option string
	values          []string
}

// readConfig reads the options of commands from a file. An empty path means .rclgo.yaml in
// the home folder, which need not exist. The second result is the file's path, or empty.
func readConfig(path string) ([]setting, string, error) {
	optional := path == ""
	if optional {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, "", nil
		}
		path = filepath.Join(home, ".rclgo.yaml")
	}
	text, err := os.ReadFile(path)
	if optional && errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("cannot read config file: %w", err)
	}
	settings, err := parseConfig(string(text))
	if err != nil {
		return nil, "", fmt.Errorf("cannot read config file %s: %w", path, err)
	}
	return settings, path, nil
}

// parseConfig reads the part of YAML that options need: a mapping of commands to mappings of
// options to scalars or lists of scalars.
func parseConfig(text string) (settings []setting, err error) {
	command := ""
	listing := false // the previous line opens a list
	for n, line := range strings.Split(text, "\n") {
		fault := func(what string) error { return fmt.Errorf("line %d: %q: %s", n+1, strings.TrimSpace(line), what) }
		content := strings.TrimRight(withoutComment(line), " \t\r")
		rest := strings.TrimLeft(content, " ")
		nested := len(rest) < len(content)
		if rest == "" || rest == "---" {
			continue
		}
		if item, ok := itemOf(rest); ok {
			if !listing {
				return nil, fault("an option must stand above a list")
			}
			value, err := scalar(item)
			if err != nil {
				return nil, fault(err.Error())
			}
			last := &settings[len(settings)-1]
			last.values = append(last.values, value)
			continue
		}
		key, value, err := optionOf(rest)
		if err != nil {
			return nil, fault(err.Error())
		}
		switch {
		case !nested && value == "":
			command, listing = key, false
			continue
		case !nested:
			return nil, fault("an option must stand below its command")
		case command == "":
			return nil, fault("a command must stand above its options")
		}
		s := setting{command: command, option: key}
		if listing = value == ""; !listing {
			if s.values, err = valuesOf(value); err != nil {
				return nil, fault(err.Error())
			}
		}
		settings = append(settings, s)
	}
	return settings, nil
}

// itemOf returns the item of a list that a line holds.
func itemOf(line string) (string, bool) {
	item, ok := strings.CutPrefix(line, "-")
	return item, ok && (item == "" || item[0] == ' ')
}

// optionOf splits a line into the name of an option, or of a command, and what stands behind it.
func optionOf(line string) (key, value string, err error) {
	key, value, ok := strings.Cut(line, ":")
	if !ok || value != "" && value[0] != ' ' {
		return "", "", errors.New(`"option: value" is wanted`)
	}
	key, err = scalar(key)
	return key, strings.TrimSpace(value), err
}

// valuesOf reads what stands behind an option: a scalar, or a list in brackets.
func valuesOf(text string) ([]string, error) {
	if strings.HasPrefix(text, "[") {
		return flowList(text)
	}
	v, err := scalar(text)
	return []string{v}, err
}

// withoutComment cuts a comment off: a # outside of quotes, at the start or after a space.
func withoutComment(line string) string {
	var quote rune
	for i, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return line[:i]
		}
	}
	return line
}

// scalar reads a plain or quoted value.
func scalar(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", nil
	}
	if q := s[0]; q == '"' || q == '\'' {
		if len(s) < 2 || s[len(s)-1] != q {
			return "", errors.New("a quote is not closed")
		}
		inner := s[1 : len(s)-1]
		if q == '\'' {
			return strings.ReplaceAll(inner, "''", "'"), nil
		}
		return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(inner), nil
	}
	if strings.ContainsAny(s[:1], "{}[]&*!|>%@`,") {
		return "", errors.New("this form of YAML is not supported; quote the value")
	}
	return s, nil
}

// flowList reads "[a, b]".
func flowList(s string) (values []string, err error) {
	inner, ok := strings.CutSuffix(s[1:], "]")
	if !ok {
		return nil, errors.New("a list is not closed")
	}
	if strings.TrimSpace(inner) == "" {
		return []string{}, nil
	}
	var quote rune
	items := strings.FieldsFunc(inner, func(r rune) bool {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		default:
			return r == ','
		}
		return false
	})
	for _, item := range items {
		v, err := scalar(item)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}
