package engine

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Result is what a load did, its warm-up left out.
type Result struct {
	Began       time.Time
	Elapsed     time.Duration // from when the clients were connected (or the warm-up was over) to the end of the last transaction
	Connecting  time.Duration // pgbench's initial connection time; with Options.Reconnect the sum over all connections
	Connections int64
	Totals
	Scripts []ScriptResult
	Aborted []error // why clients gave up before their time
}

// ScriptResult is one script's share.
type ScriptResult struct {
	Name   string
	Weight int
	Totals
	Commands []CommandResult
}

// CommandResult is what one command of a script took, and how often it failed. Meta-commands count as pgbench has them.
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
	Statements   int64
	Rows         int64 // that the server said were written: INSERT, UPDATE, DELETE, MERGE, COPY
	Sent         int64 // bytes
	Received     int64

	Skipped int64 // by the latency limit at a rate, never begun
	Late    int64 // done, over the latency limit
	Retried int64 // transactions that needed more than one try
	Retries int64 // tries beyond the first

	Serialization int64 // failed for good, by kind
	Deadlocks     int64
	Other         int64

	Latency Durations
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

// Tick is what happened since the last one.
type Tick struct {
	From, To time.Time
	Running  int // clients still connected
	Totals
}

// Outcome is how a transaction ended.
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
	Client, Number int // Number counts the client's transactions from 0
	Script         int // index
	Outcome        Outcome
	Latency, Lag   time.Duration
	Ended          time.Time
	Retries        int
}
