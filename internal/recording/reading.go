package recording

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/foxglove/mcap/go/mcap"
)

// Series is a number of a recording over simulated time.
type Series struct {
	Name   string          `json:"name"` // topic and field, as in /pendulum/angle.data
	Type   string          `json:"type"`
	Times  []time.Duration `json:"times_ns"`
	Values []float64       `json:"values"`
}

// Read reads fields of a recording: each is a topic, and after a dot a field, which may be left out if the type has one
// number only. It reads what is whole of a file whose end is missing.
func Read(file string, fields []string) (out []Series, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer func() { // the library panics where a length in the file is beyond its chunk
		if damage := recover(); damage != nil {
			out, err = nil, fmt.Errorf("cannot read %s: it is damaged: %v", file, damage)
		}
	}()
	reader, err := mcap.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", file, err)
	}
	all, err := reader.Messages(mcap.UsingIndex(false), mcap.InOrder(mcap.FileOrder))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", file, err)
	}
	list := make([]series, len(fields))
	for i, name := range fields {
		list[i].topic, list[i].field, _ = strings.Cut(name, ".")
	}
	var topics []string
	for {
		schema, channel, m, err := all.NextInto(nil)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return whole(list, file, topics)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", file, err)
		}
		if !slices.Contains(topics, channel.Topic) {
			topics = append(topics, channel.Topic)
		}
		for i := range list {
			if s := &list[i]; s.topic == channel.Topic {
				if err := s.add(schema, m); err != nil {
					return nil, err
				}
			}
		}
	}
}

// series is a Series that is being read.
type series struct {
	Series
	topic, field string
	layout       layout // nil: no message was there yet
}

func whole(list []series, file string, topics []string) (out []Series, err error) {
	for _, s := range list {
		if s.layout == nil {
			slices.Sort(topics)
			return nil, fmt.Errorf("%s has no message on %s; there are %s", file, s.topic, strings.Join(topics, ", "))
		}
		out = append(out, s.Series)
	}
	return out, nil
}

func (s *series) add(schema *mcap.Schema, m *mcap.Message) error {
	if s.layout == nil {
		if err := s.open(schema); err != nil {
			return err
		}
	}
	value, err := s.layout.number(m.Data, s.field)
	if err != nil {
		return fmt.Errorf("cannot read %s of a message on %s: %w", s.field, s.topic, err)
	}
	s.Times, s.Values = append(s.Times, time.Duration(m.LogTime)), append(s.Values, value)
	return nil
}

// open chooses the field.
func (s *series) open(schema *mcap.Schema) (err error) {
	if s.layout, err = readLayout(schema.Name, string(schema.Data)); err != nil {
		return err
	}
	numbers := s.layout.numbers("", "")
	if s.field == "" && len(numbers) == 1 {
		s.field = numbers[0]
	}
	known := slices.Contains(numbers, s.field) || strings.Contains(s.field, "[")
	if !known {
		return fmt.Errorf("%s is %s, and a number of it must be named, as in %s.%s; there are %s",
			s.topic, schema.Name, s.topic, append(numbers, "values[0]")[0],
			strings.Join(append(numbers, "elements of sequences, like values[0]"), ", "))
	}
	s.Name, s.Type = s.topic+"."+s.field, schema.Name
	return nil
}
