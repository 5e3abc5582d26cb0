package cli

import "errors"

// Exit codes, the same for every command.
const (
	exitDone       = 0
	exitUsage      = 1 // usage or connection: nothing was measured
	exitFailed     = 2 // the run failed or was interrupted; what there is was kept
	exitCannotTell = 3 // done, and a metric that was required got no verdict; or none could get one
	exitGate       = 4 // done, and the figures are such that --fail-if says so

	exitPipe = 128 + 13 // as a shell shows the death of a program by SIGPIPE: nobody reads what it writes
)

const measureExitHelp = `0  done
1  wrong usage, or no server to measure: nothing was measured
2  it failed or was interrupted; what was measured is kept
3  done, and a metric that was required got no verdict`

// exitError carries the code an error ends the process with. Errors without one end it with exitUsage.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func withCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code, err}
}

func codeOf(err error) int {
	if err == nil {
		return exitDone
	}
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	return exitUsage
}
