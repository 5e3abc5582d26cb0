package account

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
)

// tries is how often one call is tried, and longestPause the longest wait in between:
// together about a minute of throttling.
const (
	tries        = 8
	longestPause = 20 * time.Second
	dials        = 2               // to an endpoint that does not answer
	hangs        = 2               // calls accepted but not answered, each for headerWithin
	faults       = 5               // AWS's own errors other than throttling
	faultPause   = 5 * time.Second // the longest wait after one
	empties      = 3               // empty answers
)

// patience waits longer and longer between tries of a call, and gives up early on an unreachable endpoint.
type patience struct{ *retry.Standard }

func newPatience() aws.Retryer {
	return patience{retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.MaxBackoff = tries, longestPause
	})}
}

// IsErrorRetryable excludes errors that a few seconds will not change, missing credentials and unknown names. It
// includes broken answers: no call here changes anything, so each can be repeated.
func (p patience) IsErrorRetryable(err error) bool {
	if _, none := errors.AsType[*notFound](err); none {
		return false
	}
	if unknown, ok := errors.AsType[*net.DNSError](err); ok && unknown.IsNotFound {
		return false
	}
	if _, endless := errors.AsType[tooLong](err); endless {
		return false
	}
	if _, nothing := errors.AsType[empty](err); nothing || errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	return p.Standard.IsErrorRetryable(err)
}

// RetryDelay returns the pause after a try; an error ends the tries.
func (p patience) RetryDelay(attempt int, err error) (time.Duration, error) {
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" && attempt >= dials {
		return 0, err
	}
	if silent, ok := errors.AsType[net.Error](err); ok && silent.Timeout() && attempt >= hangs {
		return 0, err
	}
	if _, nothing := errors.AsType[empty](err); nothing && attempt >= empties {
		return 0, err
	}
	delay, spent := p.Standard.RetryDelay(attempt, err)
	switch {
	case !ofService(err):
		return delay, spent
	case attempt >= faults:
		return 0, err
	}
	return min(delay, faultPause), spent
}

// statusError is an error with a status, of AWS or of the endpoint for a container's credentials.
type statusError interface {
	error
	HTTPStatusCode() int
}

// ofService reports whether a service, or a proxy in front of it, failed by itself.
func ofService(err error) bool {
	answer, answered := errors.AsType[statusError](err)
	slowDown := retry.ThrottleErrorCode{Codes: retry.DefaultThrottleErrorCodes}.IsErrorThrottle(err).Bool()
	return answered && answer.HTTPStatusCode() >= http.StatusInternalServerError &&
		answer.HTTPStatusCode() != http.StatusServiceUnavailable && !slowDown
}
