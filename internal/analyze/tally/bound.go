package tally

import (
	"fmt"

	"github.com/realiops/realiops/internal/runfile"
)

// Bounds of a run file, so that its sender decides neither the memory nor the time of an analysis. Our own runs stay
// far below: a day of 300 series read every second holds 90 MB in 27 repetitions of 9 loads. docs/reference/run-file.md
// lists the bounds.
const (
	mostMetrics = 2_000
	mostLoads   = 100
	mostProbes  = 200
	mostCells   = 20_000    // loads x metrics
	mostCounts  = 1_000_000 // repetitions x metrics
	mostHeld    = 150 << 20 // bytes of readings, gaps, periods and rankings
)

// TooMuchError reports a run file beyond the bounds.
type TooMuchError struct {
	What  string
	Bound int
}

func (e *TooMuchError) Error() string {
	return fmt.Sprintf("it holds more than %d %s, which no run of realiops does", e.Bound, e.What)
}

func (c *collector) within() error {
	loads := max(len(c.run.Header.Plan.Loads), len(c.loads))
	for _, b := range []struct {
		held, bound int
		what        string
	}{
		{len(c.metrics), mostMetrics, "metrics"},
		{len(c.probes), mostMetrics, "metrics"},
		{len(c.readings), mostProbes, "probes"},
		{loads, mostLoads, "loads"},
		{loads * len(c.metrics), mostCells, "figures of one metric under one load"},
		{len(c.attempts) * len(c.metrics), mostCounts, "figures of one metric in one repetition"},
		{c.held() >> 20, mostHeld >> 20, "MiB of readings, gaps, periods and rankings"},
	} {
		if b.held > b.bound {
			return &TooMuchError{b.what, b.bound}
		}
	}
	return nil
}

// held estimates the memory of the kept readings, in bytes.
func (c *collector) held() int {
	size := c.kept
	for _, r := range c.readings {
		size += r.Size()
	}
	if c.thin != nil {
		size += c.thin.Size
	}
	return size
}

// weight estimates the memory of a record, in bytes, without its readings.
func weight(record runfile.Record) int {
	const entry = 128 // of a map or a slice, with its string headers
	switch r := record.(type) {
	case runfile.Gap:
		return entry + len(r.Metric) + len(r.Detail)
	case runfile.Period:
		return 2*entry + len(r.Metric) + entry*len(r.Dimensions)
	case runfile.Work:
		return entry / 2
	case runfile.Total:
		size := entry
		for name := range r.Values {
			size += entry + len(name)
		}
		return size
	case runfile.Origin:
		return 8*entry + len(r.Note)
	case runfile.Top:
		size := entry * (1 + len(r.Total))
		for _, item := range r.Items {
			size += entry*(1+len(item.Grew)) + len(item.Name) + len(item.Text)
		}
		return size
	case runfile.WAL:
		size := entry + len(r.Missing)
		for _, item := range r.Items {
			size += entry*(2+len(item.Parts)) + len(item.Name) + len(item.Table) + len(item.Like)
		}
		return size
	case runfile.Metric:
		return 4*entry + len(r.Name) + len(r.Source) + len(r.Help) + len(r.Caveat)
	case runfile.SettingChange:
		return entry + len(r.Setting) + len(r.From) + len(r.To)
	case runfile.LoadEvent:
		return 4*entry + len(r.Failed) + len(r.Added)
	case runfile.Proof:
		return entry + len(r.Missing)
	default: // readings, which are weighed when kept, and records that occur once
		return 0
	}
}
