package engine

import (
	"time"
)

// outcome is an [Outcome] in one byte, or unfinished.
type outcome uint8

const (
	done outcome = iota
	skipped
	failedOtherwise
	failedSerializing
	failedByDeadlock
	unfinished // given up: only its bytes and statements count
)

func (o outcome) public() Outcome {
	return [...]Outcome{Done, Skipped, FailedOtherwise, FailedSerializing, FailedByDeadlock, FailedOtherwise}[o]
}

type sample struct {
	latency, lag                               time.Duration
	statements, rows, sent, received, returned int64
	script, retries                            int32
	outcome                                    outcome
	paced, late, warmup                        bool
}

// lap is one run of one command.
type lap struct {
	script, command int32
	warmup          bool
	took            time.Duration
}
