package engine

import (
	"errors"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/load/session"
)

// Result sums up a load without its warm-up.
type Result struct {
	Began time.Time
	// from when the clients were connected (or the warm-up was over) to the end of the last transaction
	Elapsed     time.Duration
	Connecting  time.Duration // pgbench's initial connection time; with Options.Reconnect the sum over all connections
	Connections int64
	Poller      string        // who moves the clients' bytes: io_uring, or epoll and why
	Processor   time.Duration // that the clients' processes used; 0 where they have none of their own
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

// CommandResult holds the latency and failures of one command of a script. Meta-commands count as they do in
// pgbench.
type CommandResult struct {
	Line     int
	Text     string // first line, as pgbench shows it
	Latency  Durations
	Failures int64
	Retries  int64
}

// Totals count apart what people mix up.
type Totals struct {
	Transactions int64 // done, and confirmed by the server
	Statements   int64 // that the server carried out, also those of tries that failed in the end
	Rows         int64 // that the server said were written, in transactions done: INSERT, UPDATE, DELETE, MERGE, COPY
	Returned     int64 // rows that the server sent, in transactions done
	Sent         int64 // bytes, TLS not counted, of all tries
	Received     int64

	Skipped int64 // by the latency limit at a rate, never begun
	Late    int64 // done, over the latency limit
	Retried int64 // transactions that needed more than one try
	Retries int64 // tries beyond the first

	Serialization int64 // failed for good, by kind
	Deadlocks     int64
	Other         int64 // with Options.ContinueOnError; without, such an error aborts the client, as in pgbench

	Latency Durations // of transactions done
	Lag     Durations // empty without a rate
}

// Failed counts transactions that failed for good.
func (t Totals) Failed() int64 { return t.Serialization + t.Deadlocks + t.Other }

// Durations are many lengths of time: exact sums for the mean and the deviation, as pgbench has them, and a histogram
// in microseconds for the percentiles, which it lacks.
type Durations struct {
	Count       int64
	Sum, Sum2   float64 // microseconds, and their squares
	Least, Most float64
	Histogram   *hdrhistogram.Histogram // nil where nothing was recorded
}

// Tick sums up the time since the last tick. The next one overwrites its histograms.
type Tick struct {
	From, To time.Time
	Warmup   bool // not in the Result; all other ticks add up to it
	Last     bool // what was left when the clients were done: shorter than the others
	Running  int  // clients that go on
	Totals
	Record    *Record       // the same by script, and what went wrong
	Processor time.Duration // that the clients' processes used, as in Result
}

// Outcome is the end of a transaction.
type Outcome string

// The outcomes, as pgbench's log spells those that are not a time.
const (
	Done              Outcome = ""
	Skipped           Outcome = "skipped"
	FailedOtherwise   Outcome = "failed"
	FailedSerializing Outcome = "serialization"
	FailedByDeadlock  Outcome = "deadlock"
)

// Transaction is one line of pgbench's log.
type Transaction struct {
	Client, Number int // Number counts the client's transactions from 0, the skipped and failed ones too
	Script         int // index
	Outcome        Outcome
	Latency, Lag   time.Duration
	Ended          time.Time
	Retries        int
}

// Fault is a kind of error that clients met, and how often, also where trying again mended it.
type Fault struct {
	Kind  session.Kind
	Code  string // SQLSTATE, where the server gave one
	Count int64
	First error // one of them
}

// Abort is why a client gave up.
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
	Try                     int           // which try of the transaction met it, from 1
	Latency                 time.Duration // since the transaction was due
	Err                     error
	Statement               string // as it was sent, where Err names a place in it
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

// ConnectError is why a load did not begin: a client could not connect.
type ConnectError struct {
	Connected int64
	Clients   int
	Err       error
}

// Error leaves out pgx's account of hosts and attempts where the server itself refused.
func (e *ConnectError) Error() string {
	why := e.Err.Error()
	if refused, ok := errors.AsType[*pgconn.PgError](e.Err); ok {
		why = refused.Severity + ": " + refused.Message
	}
	return fmt.Sprintf("connected %d of %d clients, then: %s", e.Connected, e.Clients, why)
}
func (e *ConnectError) Unwrap() error { return e.Err }
