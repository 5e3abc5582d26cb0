package experiment

import (
	"context"
	"time"
)

// align waits until a load that begins now has whole periods inside, and reads again what the wait may have changed.
func (e *Experiment) align(ctx context.Context) error {
	if e.Period == 0 {
		return nil
	}
	if err := Wait(ctx, untilLead(time.Now(), e.Period)); err != nil {
		return err
	}
	return e.Edge(ctx)
}

// untilLead is how long it is until shortly before the next boundary of the period.
func untilLead(now time.Time, period time.Duration) time.Duration {
	ahead := time.Duration(Lead * float64(period))
	into := time.Duration(now.Add(ahead).UnixNano()) % period
	return (period - into) % period
}
