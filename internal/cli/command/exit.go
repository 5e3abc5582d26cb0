package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

// Exit codes, the same for every command.
const (
	ExitDone       = 0
	ExitUsage      = 1 // usage or connection: nothing was measured
	ExitFailed     = 2 // the run failed or was interrupted; its data so far was kept
	ExitCannotTell = 3 // done, but a required metric got no verdict, or none could
	ExitGate       = 4 // done, and a --fail-if holds

	ExitPipe = 128 + 13 // as a shell reports a death by SIGPIPE: the output has no reader
)

// exitError is an error with its exit code. Others have ExitUsage.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func WithCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code, err}
}

func CodeOf(err error) int {
	if err == nil {
		return ExitDone
	}
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	return ExitUsage
}

// ErrSilent ends a command that has already reported its failure.
var ErrSilent = errors.New("told already")

// ErrNoConclusion ends a command that has reported that it cannot conclude anything.
var ErrNoConclusion = WithCode(ExitCannotTell, ErrSilent)

// EndingAtOnce makes commands that only read files end at the first interrupt: they have nothing to clean up, and may
// be waiting for a pipe without a writer.
func EndingAtOnce(commands ...*cobra.Command) []*cobra.Command {
	for _, c := range commands {
		run := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error {
			done := make(chan error, 1)
			go func() { done <- run(cmd, args) }()
			select {
			case err := <-done:
				return err
			case <-cmd.Context().Done():
				return context.Cause(cmd.Context())
			}
		}
	}
	return commands
}
