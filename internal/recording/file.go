package recording

import (
	"bufio"
	"errors"
	"os"
	"time"

	"github.com/foxglove/mcap/go/mcap"
)

const (
	// A chunk is closed, and written to the disk, when it has so many bytes or covers so much simulated time. What is
	// in no chunk yet is lost if the process is killed. Neither depends on real time.
	chunkBytes = 1 << 20
	chunkTime  = time.Second
)

// Message is one message as it is written.
type message struct {
	channel uint16
	data    []byte
}

// file is one MCAP file.
type file struct {
	f        *os.File
	buffer   *bufio.Writer
	w        *mcap.Writer
	options  mcap.WriterOptions // of w, which reads them at each message
	schemas  map[string]uint16  // by type
	channels map[channel]uint16
	numbers  []uint32 // of the newest message of each channel
	chunk    time.Duration
	steps    uint64
}

// channel is one publisher of a topic. Each has a channel of its own in the file, because the numbers of its messages
// are its own.
type channel struct{ topic, publisher string }

func newFile(f *os.File) (*file, error) {
	r := &file{f: f, buffer: bufio.NewWriterSize(f, 1<<16), schemas: map[string]uint16{},
		channels: map[channel]uint16{}}
	r.options = mcap.WriterOptions{IncludeCRC: true, Chunked: true, ChunkSize: chunkBytes,
		Compression: mcap.CompressionNone}
	w, err := mcap.NewWriter(r.buffer, &r.options)
	if err != nil {
		return nil, err
	}
	r.w = w
	if err := w.WriteHeader(&mcap.Header{Profile: "ros2", Library: "rstate"}); err != nil {
		return nil, err
	}
	return r, r.buffer.Flush()
}

// add makes a channel unless it is there.
func (r *file) add(c channel, typ, definition string) error {
	if _, ok := r.channels[c]; ok {
		return nil
	}
	schema, ok := r.schemas[typ]
	if !ok {
		schema = uint16(len(r.schemas) + 1)
		if err := r.w.WriteSchema(&mcap.Schema{ID: schema, Name: typ, Encoding: "ros2msg",
			Data: []byte(definition)}); err != nil {
			return err
		}
		r.schemas[typ] = schema
	}
	id := uint16(len(r.channels) + 1)
	out := &mcap.Channel{ID: id, SchemaID: schema, Topic: c.topic, MessageEncoding: "cdr",
		Metadata: map[string]string{}}
	if c.publisher != "" {
		out.Metadata["publisher"] = c.publisher
	}
	if err := r.w.WriteChannel(out); err != nil {
		return err
	}
	r.channels[c] = id
	r.numbers = append(r.numbers, 0)
	return nil
}

// step writes the messages of a step, which begins at a simulated time.
func (r *file) step(now time.Duration, messages []message) error {
	for i, m := range messages {
		r.numbers[m.channel-1]++
		if i == len(messages)-1 && now-r.chunk >= chunkTime {
			r.chunk = now
			r.options.ChunkSize = 1 // this message closes the chunk
		}
		err := r.w.WriteMessage(&mcap.Message{
			ChannelID: m.channel, Sequence: r.numbers[m.channel-1], LogTime: uint64(now), PublishTime: uint64(now),
			Data: m.data,
		})
		r.options.ChunkSize = chunkBytes
		if err != nil {
			return err
		}
	}
	r.steps++
	return r.buffer.Flush()
}

// close ends the file with its index.
func (r *file) close() error {
	return errors.Join(r.w.Close(), r.buffer.Flush(), r.f.Close())
}
