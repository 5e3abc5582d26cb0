package experiment

import (
	"context"
	"time"

	"github.com/realiops/realiops/internal/series"
)

// align waits until the load would hold whole periods, then reads again what the wait may have changed.
func (e *Experiment) align(ctx context.Context) error {
	if e.Period == 0 {
		return nil
	}
	e.Doing("waiting for the next period")
	if err := Wait(ctx, untilLead(time.Now(), e.Period)); err != nil {
		return err
	}
	return e.ReadAll(ctx)
}

// untilLead returns the time until Lead before the next period.
func untilLead(now time.Time, period time.Duration) time.Duration {
	ahead := time.Duration(Lead * float64(period))
	soon := now.Add(ahead)
	return series.PeriodUp(soon, period).Sub(soon)
}
