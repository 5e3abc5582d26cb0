package engine

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/load/session"
)

// Result sums up a load without its warm-up.
type Result struct {
	Began time.Time
	// Elapsed runs from the begin, or the end of the warm-up, to the end of the last transaction.
	Elapsed     time.Duration
	Connecting  time.Duration // pgbench's initial connection time; with Options.Reconnect the sum over all connections
	Connections int64
	Poller      string        // io_uring, or epoll and the reason
	Processor   time.Duration // used by worker processes; 0 without any
	Totals
	Record
}

// ScriptResult is one script's share.
type ScriptResult struct {
	Name   string
	Weight int
	Totals
	Commands []CommandResult
}

// CommandResult holds the latency and failures of one command of a script. Meta-commands count as in pgbench.
type CommandResult struct {
	Line              int
	Text              string // first line, as pgbench shows it
	Latency           Durations
	Failures, Retries int64
}

// Totals counts a load's work. Each field says how it differs from similar ones.
type Totals struct {
	Transactions int64 // done, and confirmed by the server
	Statements   int64 // executed by the server, including those of tries that failed later
	Rows         int64 // written according to the server, in transactions done: INSERT, UPDATE, DELETE, MERGE, COPY
	Returned     int64 // rows that the server sent, in transactions done
	Sent         int64 // bytes without TLS, of all tries
	Received     int64

	Skipped int64 // by the latency limit at a rate, never begun
	Late    int64 // done, over the latency limit
	Retried int64 // transactions that needed more than one try
	Retries int64 // tries beyond the first

	Serialization int64 // failed for good, by kind
	Deadlocks     int64
	Other         int64 // only with Options.ContinueOnError; otherwise the client aborts, as in pgbench

	Latency Durations // of transactions done
	Lag     Durations // empty without a rate
}

// Failed counts transactions that failed for good.
func (t Totals) Failed() int64 { return t.Serialization + t.Deadlocks + t.Other }

// Durations holds durations as exact sums, for pgbench's mean and deviation, and as a histogram in
// microseconds, for percentiles.
type Durations struct {
	Count       int64
	Sum, Sum2   float64 // microseconds, and their squares
	Least, Most float64
	Histogram   *hdrhistogram.Histogram // nil if nothing was recorded
}

// Tick sums up the time since the last tick. The next tick overwrites its histograms.
type Tick struct {
	From, To time.Time
	Warmup   bool // not in the Result; all other ticks add up to it
	Last     bool // the rest at the end of the load: shorter than the others
	Running  int  // clients still running
	Totals
	Record    *Record       // the same by script, and the errors
	Processor time.Duration // used by worker processes, as in Result
}

// Outcome is how a transaction ended.
type Outcome string

// The outcomes. Those without a latency are spelled as in pgbench's log.
const (
	Done              Outcome = ""
	Skipped           Outcome = "skipped"
	FailedOtherwise   Outcome = "failed"
	FailedSerializing Outcome = "serialization"
	FailedByDeadlock  Outcome = "deadlock"
)

// Transaction is one line of pgbench's log.
type Transaction struct {
	Client, Number int // Number counts all transactions of the client from 0, with skipped and failed ones
	Script         int // index
	Outcome        Outcome
	Latency, Lag   time.Duration
	Ended          time.Time
	Retries        int
}

// Fault counts the errors of one kind, including those that a retry mended.
type Fault struct {
	Kind  session.Kind
	Code  string // SQLSTATE, if the server sent one
	Count int64
	First error // an example
}

// Abort is the reason why a client gave up.
type Abort struct {
	Client int
	Kind   session.Kind
	Err    error
}

func (a *Abort) Error() string { return fmt.Sprintf("client %d aborted: %v", a.Client, a.Err) }
func (a *Abort) Unwrap() error { return a.Err }

// Trouble is an error that a client met.
type Trouble struct {
	Client, Script, Command int
	Try                     int           // the try of the transaction, from 1
	Latency                 time.Duration // since the transaction was due
	Err                     error
	Statement               string // as sent, if Err names a position in it
	Then                    Aftermath
}

// Aftermath is a client's reaction to an error.
type Aftermath uint8

// What a client does about an error.
const (
	TriesAgain Aftermath = iota
	FailsTransaction
	Aborts
)

// ConnectError says that the load did not begin because a client could not connect.
type ConnectError struct {
	Connected int64
	Clients   int
	Err       error
}

func (e *ConnectError) Error() string {
	return fmt.Sprintf("connected %d of %d clients: %s", e.Connected, e.Clients, e.Why())
}

// Why returns the reason, without pgx's list of hosts and attempts if the server or the network itself refused.
func (e *ConnectError) Why() string {
	if refused, ok := errors.AsType[*pgconn.PgError](e.Err); ok {
		return refused.Severity + ": " + refused.Message
	}
	if full := input.OutOfFiles(e.Err); full != nil {
		return full.Error()
	}
	if network, ok := errors.AsType[*net.OpError](e.Err); ok {
		return network.Err.Error()
	}
	return e.Err.Error()
}

func (e *ConnectError) Unwrap() error { return e.Err }
