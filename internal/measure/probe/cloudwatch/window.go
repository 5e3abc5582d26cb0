package cloudwatch

import (
	"cmp"
	"time"
)

// retention is how many days points of a period are kept.
type retention struct {
	period time.Duration
	days   int
}

const mostDays = 455

// Longest is how long CloudWatch keeps anything.
const Longest = mostDays * 24 * time.Hour

// kept lists how many days CloudWatch keeps points of each period; after that only aggregates over coarser periods
// remain. https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
var kept = []retention{{time.Minute, 15}, {5 * time.Minute, 63}, {time.Hour, mostDays}}

// margin is how early a point counts as expired, so that it does not expire during the request.
const margin = time.Hour

// window is a stretch with points down to one period.
type window struct {
	from, to time.Time
	finest   time.Duration // zero: none
}

// windows divides a stretch by the finest period still kept, oldest first. It leaves out the future.
func windows(from, to, now time.Time) []window {
	if to.After(now) {
		to = now
	}
	var all []window
	add := func(until time.Time, finest time.Duration) {
		if until.After(to) {
			until = to
		}
		if from.Before(until) {
			all = append(all, window{from, until, finest})
			from = until
		}
	}
	finest := time.Duration(0)
	for i := len(kept) - 1; i >= 0; i-- {
		// Whole hours, so that no period spans two windows.
		add(now.AddDate(0, 0, -kept[i].days).Add(margin).UTC().Truncate(time.Hour), finest)
		finest = kept[i].period
	}
	add(to, finest)
	return all
}

// Kept returns the shortest period that is still kept of a moment, or the longest of all.
func Kept(at, now time.Time) time.Duration {
	return cmp.Or(windows(at, at.Add(time.Nanosecond), now)[0].finest, kept[len(kept)-1].period)
}

// Stretches returns the number of parts of a stretch with different finest periods: every metric is asked
// for, and billed, once in each.
func Stretches(from, to, now time.Time) int { return len(windows(from, to, now)) }
