package pgstat

import (
	"slices"

	"github.com/realiops/realiops/internal/runfile"
)

// field is a metric and the ways in which versions have shown it, newest first.
type field struct {
	name   string
	unit   string
	kind   runfile.MetricType
	help   string
	caveat string
	ways   []way

	shown   Span   // the versions that show it
	instead string // what shows it in the others, for people
	setting string // that must be on for it to count
	null    *null  // what it means that the answer is NULL; nil: nothing that we know of
}

// way is an expression and the columns that it takes for this to be the way.
type way struct {
	sql     string
	columns []string
}

// null is the meaning of an answer that is NULL, and what can be done about it.
type null struct {
	reason runfile.Reason
	detail string
	remedy string
}

// Span is the major versions of PostgreSQL that show something; 0 is no bound.
type Span struct{ First, Last int }

// Has tells whether a version, as server_version_num, lies in the span.
func (s Span) Has(number int) bool {
	major := number / 10000
	return major >= s.First && (s.Last == 0 || major <= s.Last)
}

// counter is a field read from the column of its own name, unless other ways are given.
func counter(name, unit, help string, ways ...way) field {
	if len(ways) == 0 {
		ways = []way{column(name)}
	}
	return field{name: name, unit: unit, kind: runfile.Counter, help: help, ways: ways}
}

// gauge is a field that may fall as well as rise.
func gauge(name, unit, help string, ways ...way) field {
	f := counter(name, unit, help, ways...)
	f.kind = runfile.Gauge
	return f
}

// from says since which version the server shows the field.
func (f field) from(version int) field { f.shown.First = version; return f }

// upTo says which version was the last to show the field, and what shows it since.
func (f field) upTo(version int, instead string) field {
	f.shown.Last, f.instead = version, instead
	return f
}

// but says what to beware of.
func (f field) but(caveat string) field { f.caveat = caveat; return f }

// whileOn says which setting must be on for the server to count. Where it is off the counter stands still and shows
// zero or an old value, which is no reading.
func (f field) whileOn(setting string) field { f.setting = setting; return f }

// nullIs says what an answer of NULL means.
func (f field) nullIs(n null) field { f.null = &n; return f }

// all applies the same change to several fields.
func all(change func(field) field, fields ...field) []field {
	for i := range fields {
		fields[i] = change(fields[i])
	}
	return fields
}

// column reads a column as it is.
func column(name string) way { return way{name, []string{name}} }

// milliseconds reads a column as seconds.
func milliseconds(name string) way { return way{name + " / 1000.0", []string{name}} }

// summed adds a column up; of no rows the sum is zero.
func summed(column string) way { return way{"coalesce(sum(" + column + "), 0)", []string{column}} }

// counted is the number of rows.
func counted() way { return way{"count(*)", nil} }

// statsReset is when somebody last set a view's counters to zero. Some versions show NULL for never, which is no gap.
func statsReset() field { return statsResetOf("stats_reset") }

func statsResetOf(rows string) field {
	return gauge("stats_reset", "seconds", "when the counters were last reset, since 1970; 0 is never",
		way{"coalesce(extract(epoch from " + rows + "), 0)", []string{"stats_reset"}})
}

// wayFor is the newest way that these columns allow.
func (f field) wayFor(columns []string) (way, bool) {
	for _, w := range f.ways {
		missing := func(c string) bool { return !slices.Contains(columns, c) }
		if !slices.ContainsFunc(w.columns, missing) {
			return w, true
		}
	}
	return way{}, false
}

// unanswered is the gap that an answer of NULL leaves.
func (f field) unanswered() runfile.Gap {
	if f.null != nil {
		return runfile.Gap{Reason: f.null.reason, Detail: f.null.detail}
	}
	return runfile.Gap{Reason: runfile.Unsupported, Detail: "the server's answer is NULL"}
}

// settings are those that fields may need.
func settings() []string {
	return []string{trackActivities, trackCounts, trackIOTiming, trackWALIOTiming}
}

const (
	trackActivities  = "track_activities"
	trackCounts      = "track_counts"
	trackIOTiming    = "track_io_timing"
	trackWALIOTiming = "track_wal_io_timing"
)
