package collect

import "time"

// Rules decide when a source's value is final. All times are by the source's clock.
type Rules struct {
	// Ripe is the shortest time from a period's end to the later of two readings that agree.
	// Corrections have come ten minutes late.
	Ripe time.Duration
	// Apart is the shortest time between two readings that agree.
	Apart time.Duration
	// Old is the age of a period from which one reading is enough.
	Old time.Duration
	// Again is when to ask again for a metric that the source failed to return.
	Again time.Duration
	// Patience bounds a collection after the end of its data's time.
	Patience time.Duration
}

// DefaultRules returns the rules for CloudWatch and Performance Insights.
func DefaultRules() Rules {
	return Rules{Ripe: 12 * time.Minute, Apart: 2 * time.Minute, Old: time.Hour, Again: 15 * time.Second,
		Patience: 40 * time.Minute}
}

// Faster returns the rules for a source whose clock runs factor times as fast as ours.
func (r Rules) Faster(factor float64) Rules {
	quick := func(d time.Duration) time.Duration { return time.Duration(float64(d) / factor) }
	return Rules{Ripe: quick(r.Ripe), Apart: quick(r.Apart), Old: quick(r.Old), Again: quick(r.Again),
		Patience: quick(r.Patience)}
}

// settles returns when another reading would settle a period that ended at end and has had the same value since.
func (r Rules) settles(end, since time.Time) time.Time {
	return later(end.Add(r.Ripe), since.Add(r.Apart))
}

// settled reports whether a reading now settles a period that ended at end and has had the same value since.
func (r Rules) settled(end, since, now time.Time) bool {
	return !now.Before(end.Add(r.Old)) || !now.Before(r.settles(end, since))
}
