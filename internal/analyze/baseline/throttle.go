package baseline

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/stats"
)

// Point sums up about a second of a job.
type Point struct {
	At         time.Time // its end
	Seconds    float64   // since the job began
	Operations float64   // per second
	Bytes      float64   // per second
	Latency    float64   // mean, in seconds
}

// Level holds the rates of a steady stretch.
type Level struct {
	Seconds    int     `json:"seconds"` // number of seconds
	Operations float64 `json:"operations"`
	Bytes      float64 `json:"bytes"`
	Latency    float64 `json:"latency"`
	Queue      float64 `json:"-"` // operations in flight, by Little's law
}

// Throttle is the result of looking for a lasting slowdown.
type Throttle struct {
	Found   bool       `json:"found"`
	Why     string     `json:"why,omitempty"` // why there is none, or it cannot be told
	At      *time.Time `json:"at"`
	Seconds float64    `json:"seconds"` // from the begin of the job
	P       float64    `json:"p"`       // upper bound of the probability of such a change by chance
	Before  *Level     `json:"before"`
	After   *Level     `json:"after"`
	Buckets []Bucket   `json:"buckets"` // that fit; none: no published one does
}

const (
	shortest = 20   // seconds needed to find a change
	eachSide = 5    // seconds on either side of it
	surely   = 0.01 // highest probability by chance
	drop     = 1.25 // least ratio of the rates before and after
	rise     = 1.1  // least ratio of the latencies after and before
	sharp    = 0.6  // the most of the variance about a line that two levels may leave
	drifts   = 0.5  // share of the variance about a line below which the rate drifts
)

// Throttled finds where a job slowed down for good: its rate falls, and its latency rises. If only the rate falls, the
// load changed, not storage, and a drift is not an empty bucket.
func Throttled(points []Point) Throttle {
	// The first second, in which a job begins, is not representative.
	points = slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return p.Seconds < 1.5 })
	if len(points) < shortest {
		return Throttle{Why: fmt.Sprintf("%d seconds are too few to tell: %d at least", len(points), shortest)}
	}
	rates := make([]float64, len(points))
	for i, p := range points {
		rates[i] = p.Operations
	}
	c, known := stats.ChangeOf(rates, eachSide)
	if !known {
		return Throttle{Why: "the rate did not change at all"}
	}
	t := Throttle{At: &points[c.At-1].At, Seconds: points[c.At-1].Seconds, P: c.P, Before: levelOf(points[:c.At]),
		After: levelOf(points[c.At:])}
	t.Why = t.reject(c)
	t.Found = t.Why == ""
	return t
}

// reject returns why a change is no slowdown of storage.
func (t Throttle) reject(c stats.Change) string {
	switch {
	case c.Step > sharp*c.Line && c.Line < drifts:
		return "the rate changed gradually; an empty bucket makes it drop at once"
	case c.P > surely:
		return "the rate changed no more than by chance"
	case c.Before < c.After:
		return "the rate rose"
	case c.Before < drop*c.After:
		return fmt.Sprintf("the rate fell, but by a factor of %.2f only", c.Before/c.After)
	case t.After.Latency < rise*t.Before.Latency:
		return "the rate fell but the latency did not rise: the job asked for less, storage did not slow down"
	case c.Step > sharp*c.Line:
		return "the rate fell, but not to one level, as an empty bucket makes it"
	}
	return ""
}

// levelOf returns the medians of some seconds.
func levelOf(points []Point) *Level {
	of := func(field func(Point) float64) float64 {
		var values []float64
		for _, p := range points {
			if v := field(p); !math.IsNaN(v) {
				values = append(values, v)
			}
		}
		if len(values) == 0 {
			return math.NaN()
		}
		return stats.Median(values)
	}
	l := &Level{
		Seconds:    len(points),
		Operations: of(func(p Point) float64 { return p.Operations }),
		Bytes:      of(func(p Point) float64 { return p.Bytes }),
		Latency:    of(func(p Point) float64 { return p.Latency }),
	}
	l.Queue = l.Operations * l.Latency
	return l
}

// Settled reports whether a change has lasted long enough to be believed: half a minute, or a fifth of the time before
// it.
func (t Throttle) Settled() bool {
	const least, share = 30, 0.2
	return t.Found && float64(t.After.Seconds) >= max(least, share*float64(t.Before.Seconds))
}
