// Package metric is the one table of every metric that realiops reads or explains.
//
// A [Metric] is a row: its name in a run file, the name that people know it by, unit, kind, meaning and source, the
// versions that show it, whether a first screen has it, and which counted quantity it makes. Probes announce from the
// table and keep the reading alone; the analysis, realiops explain, --require and docs/reference/metrics.md ask it. So
// a new metric is a row here and a reading in its probe, and nothing else.
//
// The rows stand by where they are read: postgres.go and postgres_io.go, device.go, waldump.go, fio.go, and cloud.json
// with its sources, which also holds what others have published about a metric. What other tools show is in
// dictionary.json. Families that differ in one thing, the disks of a role or the processes of pg_stat_io, are patterns.
//
// The table imports the run file and nothing above it. How a metric is read, and when a server has it, is its probe's.
package metric

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// Metric is one row of the table.
type Metric struct {
	Name   string // in a run file: pgstat.wal/wal_sync
	Kind   runfile.MetricType
	Unit   string  // base unit, as in a run file
	Period float64 // seconds, where the source counts in periods of its own
	Steps  float64 // seconds for which it was seen to show the same, where that is longer than a period
	Help   string  // what it counts, in one line
	Caveat string  // what to beware of
	Source string  // the address of the document that defines it

	// the flavor of server that this row is about, where a name means something else on each: aurora, rds, ebs
	On       string
	Versions Span     // the versions of PostgreSQL that show it
	Instead  []string // the metrics that show it in later ones
	Needs    []string // settings and extensions without which it is a gap

	First   bool // a first screen shows it: people take it for I/O, or need it to understand the others
	Reads   bool // so it does of a run in which something was read
	Matters bool // whoever runs a load wants to know what it counts: it is bought, billed, or taken for I/O
	// the counted quantity that it is; of several such metrics, the first in the table that was counted
	Makes   Quantity
	MakesIn Span // the versions in which it is that quantity; in others it counts something else
	// a counted quantity of which it is a part: in versions without a metric that makes it, the parts' sum does
	Adds    Quantity
	Counts  Quantity // of which PostgreSQL documents that the metric shows one for each
	Part    Quantity // a counted quantity of which PostgreSQL documents that the metric counts some
	Asked   bool     // it is documented to be asked of the operating system, and no quantity has it
	Files   string   // of blocks of some files: the view of what the device did for these
	Derived *Difference

	AlsoReads bool // blocks that are read are among what it counts: loads that only add rows do not tell what it is

	says    Quantity // of which a provider documents that the metric shows one for each
	spelled []spelling
}

// Difference computes a metric from two others that are read.
type Difference struct{ Of, Less string }

// String returns the arithmetic: block/writes - block/flushes.
func (d Difference) String() string { return d.Of + " - " + d.Less }

// Span is the major versions of PostgreSQL that show something; 0 is no bound.
type Span struct{ First, Last int }

// Has reports whether a version, as server_version_num, lies in the span.
func (s Span) Has(number int) bool { return s.has(number / 10000) }

// HasVersion reports whether a version lies in the span that is written as people write it: 17.11. One that says
// nothing lies in the span that has no bounds.
func (s Span) HasVersion(version string) bool {
	first, _, _ := strings.Cut(version, ".")
	major, err := strconv.Atoi(first)
	return s == Span{} || err == nil && s.has(major)
}

func (s Span) has(major int) bool {
	return major >= s.First && (s.Last == 0 || major <= s.Last)
}

// String writes the versions for people: 14 to 17, 16+, up to 16, all.
func (s Span) String() string {
	switch {
	case s == Span{}:
		return "all"
	case s.First == 0:
		return fmt.Sprintf("up to %d", s.Last)
	case s.Last == 0:
		return fmt.Sprintf("%d+", s.First)
	default:
		return fmt.Sprintf("%d to %d", s.First, s.Last)
	}
}

// Announced returns the metric as a run file announces it.
func (m Metric) Announced() runfile.Metric {
	return runfile.Metric{
		Name: m.Name, Unit: m.Unit, Type: m.Kind, Period: m.Period, Source: m.Source, Help: m.Help, Caveat: m.Caveat,
	}
}

// InPeriods returns the metric as a run file announces it whose source does not show the counter, but its mean over
// periods.
func (m Metric) InPeriods(length time.Duration) runfile.Metric {
	announced := m.Announced()
	announced.Period = length.Seconds()
	if announced.Type == runfile.Counter {
		announced.Type = runfile.Rate
	}
	return announced
}

func counter(name, unit, help string) Metric {
	return Metric{Name: name, Kind: runfile.Counter, Unit: unit, Help: help}
}

// gauge returns a level: it falls as well as rises.
func gauge(name, unit, help string) Metric {
	return Metric{Name: name, Kind: runfile.Gauge, Unit: unit, Help: help}
}

func (m Metric) from(version int) Metric { m.Versions.First = version; return m }

// upTo names the last version that shows the metric, and the metrics that show it since.
func (m Metric) upTo(version int, instead ...string) Metric {
	m.Versions.Last, m.Instead = version, instead
	return m
}

func (m Metric) but(caveat string) Metric     { m.Caveat = caveat; return m }
func (m Metric) needs(names ...string) Metric { m.Needs = append(m.Needs, names...); return m }
func (m Metric) makes(q Quantity) Metric      { m.Makes = q; return m }
func (m Metric) makesFrom(version int, q Quantity) Metric {
	m.Makes, m.MakesIn.First = q, version
	return m
}
func (m Metric) counts(q Quantity) Metric { m.Counts = q; return m }
func (m Metric) adds(q Quantity) Metric   { m.Adds = q; return m }
func (m Metric) some(q Quantity) Metric   { m.Part = q; return m }
func (m Metric) asked() Metric            { m.Asked = true; return m }
func (m Metric) of(view string) Metric    { m.Files = view; return m }

// alsoReads marks what counts blocks that are read, whatever else it counts.
func (m Metric) alsoReads() Metric { m.AlsoReads = true; return m }

// first puts the metric on the first screen.
func (m Metric) first() Metric { m.First = true; return m }

func (m Metric) firstOfReads() Metric { m.Reads = true; return m }

// matters puts it on the first screen, and has loads chosen to tell what it counts.
func (m Metric) matters() Metric { m.First, m.Matters = true, true; return m }

// all applies the same change to several rows.
func all(change func(Metric) Metric, rows ...Metric) []Metric {
	for i := range rows {
		rows[i] = change(rows[i])
	}
	return rows
}

// Step returns by how much a counter of a unit moves at least.
func Step(unit string) float64 {
	switch unit {
	case "bytes":
		return 512 // devices count sectors
	case "seconds":
		return 0.001 // ticks of the kernel and of PostgreSQL's times
	default:
		return 1
	}
}
