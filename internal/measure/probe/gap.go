package probe

import (
	"context"
	"errors"
	"io/fs"

	"github.com/realiops/realiops/internal/runfile"
)

// Error says why a source cannot be read, in the terms of a gap.
type Error struct {
	Reason runfile.Reason
	Code   string // SQLSTATE, HTTP status, errno
	Err    error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// GapOf returns the gap for an error: as the *Error in it says, or by the error's kind.
func GapOf(err error) runfile.Gap {
	gap := runfile.Gap{Reason: runfile.Failed, Detail: err.Error()}
	if known, ok := errors.AsType[*Error](err); ok {
		gap.Reason, gap.Code = known.Reason, known.Code
		return gap
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		gap.Reason = runfile.Late
	case errors.Is(err, fs.ErrPermission):
		gap.Reason = runfile.Permission
	}
	return gap
}

// Absent is a sampler for a source that this run cannot read. It announces the metrics, and every
// sample is a gap with the reason.
func Absent(name string, metrics []runfile.Metric, why error) Sampler {
	return absent{name, metrics, GapOf(why)}
}

type absent struct {
	name    string
	metrics []runfile.Metric
	gap     runfile.Gap
}

func (a absent) Name() string              { return a.name }
func (a absent) Metrics() []runfile.Metric { return a.metrics }

func (a absent) Sample(ctx context.Context) (Sample, error) {
	return Sample{Gaps: []runfile.Gap{a.gap}}, ctx.Err()
}
