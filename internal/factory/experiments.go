package factory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"rstate/internal/network"
)

// BadExperiments is the error of a folder of experiments that cannot be used.
type BadExperiments struct {
	Dir   string
	Cause error
}

func (e *BadExperiments) Error() string {
	return fmt.Sprintf("cannot use the experiments in %q: %v; --experiments names a folder of network files", e.Dir,
		e.Cause)
}

func (e *BadExperiments) Unwrap() error { return e.Cause }

const (
	// mostID is the greatest id that a client can ask for: it leaves enough for all that follow.
	mostID = 1e15 - 1
	// mostJump is how far beyond the next id that id can be. All ids below it are lost, so one request must not use
	// them up. Times in seconds and dates are in reach.
	mostJump = 1 << 32
)

// suffix ends the name of an experiment's file.
const suffix = ".yaml"

// unquoted is the error of a creation as its client may read it. Faults of a file quote what stands in it, and an
// experiment may be a link to a file that is none of the client's business. Its lines say enough to find the faults.
func unquoted(experiment string, err error) error {
	var faults network.Faults
	if !errors.As(err, &faults) {
		return err
	}
	var places []string
	for _, f := range faults {
		place := filepath.Base(f.File)
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, f.Line)
		}
		if !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	const most = 5
	if more := len(places) - most; more > 0 {
		places = append(places[:most], fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("the experiment %q has faults at %s; the log of the factory and rstate check say which",
		experiment, strings.Join(places, ", "))
}

// experiments returns the names of the experiments in a folder, in order.
func experiments(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, &BadExperiments{dir, withoutPath(err)}
	}
	var names []string
	for _, e := range entries {
		if name, is := strings.CutSuffix(e.Name(), suffix); is && !e.IsDir() && isExperiment(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// withoutPath is an error without the file that it is about.
func withoutPath(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// isExperiment reports whether an experiment may have this name: it cannot lead to another folder.
func isExperiment(name string) bool {
	return name != "" && len(name) <= 200 && !strings.HasPrefix(name, ".") && !strings.ContainsAny(name, "/\\\x00")
}

// lookThrough warns of the faults of all experiments in a folder.
func lookThrough(dir string, log *zap.Logger) error {
	names, err := experiments(dir)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		log.Warn("there are no experiments yet", zap.String("folder", dir))
	}
	for _, name := range names {
		if _, err := network.LoadAs(filepath.Join(dir, name+suffix), "0"); err != nil {
			log.Warn("an experiment has faults", zap.String("experiment", name), zap.Error(err))
		}
	}
	return nil
}

// find returns the file of an experiment.
func find(dir, name string) (string, error) {
	name = strings.TrimSuffix(name, suffix)
	file := filepath.Join(dir, name+suffix)
	if isExperiment(name) {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file, nil
		}
	}
	names, err := experiments(dir)
	if err != nil {
		return "", err
	}
	const most = 20
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("and %d more", len(names)-most))
	}
	if len(names) == 0 {
		return "", fmt.Errorf("there is no experiment %q: there are none in %s", name, dir)
	}
	return "", fmt.Errorf("there is no experiment %q; there are %s", name, strings.Join(names, ", "))
}

// ids gives the simulations of a factory their ids. It keeps the next one in a file, because an id is
// never used again, not by a later run of the factory either. If the file is lost or damaged, the
// journals of the simulations tell which ids were used.
type ids struct {
	file  string
	first uint64   // the least
	used  []uint64 // that have a journal
}

// next returns the least id that was not used yet.
func (n *ids) next() (uint64, error) {
	next, err := n.noted()
	if errors.Is(err, errNoNumber) || errors.Is(err, fs.ErrNotExist) {
		return n.least(), nil
	}
	if err != nil {
		return 0, fmt.Errorf("cannot read the next id of a simulation: %w", err)
	}
	return max(next, n.least()), nil
}

// wanted is the id for which a client asks, where next is the least one that was not used.
func wanted(given string, next uint64) (uint64, error) {
	n, err := strconv.ParseUint(given, 10, 63)
	switch {
	case err != nil || strconv.FormatUint(n, 10) != given || n > mostID:
		return 0, fmt.Errorf("%.30q is no id: write a number of up to 15 digits, or leave it out", given)
	case n < next:
		return 0, fmt.Errorf("the id %s was used before, and no id is used twice; the next one is %d", given, next)
	case n-next > mostJump:
		return 0, fmt.Errorf("the id %s is too far from the next one, %d: all ids below it would be lost; write one up to %d, or leave it out",
			given, next, next+mostJump)
	}
	return n, nil
}

// errNoNumber is the error of a file that does not hold an id.
var errNoNumber = errors.New("it is no number")

// noted reads the file.
func (n *ids) noted() (uint64, error) {
	text, err := os.ReadFile(n.file)
	if err != nil {
		return 0, err
	}
	next, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 63)
	if err != nil {
		return 0, errNoNumber
	}
	return next, nil
}

// least is the least id that no journal rules out.
func (n *ids) least() uint64 {
	least := n.first
	for _, id := range n.used {
		least = max(least, id+1)
	}
	return least
}

// mended says why the journals and not the file tell the next id; empty: the file does.
func (n *ids) mended() string {
	next, err := n.noted()
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(n.used) > 0:
		return n.file + " is lost"
	case errors.Is(err, errNoNumber):
		return n.file + " is damaged"
	case err == nil && len(n.used) > 0 && next <= slices.Max(n.used):
		return n.file + " is older than a journal"
	}
	return ""
}

// journaledIDs returns the ids of the simulations that have a journal in a folder, whose names are
// before, the id and after.
func journaledIDs(folder, before, after string) []uint64 {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // there are no journals yet
	}
	var used []uint64
	for _, e := range entries {
		digits, isOurs := strings.CutPrefix(e.Name(), before)
		digits, ends := strings.CutSuffix(digits, after)
		if id, err := strconv.ParseUint(digits, 10, 63); isOurs && ends && err == nil && id <= mostID &&
			strconv.FormatUint(id, 10) == digits {
			used = append(used, id)
		}
	}
	return used
}

// use notes, safe from a crash, that an id is used.
func (n *ids) use(id uint64) error {
	failed := func(err error) error {
		return fmt.Errorf("cannot note that the id %d is used, so nothing was created: %w", id, err)
	}
	if err := os.MkdirAll(filepath.Dir(n.file), 0o755); err != nil {
		return failed(err)
	}
	f, err := os.CreateTemp(filepath.Dir(n.file), ".next_id")
	if err != nil {
		return failed(err)
	}
	defer os.Remove(f.Name())
	_, err = fmt.Fprintln(f, id+1)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return failed(err)
	}
	if err := os.Rename(f.Name(), n.file); err != nil {
		return failed(err)
	}
	dir, err := os.Open(filepath.Dir(n.file))
	if err != nil {
		return failed(err)
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) { // the new name is safe then, too
		return failed(err)
	}
	return nil
}
