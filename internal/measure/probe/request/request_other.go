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
		Err: errors.New("only Linux's kernel tells whose requests these are")}
}

// Close has nothing to end.
func (*Sampler) Close() {}

// Rank has nothing to tell.
func (*Sampler) Rank() runfile.Top { return runfile.Top{} }

// RankOthers has nothing to tell.
func (*Sampler) RankOthers() runfile.Top { return runfile.Top{} }

// OtherPrograms has nothing to tell.
func (*Sampler) OtherPrograms() []OtherProgram { return nil }

// WaitForCounters has nothing to wait for.
func (*Sampler) WaitForCounters(context.Context) error { return nil }
