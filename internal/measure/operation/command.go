package operation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/stopping"
)

// FailedError is the failure of the command itself. Its exit status is reported instead of ours.
type FailedError struct {
	Status int
	Err    error
}

func (e *FailedError) Error() string { return e.Err.Error() }
func (e *FailedError) Unwrap() error { return e.Err }

// endedWithin is how long a command may take to end when asked to, before it is killed.
const endedWithin = 5 * time.Second

// Command runs a program as the operation. The program finds the server by PGHOST and other variables,
// and by DATABASE_URL, at host; complete sets its streams and adds to its environment. Processes that
// it leaves behind are waited for.
func Command(on *postgres.Endpoint, host string, args []string, complete func(*exec.Cmd)) Operation {
	var in input
	return func(ctx context.Context) (Outcome, error) {
		c := exec.CommandContext(ctx, args[0], args[1:]...)
		complete(c)
		if err := in.next(c.Stdin); err != nil {
			return Outcome{}, err
		}
		c.Env = on.Environment(c.Environ(), host)
		c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
		c.WaitDelay = endedWithin
		family, err := newFamily(c)
		if err != nil {
			return Outcome{}, err
		}
		defer family.close()
		done := stopping.Process(ctx, "the command "+args[0]+" to end", family.kill)
		defer done()
		err = family.run(c)
		if ctx.Err() != nil {
			family.end(endedWithin)
			return Outcome{}, context.Cause(ctx)
		}
		if ended, ok := errors.AsType[*exec.ExitError](err); ok {
			return Outcome{}, &FailedError{statusOf(ended), fmt.Errorf("the command %s failed: %w", args[0], err)}
		}
		if err != nil {
			return Outcome{}, fmt.Errorf("run the command: %w", err)
		}
		return Outcome{GoesOn: !family.ended(ctx, reportedWithin)}, nil
	}
}

func statusOf(ended *exec.ExitError) int {
	if state, ok := ended.Sys().(syscall.WaitStatus); ok && state.Signaled() {
		return 128 + int(state.Signal())
	}
	return ended.ExitCode()
}

// silence is how long a server may send nothing to a script before the client disconnects.
const silence = 10 * time.Minute

// Script runs a pgbench script as the operation, with one client.
type Script struct {
	set    *script.Set
	parsed *script.Script
}

// ParseScript parses a script.
func ParseScript(name, text string) (Script, error) {
	s := Script{set: script.NewSet()}
	var err error
	s.parsed, err = s.set.Parse(name, text)
	return s, err
}

// Text returns the script as given.
func (s Script) Text() string { return s.parsed.Source }

// On returns an operation that runs the script times times.
func (s Script) On(endpoint *postgres.Endpoint, times int) Operation {
	return func(ctx context.Context) (Outcome, error) {
		var sessions []int32
		connect := func(context.Context) (*pgx.ConnConfig, error) {
			config := endpoint.UserConfig()
			config.AfterConnect = func(_ context.Context, c *pgconn.PgConn) error {
				sessions = append(sessions, int32(c.PID())) //nolint:gosec // a process id
				return nil
			}
			return config, nil
		}
		result, err := engine.Run(ctx, engine.Options{
			Scripts: []engine.Weighted{{Script: s.parsed, Weight: 1}}, Set: s.set, Clients: 1, Transactions: times,
			Connect: connect, ExitOnAbort: true, Silence: silence, Seed: uint64(rand.Uint32()),
			//nolint:gosec // as in pgbench: otherwise random keys would have been inserted already
		})
		if ctx.Err() != nil {
			return Outcome{}, context.Cause(ctx)
		}
		if abort, ok := errors.AsType[*engine.Abort](err); ok { // of the only client
			err = abort.Err
		}
		if err != nil {
			return Outcome{}, err
		}
		return Outcome{Transactions: result.Transactions, Sessions: sessions}, nil
	}
}

// input is the standard input of a command that runs several times. Each run reads a file from the same place.
type input struct {
	used  bool
	begin int64 // in a file
	ended bool  // a pipe had nothing to read before the first run
}

// errPipe is the error for a pipe that ended in a run: the next would read nothing, and cost less.
var errPipe = errors.New("standard input is a pipe that ended in the first run, and the command runs again: " +
	"redirect a file (< FILE), which each run reads from the beginning, or /dev/null")

// next prepares the input for the next run.
func (in *input) next(from io.Reader) error {
	file, ok := from.(*os.File)
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return nil // it is closed: there is nothing to read
	}
	first := !in.used
	in.used = true
	switch mode := info.Mode(); {
	case mode.IsRegular() && first:
		in.begin, err = file.Seek(0, io.SeekCurrent)
	case mode.IsRegular():
		_, err = file.Seek(in.begin, io.SeekStart)
	case mode&os.ModeNamedPipe != 0 && first:
		in.ended = ended(file)
	case mode&os.ModeNamedPipe != 0 && !in.ended && ended(file):
		return errPipe
	}
	if err != nil {
		return fmt.Errorf("rewind standard input: %w", err)
	}
	return nil
}
