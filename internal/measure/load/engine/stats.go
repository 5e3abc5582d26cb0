package engine

import (
	"time"
)

// outcome is an [Outcome] in one byte, or that a transaction does not count at all.
type outcome uint8

const (
	done outcome = iota
	skipped
	failedOtherwise
	failedSerializing
	failedByDeadlock
	unfinished // given up, with what it cost: counted with the bytes and statements alone
)

func (o outcome) public() Outcome {
	return [...]Outcome{Done, Skipped, FailedOtherwise, FailedSerializing, FailedByDeadlock, FailedOtherwise}[o]
}

type sample struct {
	latency, lag                     time.Duration
	statements, rows, sent, received int64
	returned                         int64
	script, retries                  int32
	outcome                          outcome
	paced, late, warmup              bool
}

// lap is one run of one command.
type lap struct {
	script, command int32
	warmup          bool
	took            time.Duration
}
