package session

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// noLogFile are the arguments with which the ROS libraries keep no log file. What rstate itself logs
// goes to stderr and to /rosout.
var noLogFile = []string{"--ros-args", "--disable-external-lib-logs"}

// rosLogFault returns why the ROS libraries cannot keep a log file; empty if they can. They end the
// process if they are not able to create the file, so this looks first.
func rosLogFault() string {
	folder, err := rosLogFolder()
	if err != nil {
		return err.Error()
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Sprintf("cannot make the folder %q: %v; %s", folder, Reason(err), rosLogHint)
	}
	probe, err := os.CreateTemp(folder, ".rstate-probe-")
	if err != nil {
		return fmt.Sprintf("cannot write to the folder %q: %v; %s", folder, Reason(err), rosLogHint)
	}
	probe.Close()
	os.Remove(probe.Name())
	return ""
}

// Reason is an error without the file that it is about.
func Reason(err error) string {
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	return err.Error()
}

const rosLogHint = "name another folder with ROS_LOG_DIR"

// rosLogFolder returns where the ROS libraries keep log files.
func rosLogFolder() (string, error) {
	folder := os.Getenv("ROS_LOG_DIR")
	if folder == "" {
		folder = filepath.Join(cmp.Or(os.Getenv("ROS_HOME"), "~/.ros"), "log")
	}
	if rest, ok := strings.CutPrefix(folder, "~"); ok {
		home := os.Getenv("HOME")
		if home == "" {
			return "", fmt.Errorf("HOME is not set; %s", rosLogHint)
		}
		folder = home + rest
	}
	return folder, nil
}
