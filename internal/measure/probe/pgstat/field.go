package pgstat

import (
	"slices"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// field is a metric of a view, by its name in internal/metric, with the ways to read it in
// different versions, newest first.
type field struct {
	name string
	ways []way
	null *null // the meaning of a NULL; nil: none known

	relation string // the relation that it needs, in a view of several; empty: the view's
}

// way is an expression and the columns that it needs.
type way struct {
	sql     string
	columns []string
}

// null is the meaning of a NULL, and its remedy.
type null struct {
	reason         runfile.Reason
	detail, remedy string
}

// value returns a field that is read from the column of its own name, unless other ways are given.
func value(name string, ways ...way) field {
	if len(ways) == 0 {
		ways = []way{column(name)}
	}
	return field{name: name, ways: ways}
}

func columns(names ...string) (fields []field) {
	for _, name := range names {
		fields = append(fields, value(name))
	}
	return fields
}

// sums returns fields that are summed over the rows of the view.
func sums(names ...string) (fields []field) {
	for _, name := range names {
		fields = append(fields, value(name, summed(name)))
	}
	return fields
}

// nullIs returns f with the meaning of NULL set.
func (f field) nullIs(n null) field { f.null = &n; return f }

func column(name string) way { return way{name, []string{name}} }

func milliseconds(name string) way { return way{name + " / 1000.0", []string{name}} }

// summed adds a column up; the sum of no rows is zero.
func summed(column string) way {
	return way{"coalesce(pg_catalog.sum(" + column + "), 0)", []string{column}}
}

func counted() way { return way{"pg_catalog.count(*)", nil} }

// statsReset is when a view's counters were last reset. Some versions show NULL for never, which is not a gap.
func statsReset() field { return statsResetOf("stats_reset") }

func statsResetOf(rows string) field {
	return value("stats_reset", way{"coalesce(extract(epoch from " + rows + "), 0)", []string{"stats_reset"}})
}

// wayFor returns the newest way for which these columns suffice.
func (f field) wayFor(columns []string) (way, bool) {
	for _, w := range f.ways {
		missing := func(c string) bool { return !slices.Contains(columns, c) }
		if !slices.ContainsFunc(w.columns, missing) {
			return w, true
		}
	}
	return way{}, false
}

func (f field) unanswered() runfile.Gap {
	if f.null != nil {
		return runfile.Gap{Reason: f.null.reason, Detail: f.null.detail}
	}
	return runfile.Gap{Reason: runfile.Unsupported, Detail: "the server's answer is NULL"}
}

// settings returns the settings that fields may need.
func settings() []string {
	return []string{metric.TrackActivities, metric.TrackCounts, metric.TrackIOTiming, metric.TrackWALIOTiming}
}
