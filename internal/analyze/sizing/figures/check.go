package figures

import (
	"fmt"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/number"
)

// Flow is the traffic in one direction, or both, as a console or a benchmark reports it. NaN: not given.
type Flow struct {
	Operations float64 // per second
	Bytes      float64 // per second
	Latency    float64 // seconds
}

// Figures holds reported figures of a device, a row of a console or of a benchmark, for both directions together or for
// each.
type Figures struct {
	Flow
	Reads, Writes Flow
	Queue         float64 // requests in flight or waiting
	SaidSize      float64 // bytes per request, as the test was set up
	CapIOPS       float64
	CapBytes      float64 // per second
	Buffered      bool    // the test wrote through the page cache
}

// None returns figures with nothing given.
func None() Figures {
	nan := math.NaN()
	none := Flow{nan, nan, nan}
	return Figures{Flow: none, Reads: none, Writes: none, Queue: nan, SaidSize: nan, CapIOPS: nan, CapBytes: nan}
}

// Finding is an inconsistency of figures, or something to know about them.
type Finding struct {
	Code, Text string
}

// The codes of findings.
const (
	OddSize    = "bytes-per-operation"
	LittlesLaw = "littles-law"
	AboveCap   = "above-cap"
	IsBuffered = "buffered"
)

// tolerance is the factor by which figures may differ that were rounded, averaged, or read at different moments.
const tolerance = 1.25

// Check compares figures with each other and with their caps.
func (f Figures) Check() (found []Finding) {
	for _, flow := range f.flows() {
		if flow.Operations == 0 && flow.Bytes > 0 {
			found = append(found, Finding{OddSize, fmt.Sprintf("%s MB/s%s in 0 operations/s: the two columns describe "+
				"different operations", number.Short(flow.Bytes/1e6, 4), flow.of)})
		} else if size := flow.Bytes / flow.Operations; apart(size, f.SaidSize) {
			found = append(found,
				Finding{OddSize, fmt.Sprintf("%s KiB per operation%s, but the requests were %s KiB: the two "+
					"columns describe different operations", number.Short(size/1024, 3), flow.of, number.Short(f.SaidSize/1024, 3))})
		}
	}
	found = append(found, f.little()...)
	for _, flow := range f.flows() {
		found = append(found, f.aboveCap(flow)...)
	}
	if f.Buffered {
		found = append(found, Finding{IsBuffered,
			"written through the page cache: this is the speed of memory until it is full, not of the device"})
	}
	return found
}

// Held reports whether some of the figures can be compared with each other.
func (f Figures) Held() bool {
	known := func(figures ...float64) bool { return !slices.ContainsFunc(figures, math.IsNaN) }
	return slices.ContainsFunc(f.flows(), func(n named) bool {
		return known(n.Operations, n.Bytes, f.SaidSize) || known(n.Operations, n.Latency, f.Queue) ||
			known(n.Operations, f.CapIOPS) || known(n.Bytes, f.CapBytes)
	})
}

type named struct {
	of string
	Flow
}

// flows returns the flows with anything given.
func (f Figures) flows() []named {
	return slices.DeleteFunc([]named{{"", f.Flow}, {" of reads", f.Reads}, {" of writes", f.Writes}}, func(n named) bool {
		return math.IsNaN(n.Operations) && math.IsNaN(n.Bytes) && math.IsNaN(n.Latency)
	})
}

func (f Figures) aboveCap(n named) (found []Finding) {
	if n.Operations > f.CapIOPS*tolerance {
		found = append(found, Finding{AboveCap, fmt.Sprintf("%s operations/s%s, but the cap is %s",
			number.Short(n.Operations, 4), n.of, number.Short(f.CapIOPS, 4))})
	}
	if n.Bytes > f.CapBytes*tolerance {
		text := fmt.Sprintf("%s MB/s%s, but the cap is %s", number.Short(n.Bytes/1e6, 4), n.of, number.Short(f.CapBytes/1e6, 4))
		if f.Buffered {
			text += ": what was written stayed in memory"
		}
		found = append(found, Finding{AboveCap, text})
	}
	return found
}

// little compares the queue with the rate times the latency. If reads and writes are given separately, the queue may
// belong to either, if they were tried one after the other, or to both.
func (f Figures) little() []Finding {
	both, sum := "", 0.0
	for _, flow := range f.flows() {
		queue := flow.Operations * flow.Latency
		if math.IsNaN(queue) || math.IsNaN(f.Queue) {
			continue
		}
		if sum += queue; !apart(queue, f.Queue) {
			return nil
		}
		if both != "" {
			both += ", and "
		}
		both += fmt.Sprintf("%s operations/s%s of %s ms keep %s in flight", number.Short(flow.Operations, 4), flow.of,
			number.Short(1000*flow.Latency, 3), number.Short(queue, 3))
	}
	if sum == 0 || !apart(sum, f.Queue) {
		return nil
	}
	return []Finding{
		{LittlesLaw, fmt.Sprintf("%s, but the queue is given as %s: rate, latency and queue describe different "+
			"operations",
			both, number.Short(f.Queue, 3))}}
}

// apart reports whether two figures that should be equal differ. A figure that was not given never does.
func apart(a, b float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) || a <= 0 || b <= 0 {
		return false
	}
	return a/b > tolerance || b/a > tolerance
}
