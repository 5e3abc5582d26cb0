package command

import "errors"

// Exit codes, the same for every command.
const (
	ExitDone       = 0
	ExitUsage      = 1 // usage or connection: nothing was measured
	ExitFailed     = 2 // the run failed or was interrupted; what there is was kept
	ExitCannotTell = 3 // done, and a metric that was required got no verdict; or none could get one
	ExitGate       = 4 // done, and the figures are such that --fail-if says so

	ExitPipe = 128 + 13 // as a shell shows the death of a program by SIGPIPE: nobody reads what it writes
)

// exitError carries the code an error ends the process with. Errors without one end it with exitUsage.
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

// ErrSilent ends a command whose failure has been told already.
var ErrSilent = errors.New("told already")

// ErrNoConclusion ends a command that has said that nothing can be concluded.
var ErrNoConclusion = WithCode(ExitCannotTell, ErrSilent)
