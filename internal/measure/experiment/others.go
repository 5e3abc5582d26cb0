package experiment

import (
	"context"
	"fmt"

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

// mostDisturbed is the number of times that a run repeats disturbed repetitions; after that it leaves them out.
const mostDisturbed = 5

// again reports whether there is time to try once more what was disturbed, and says so.
func (e *Experiment) again(p *pace, s step, disturbed *disturbedError) bool {
	message := fmt.Sprintf("Repetition %d of %s is left out, because %s", s.repetition, s.load.Name, disturbed.why)
	may := e.spoiled < mostDisturbed && e.timeFor(1, p, e.grace(p))
	e.spoiled++
	if may {
		message += ", and there is time to run it again"
	}
	e.Tell(message)
	return may
}
