//go:build !linux

package request

import (
	"context"
	"errors"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// Sampler exists on Linux only.
type Sampler struct{ probe.Sampler }

// New returns an error: requests can be followed on Linux only.
func New(Place) (*Sampler, error) {
	return nil, &probe.Error{Reason: runfile.Unsupported,
		Err: errors.New("only Linux can trace requests to files")}
}

// Close does nothing.
func (*Sampler) Close() {}

// Rank returns nothing.
func (*Sampler) Rank() runfile.Top { return runfile.Top{} }

// RankOthers returns nothing.
func (*Sampler) RankOthers() runfile.Top { return runfile.Top{} }

// OtherPrograms returns nothing.
func (*Sampler) OtherPrograms() []OtherProgram { return nil }

// WaitForCounters does nothing.
func (*Sampler) WaitForCounters(context.Context) error { return nil }
