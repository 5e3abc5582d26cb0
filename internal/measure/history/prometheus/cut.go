package prometheus

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// summed is one of several series that add up, and its time beside the time of all of them, in milliseconds.
type summed struct {
	name, of    string // of the metric, and what the sum is over: a database
	key         string // of the series of the same database in other metrics
	first, last int64
	begin, end  int64 // of all series of the metric
	// created: its first value is no more than the sum's series grow in a moment, or another one ended before it began.
	created bool
}

// summed records the series of a sum.
func (r *reading) summed(f Found, parts []*part) {
	if f.Sum == "" {
		return
	}
	var all []summed
	var firsts []float64
	largest := 0.0
	for _, p := range parts {
		moments := slices.Sorted(maps.Keys(p.values))
		if len(moments) == 0 {
			continue
		}
		for i := range len(moments) - 1 {
			largest = max(largest, p.values[moments[i+1]]-p.values[moments[i]])
		}
		firsts = append(firsts, p.values[moments[0]])
		all = append(all, summed{name: f.Name, of: p.of(f.Row), key: f.Exporter + p.labels.String(), first: moments[0],
			last: moments[len(moments)-1]})
	}
	for i := range all {
		s := &all[i]
		s.created = firsts[i] <= 2*largest
		s.begin, s.end = all[0].first, all[0].last
		for _, other := range all {
			s.begin, s.end = min(s.begin, other.first), max(s.end, other.last)
			s.created = s.created || other.last < s.first
		}
	}
	r.series = append(r.series, all...)
}

// of returns the values of the labels that a metric is added up over.
func (p *part) of(row Row) string {
	for l := range strings.SplitSeq(row.Sum, ",") {
		if p.labels[l] != "" {
			return p.labels[l]
		}
	}
	return ""
}

// slack is five scrapes in milliseconds, as exporters do not start and end at the same moment.
func (r *reading) slack() int64 { return 5 * r.out.Interval.Milliseconds() }

// noteCut says which sums lack a series at their begin or end, although it was there: its first value is from before,
// or other metrics have it. A database that was created lacks nothing. One without later samples of any metric may have
// been dropped.
func (r *reading) noteCut() {
	slack := r.slack()
	spans := map[string]runfile.Stretch{}
	for _, s := range r.series {
		span := spans[s.key]
		span.Extend(moment(s.first), moment(s.last))
		spans[s.key] = span
	}
	lacks := map[string][]string{} // metrics by database
	var gone []string
	for _, s := range r.series {
		span := spans[s.key]
		late := s.first > s.begin+slack && (!s.created || span.From.UnixMilli() < s.first-slack)
		early := s.last < s.end-slack && span.To.UnixMilli() > s.last+slack
		if late || early {
			lacks[s.of] = append(lacks[s.of], s.name)
		}
		text := cmp.Or(s.of, "a series") + " after " + moment(s.last).Format("2006-01-02 15:04 UTC")
		if s.last < s.end-slack && !early && !r.goesOn(s) && !slices.Contains(gone, text) {
			gone = append(gone, text)
		}
	}
	if len(gone) > 0 {
		slices.Sort(gone)
		r.notice("There are no samples of %s. Unless these databases were dropped, the sums lack them from then on.",
			printable.Listed(gone))
	}
	for _, of := range slices.Sorted(maps.Keys(lacks)) {
		sums, are, lack := "sum of "+lacks[of][0], "is", "lacks"
		if others := len(lacks[of]) - 1; others > 0 {
			sums = "sums of " + lacks[of][0] + " and " + printable.Counted(others, "more metric")
			are, lack = "are", "lack"
		}
		r.notice("The %s %s %s at times, and %s too low then.", sums, lack, cmp.Or(of, "a series"), are)
	}
}

// goesOn reports whether another series of the metric begins where s ends: a database was renamed, or a label.
func (r *reading) goesOn(s summed) bool {
	return slices.ContainsFunc(r.series, func(other summed) bool {
		return other.name == s.name && other.first > s.last && other.first <= s.last+max(r.slack(), aMoment)
	})
}
