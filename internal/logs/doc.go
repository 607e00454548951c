// Package logs writes the log of a process: for people or for programs, never blocking, and cleaned.
//
// It imports zap and internal/clean.
package logs
