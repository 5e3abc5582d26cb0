package experiment

import (
	"context"

	"github.com/realiops/realiops/internal/runfile"
)

// disturbedError reports a repetition whose numbers do not come from its load alone.
type disturbedError struct{ why, remedy string }

func (e *disturbedError) Error() string { return e.why + e.remedy }

func (e *Experiment) look(ctx context.Context, event runfile.Event) error {
	if e.Look == nil {
		return nil
	}
	return e.Look(ctx, event)
}

// disturbed returns why the repetition that just ended is useless, or nil.
func (e *Experiment) disturbed(others *runfile.Others) error {
	if e.Spoiled != nil {
		if why := e.Spoiled(); why != "" {
			return &disturbedError{why: why}
		}
	}
	if others != nil && !e.Shared {
		return &disturbedError{
			others.String(), ", which cannot be told from the load's work; --shared keeps such numbers, marked"}
	}
	return nil
}
