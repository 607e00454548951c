//go:build ros

package main

import (
	"encoding/json"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"
)

// printAs prints a ROS message with its ROS field names, as YAML or JSON.
func printAs(out io.Writer, format string, message any) error {
	text, err := yaml.Marshal(message)
	if err != nil {
		return fmt.Errorf("cannot print the answer: %w", err)
	}
	if format == "json" {
		var plain any
		if err := yaml.Unmarshal(text, &plain); err != nil {
			return fmt.Errorf("cannot print the answer: %w", err)
		}
		if text, err = json.MarshalIndent(plain, "", "  "); err != nil {
			return fmt.Errorf("cannot print the answer: %w", err)
		}
		text = append(text, '\n')
	}
	_, err = out.Write(text)
	return err
}
