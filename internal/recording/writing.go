package recording

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// What the recorder does on its goroutine.

func (r *Recorder) run() {
	defer close(r.done)
	for {
		select {
		case in := <-r.work:
			r.take(in)
			continue
		case <-r.stop:
		}
		for {
			select {
			case in := <-r.work:
				r.take(in)
				continue
			default:
			}
			r.broke(r.finish())
			r.broke(r.conf.Source.Close())
			return
		}
	}
}

func (r *Recorder) take(in any) {
	switch in := in.(type) {
	case told:
		bytes, err := 0, error(nil)
		if r.broken == nil {
			bytes, err = r.record(in.Step)
		}
		if err != nil {
			r.broke(fmt.Errorf("step %d and later ones are not recorded: %w", in.Number, err))
		}
		r.gone(in.n, bytes)
	case request:
		in.answer <- in.do()
	}
}

// gone makes room.
func (r *Recorder) gone(messages uint64, bytes int) {
	r.mu.Lock()
	r.steps--
	r.messages -= messages
	r.bytes = bytes
	then := r.room
	if then == nil || !r.roomy() {
		then = nil
	} else {
		r.room = nil
	}
	r.mu.Unlock()
	if then != nil {
		then()
	}
}

// broke ends the recording.
func (r *Recorder) broke(err error) {
	if err == nil || r.broken != nil {
		return
	}
	r.broken = fmt.Errorf("the recording %s is incomplete: %w; after a reset a new one begins", r.name(), err)
	_ = r.finish() // the file has an index as far as it goes; Fault gets the reason
	r.conf.Fault(r.broken.Error())
}

func (r *Recorder) name() string {
	if files := r.Files(); len(files) > 0 {
		return files[len(files)-1]
	}
	return r.conf.File
}

// finish closes the file, if there is one.
func (r *Recorder) finish() error {
	f := r.file
	if r.file = nil; f == nil {
		return nil
	}
	return f.close()
}

func (r *Recorder) begin(first, zero bool) error {
	switch {
	case r.broken != nil && !first:
		return r.broken
	case r.file == nil || first && r.file.steps > 0:
		if err := r.open(); err != nil {
			return fmt.Errorf("cannot record to %s: %w", partName(r.conf.File, len(r.Files())+1), reason(err))
		}
	}
	if err := r.channels(); err != nil {
		r.broke(err)
		return r.broken
	}
	if !zero {
		return nil
	}
	r.zero()
	r.mu.Lock()
	clear(r.told)
	r.mu.Unlock()
	if err := r.conf.Source.Zero(r.kept()); err != nil {
		return fmt.Errorf("cannot record: %w", err)
	}
	for _, t := range r.kept() {
		for ok := true; ok; {
			var err error
			if _, _, ok, err = r.conf.Source.Take(t.Name); err != nil {
				return fmt.Errorf("cannot record %s: %w", t.Name, err)
			}
		}
	}
	return nil
}

func (r *Recorder) zero() { r.taken, r.waiting = map[channel]uint64{}, map[channel][][]byte{} }

// open ends the file and makes the next one.
func (r *Recorder) open() error {
	if err := r.finish(); err != nil {
		return err
	}
	r.broken = nil
	files := r.Files()
	if len(files) == 0 {
		if err := keepEarlier(r.conf.File); err != nil {
			return err
		}
	}
	name := partName(r.conf.File, len(files)+1)
	f, err := create(name)
	if err != nil {
		return err
	}
	if r.file, err = newFile(f); err != nil {
		return errors.Join(err, f.Close())
	}
	r.mu.Lock()
	r.files = append(slices.Clip(r.files), name)
	r.mu.Unlock()
	r.conf.Began(name)
	return nil
}

// channels makes those that the file lacks.
func (r *Recorder) channels() error {
	if err := r.file.add(channel{topic: StepsTopic}, StepsType, r.definitions[StepsType]); err != nil {
		return err
	}
	for _, t := range r.kept() {
		for _, p := range t.Publishers {
			if err := r.file.add(channel{t.Name, p}, t.Type, r.definitions[t.Type]); err != nil {
				return err
			}
		}
	}
	return nil
}

// record writes a step when all of its messages have arrived, and returns how many bytes it had.
func (r *Recorder) record(s Step) (bytes int, err error) {
	first, err := r.conf.Encode(s)
	if err != nil {
		return 0, err
	}
	messages := []message{{r.file.channels[channel{topic: StepsTopic}], first}}
	for _, c := range s.Said {
		at := channel{c.Topic, c.Node}
		for r.taken[at] < c.N {
			data, err := r.next(at)
			if err != nil {
				return 0, err
			}
			bytes += len(data)
			messages = append(messages, message{r.file.channels[at], data})
		}
	}
	return bytes, r.file.step(s.Now, messages)
}

// next returns the next message of a publisher, and waits for it.
func (r *Recorder) next(at channel) ([]byte, error) {
	began, pause, stop := time.Now(), lookFirst, r.stop
	limit := arriveIn
	for {
		if list := r.waiting[at]; len(list) > 0 {
			r.waiting[at] = list[1:]
			r.taken[at]++
			return list[0], nil
		}
		data, publisher, ok, err := r.conf.Source.Take(at.topic)
		switch {
		case err != nil:
			return nil, fmt.Errorf("cannot read %s: %w", at.topic, err)
		case ok && publisher != "":
			from := channel{at.topic, publisher}
			r.waiting[from] = append(r.waiting[from], data)
		case ok:
		case time.Since(began) >= limit:
			return nil, fmt.Errorf("message %d of %s from %s has not arrived", r.taken[at]+1, at.topic, at.publisher)
		default:
			select {
			case <-time.After(pause):
				pause = min(2*pause, lookLast)
			case <-stop:
				stop, limit = nil, min(limit, time.Since(began)+arriveLast)
			}
		}
	}
}
