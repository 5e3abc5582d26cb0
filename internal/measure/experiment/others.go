package experiment

import (
	"context"

	"github.com/realiops/realiops/internal/runfile"
)

// disturbedError is a repetition during which something else than its load made its numbers.
type disturbedError struct{ why, remedy string }

func (e *disturbedError) Error() string { return e.why + e.remedy }

func (e *Experiment) look(ctx context.Context, event runfile.Event) error {
	if e.Look == nil {
		return nil
	}
	return e.Look(ctx, event)
}

// disturbed returns what makes the repetition that just ended useless, or nil.
func (e *Experiment) disturbed(others *runfile.Others) error {
	if e.Spoiled != nil {
		if why := e.Spoiled(); why != "" {
			return &disturbedError{why: why}
		}
	}
	if others != nil && !e.Shared {
		return &disturbedError{
			others.String(), ", and it cannot be told from what the load did; --shared keeps such numbers, marked"}
	}
	return nil
}
