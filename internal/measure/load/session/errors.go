package session

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

var (
	// ErrAborted is the result of a request that the server skipped because an earlier one of its pipeline failed.
	ErrAborted = errors.New("skipped: an earlier statement of the pipeline failed")
	// ErrCopy is the result of a COPY that waits for rows in a request without any.
	ErrCopy = errors.New("COPY FROM STDIN is not supported in a plain statement")
	// ErrInterrupted ends a session by [Session.Interrupt].
	ErrInterrupted = errors.New("interrupted")
	// ErrNoAnswer ends a session whose server is silent for longer than the dialer's patience.
	ErrNoAnswer = errors.New("no answer in time")
	// ErrProtocol ends a session whose server violates the protocol.
	ErrProtocol = errors.New("the server violated the protocol")
	// ErrTooLarge ends a session with a request larger than the server takes in one message.
	ErrTooLarge = errors.New("request exceeds the server's limit of 1 GiB")

	errHungUp = errors.New("closed by the server")
	errClosed = errors.New("closed by realiops")
)

// LostError is the error of a session that has ended, with the cause. A FATAL error of
// the server is a *pgconn.PgError.
type LostError struct{ Cause error }

func (e *LostError) Error() string { return "connection lost: " + e.Cause.Error() }
func (e *LostError) Unwrap() error { return e.Cause }

func protocolError(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrProtocol}, args...)...)
}

// Kind sorts errors by a load generator's reaction to them.
type Kind uint8

// Kinds of errors. Serialization failures and deadlocks may be retried.
const (
	None          Kind = iota // no error
	Other                     // any other error of the server
	Serialization             // 40001 serialization_failure
	Deadlock                  // 40P01 deadlock_detected
	Canceled                  // 57014 query_canceled: by a timeout or on demand
	Aborted                   // skipped, because an earlier request of the pipeline failed
	TooMany                   // 53300 too_many_connections
	NoAnswer                  // the server was silent for too long; the session has ended
	Lost                      // the session has ended for another reason
)

var kindNames = [...]string{"none", "other", "serialization", "deadlock", "canceled", "aborted", "too many clients",
	"no answer", "connection lost"}

func (k Kind) String() string { return kindNames[k] }

// KindOf returns the kind of an error of a [Result], of [Session.Err] or of [Dialer.Open].
func KindOf(err error) Kind {
	if err == nil {
		return None
	}
	if errors.Is(err, ErrNoAnswer) {
		return NoAnswer
	}
	if errors.Is(err, ErrAborted) {
		return Aborted
	}
	if _, lost := errors.AsType[*LostError](err); lost {
		return Lost
	}
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return Other
	}
	switch refused.Code {
	case "40001":
		return Serialization
	case "40P01":
		return Deadlock
	case "57014":
		return Canceled
	case "53300":
		return TooMany
	default:
		return Other
	}
}
