package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// The faults of a file that is there.
const (
	exists    = "it exists; choose another name, or write --force to replace it"
	noRegular = "it exists and is no regular file, which --force does not replace either; choose another name"
)

// stays returns why a file that is there must stay.
func stays(there fs.FileInfo, force bool) error {
	switch {
	case !there.Mode().IsRegular():
		return errors.New(noRegular)
	case !force:
		return errors.New(exists)
	}
	return nil
}

// writeNew writes a file as a whole or not at all. Unless forced, it replaces nothing, even if the file came meanwhile.
func writeNew(file, text string, force bool) error {
	if there, err := os.Lstat(file); err == nil {
		if err := stays(there, force); err != nil {
			return err
		}
		return replace(file, text, there.Mode().Perm())
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return errors.New(exists)
	} else if err != nil {
		return err
	}
	_, err = out.WriteString(text)
	if err = errors.Join(err, out.Close()); err != nil {
		_ = os.Remove(file) // half of it is of no use
	}
	return err
}

// replace writes a file beside the one that it then replaces.
func replace(file, text string, mode fs.FileMode) error {
	temp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails after the rename
	_, err = temp.WriteString(text)
	if err = errors.Join(err, temp.Chmod(mode), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), file)
}
