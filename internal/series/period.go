package series

import "time"

// Sources with periods begin them at whole multiples of the period since 1970, in UTC.

// PeriodDown returns the last period boundary not after a moment.
func PeriodDown(t time.Time, period time.Duration) time.Time {
	return time.Unix(0, t.UnixNano()).Add(-IntoPeriod(t, period)).UTC()
}

// PeriodUp returns the first period boundary not before a moment.
func PeriodUp(t time.Time, period time.Duration) time.Time {
	return PeriodDown(t.Add(period-1), period)
}

// IntoPeriod returns the time since the begin of a moment's period.
func IntoPeriod(t time.Time, period time.Duration) time.Duration {
	return time.Duration(t.UnixNano() % int64(period))
}
