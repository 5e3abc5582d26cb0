package sizing

import (
	"fmt"
	"math"
)

// Figures are what somebody says of a device: a row of a console or of a benchmark. NaN is not given.
type Figures struct {
	Operations float64 // a second
	Bytes      float64 // a second
	Latency    float64 // seconds
	Queue      float64 // requests in flight or waiting
	SaidSize   float64 // bytes of a request, as the test was set up
	CapIOPS    float64
	CapBytes   float64 // a second
	Buffered   bool    // the test wrote through the page cache
}

// Finding is something about figures that does not go together, or that should be known.
type Finding struct {
	Code string
	Text string
}

// tolerance is how far figures may be off that were rounded, averaged, or read a moment apart.
const tolerance = 1.25

// Check holds figures against each other and against their caps.
func (f Figures) Check() []Finding {
	var found []Finding
	add := func(code, format string, args ...any) {
		found = append(found, Finding{code, fmt.Sprintf(format, args...)})
	}
	if size := f.Bytes / f.Operations; apart(size, f.SaidSize) {
		add("bytes-per-operation", "%.3g KiB for each operation, where requests of %.3g KiB were made: the two columns do not describe the same operations", size/1024, f.SaidSize/1024)
	}
	if queue := f.Operations * f.Latency; apart(queue, f.Queue) {
		add("littles-law", "%.4g operations/s of %.3g ms keep %.3g in flight, and %.3g is said: rate, latency and queue were not taken of the same operations", f.Operations, 1000*f.Latency, queue, f.Queue)
	}
	if f.Operations > f.CapIOPS*tolerance {
		add("above-cap", "%.4g operations/s, where at most %.4g can be", f.Operations, f.CapIOPS)
	}
	if f.Bytes > f.CapBytes*tolerance {
		text := "%.4g MB/s, where at most %.4g can be"
		if f.Buffered {
			text += ": what was written stayed in memory"
		}
		add("above-cap", text, f.Bytes/1e6, f.CapBytes/1e6)
	}
	if f.Buffered {
		add("buffered", "written through the page cache: this is the speed of memory until it is full, and not of the device")
	}
	return found
}

// apart tells whether two figures that should be one are not. One that was not given is apart from nothing.
func apart(a, b float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) || a <= 0 || b <= 0 {
		return false
	}
	return a/b > tolerance || b/a > tolerance
}

// Bands are the edges of latency, in seconds, from excellent to what should be looked into. The last, 15 ms, is a published
// rule of thumb; the others are customary.
type Bands [3]float64

// DefaultBands are below 5 ms, to 10, to 15, and above.
func DefaultBands() Bands { return Bands{0.005, 0.010, 0.015} }

// Of names the band of a latency.
func (b Bands) Of(latency float64) string {
	for i, name := range []string{"excellent", "good", "fair"} {
		if latency < b[i] {
			return name
		}
	}
	return "look into it"
}

// QueueBand names how long a queue is for one disk: from two on for long, and five on, published rules see a bottleneck.
func QueueBand(queue float64) string {
	switch {
	case queue < 2:
		return "short"
	case queue < 5:
		return "a bottleneck if it lasts"
	default:
		return "a bottleneck"
	}
}
