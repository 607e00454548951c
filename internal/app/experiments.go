package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	return fmt.Sprintf("cannot use the experiments in %q: %v; --experiments names a folder of network files", e.Dir, e.Cause)
}

func (e *BadExperiments) Unwrap() error { return e.Cause }

// suffix ends the name of an experiment's file.
const suffix = ".yaml"

// experiments returns the names of the experiments in a folder, in order.
func experiments(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, &BadExperiments{dir, errors.New(words(withoutPath(err)))}
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
// never used again, not by a later run of the factory either.
type ids struct {
	file  string
	first uint64 // the least
}

// next returns the least id that was not used yet.
func (n *ids) next() (uint64, error) {
	text, err := os.ReadFile(n.file)
	if errors.Is(err, fs.ErrNotExist) {
		return n.first, nil
	}
	if err != nil {
		return 0, fmt.Errorf("cannot read the next id of a simulation: %w", err)
	}
	next, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 63)
	if err != nil {
		return 0, fmt.Errorf("cannot read the next id of a simulation: %q is no number; write the least id that was never used into %s", strings.TrimSpace(string(text)), n.file)
	}
	return max(next, n.first), nil
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
	return nil
}
