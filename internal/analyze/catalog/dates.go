package catalog

import (
	"regexp"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/metric"
)

// dated matches a date at the end of a source, as realiops prices writes one.
var dated = regexp.MustCompile(`\b20\d\d(-\d\d){0,2}$`)

// undated stands for prices without a date.
const undated = "no date"

// AsOf returns the date of a source of prices: of a source that the program knows, or at its end.
func AsOf(source string) string {
	if s, known := metric.SourceOf(source); known {
		return s.State
	}
	if date := dated.FindString(source); date != "" {
		return date
	}
	return undated
}

// PricesOf describes the dates of prices.
func PricesOf(dates string) string {
	if dates == undated || dates == "" {
		return "prices without a date"
	}
	return "prices of " + dates
}

// Dates merges dates, or earlier results, into the oldest and the newest; empty if there are none.
func Dates(dates ...string) string {
	var all []string
	none := false
	for _, d := range dates {
		d, less, _ := strings.Cut(d, ", ")
		for part := range strings.SplitSeq(d, " to ") {
			none = none || part == undated || less != ""
			all = append(all, part)
		}
	}
	all = slices.DeleteFunc(all, func(d string) bool { return d == undated || d == "" })
	slices.Sort(all)
	all = slices.Compact(all)
	switch {
	case len(all) == 0 && none:
		return undated
	case len(all) == 0:
		return ""
	case len(all) > 1:
		all = []string{all[0] + " to " + all[len(all)-1]}
	}
	if none {
		return all[0] + ", some without a date"
	}
	return all[0]
}
