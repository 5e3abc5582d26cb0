package standin

import (
	"math"
	"math/rand/v2"
	"time"
)

// Clock relates the cloud's clock to ours: when ours showed Here, the cloud's showed There,
// and it runs Factor times as fast.
type Clock struct {
	Here, There time.Time
	Factor      float64
}

// ToHere converts a moment to our clock.
func (c Clock) ToHere(there time.Time) time.Time {
	return c.Here.Add(time.Duration(float64(there.Sub(c.There)) / c.Factor))
}

// ToThere converts a moment to the cloud's clock.
func (c Clock) ToThere(here time.Time) time.Time {
	return c.There.Add(time.Duration(float64(here.Sub(c.Here)) * c.Factor))
}

// Point is a published value of a period, by the cloud's clock.
type Point struct {
	From, To time.Time
	Value    float64
}

// The periods of the cloud.
const (
	Minute      = time.Minute
	FiveMinutes = 5 * time.Minute
)

// Stream is a series of points, with its own random numbers.
type Stream uint64

// The streams.
const (
	WriteIOPS Stream = iota + 1
	VolumeWriteIOPs
	InInsights // WriteIOPS again, in Performance Insights
	ReadIOPS
	VolumeReadIOPs
	ReadsInInsights
	// StorageReads is ReadIOPS again, as Performance Insights' counter of PostgreSQL's reads from storage.
	StorageReads
)

// Streams returns all streams.
func Streams() []Stream {
	return []Stream{WriteIOPS, VolumeWriteIOPs, InInsights, ReadIOPS, VolumeReadIOPs, ReadsInInsights, StorageReads}
}

// OfVolume reports whether a stream is the cluster volume's, as sums of five minutes; others are an
// instance's, as rates of minutes.
func (s Stream) OfVolume() bool { return s == VolumeWriteIOPs || s == VolumeReadIOPs }

// Period returns the length of the stream's periods.
func (s Stream) Period() time.Duration {
	if s.OfVolume() {
		return FiveMinutes
	}
	return Minute
}

// Of returns the rule of a stream.
func (d Draw) Of(s Stream) Rule {
	switch s {
	case VolumeWriteIOPs:
		return d.Volume
	case ReadIOPS, ReadsInInsights, StorageReads:
		return d.Read
	case VolumeReadIOPs:
		return d.VolumeRead
	default:
		return d.Write
	}
}

// Point returns the final value of a stream's period; false: never published.
func (d Draw) Point(c *Course, clock Clock, s Stream, from time.Time) (Point, bool) {
	period, rule := s.Period(), d.Of(s)
	p := Point{From: from, To: from.Add(period)}
	began, length := from, period // the time that its value averages over
	if step := d.Habits.Step; step > 0 && s.OfVolume() {
		began, length = from.Truncate(step), step
	}
	shown := rule.Of(c.Between(clock.ToHere(began), clock.ToHere(began.Add(length)))) * period.Seconds() /
		length.Seconds()
	shown += d.Habits.Background * rule.size() * period.Seconds()
	shown *= math.Exp(d.Habits.Noise * d.chance(s, began).NormFloat64())
	p.Value = math.Round(shown)
	if !s.OfVolume() {
		p.Value = shown / period.Seconds()
	}
	return p, d.chance(^s, from).Float64() >= d.Habits.Missing
}

// chance returns the random numbers of a stream's moment.
func (d Draw) chance(s Stream, at time.Time) *rand.Rand {
	return rand.New(rand.NewPCG(d.Seed, uint64(s)<<40|uint64(at.Unix()))) //nolint:gosec // for a test, not a secret
}

// size returns roughly the rule's value for one row.
func (r Rule) size() (size float64) {
	for _, t := range r {
		size += t.PerUnit * typical(t.Kind)
	}
	return size
}

// Points returns all points of a stream in a stretch of whole periods of the cloud's time.
func (d Draw) Points(c *Course, clock Clock, s Stream, from, to time.Time) (all []Point) {
	for at := from; !at.Add(s.Period()).After(to); at = at.Add(s.Period()) {
		if p, there := d.Point(c, clock, s, at); there {
			all = append(all, p)
		}
	}
	return all
}

// Late is when a point is first published, too low, and when corrected.
type Late struct {
	First, Final time.Duration // after the period's end, by the cloud's clock
	Low          float64       // the share published first
}

// Late returns how late the draw publishes a point.
func (d Draw) Late(s Stream, from time.Time) Late {
	chance := rand.New(rand.NewPCG(d.Seed^0x1a7e,
		uint64(s)<<40|uint64(from.Unix()))) //nolint:gosec // for a test, not a secret
	minutes := func(least, most float64) time.Duration {
		return time.Duration((least + (most-least)*chance.Float64()) * float64(time.Minute))
	}
	return Late{First: minutes(0.5, 3), Final: minutes(3, 9), Low: 0.5 + 0.45*chance.Float64()}
}
