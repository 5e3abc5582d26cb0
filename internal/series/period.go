package series

import "time"

// Sources that count in periods of their own begin them at whole multiples of the period since 1970, in UTC.

// PeriodDown returns the last boundary of a period that is not after a moment.
func PeriodDown(t time.Time, period time.Duration) time.Time {
	return time.Unix(0, t.UnixNano()).Add(-IntoPeriod(t, period)).UTC()
}

// PeriodUp returns the first boundary that is not before it.
func PeriodUp(t time.Time, period time.Duration) time.Time {
	return PeriodDown(t.Add(period-1), period)
}

// IntoPeriod returns how long before a moment its period began.
func IntoPeriod(t time.Time, period time.Duration) time.Duration {
	return time.Duration(t.UnixNano() % int64(period))
}
