package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// TestOrderSaysWhatWasNotMeasured: an order that rests on a model, or leaves out a load of the plan, says so before
// anything else is said of it. The load that asks for most is wide.
func TestOrderSaysWhatWasNotMeasured(t *testing.T) {
	whole := runfiletest.Records(t, "../../../testdata/runs/loads-pg17.jsonl")
	without := func(gone func(runfile.Record) bool) []runfile.Record {
		return slices.DeleteFunc(slices.Clone(whole), gone)
	}
	const model, wide = "sized by a model of what a disk does", "What wide asked for is not known"
	noDisk := without(func(r runfile.Record) bool {
		reading, ok := r.(runfile.Reading)
		return ok && reading.Probe == "block"
	})
	noWide := without(func(r runfile.Record) bool {
		event, ok := r.(runfile.LoadEvent)
		work, worked := r.(runfile.Work)
		return ok && event.Load == "wide" || worked && work.Load == "wide"
	})
	for _, c := range []struct {
		of      string
		records []runfile.Record
		load    string
		want    []string
	}{
		{"all", whole, "", nil},
		{"no disk", noDisk, "", []string{model}},
		{"no disk, one load", noDisk, "bulk", []string{model}},
		{"without wide", noWide, "", []string{wide}},
		{"without wide, one load", noWide, "bulk", nil},
	} {
		run, err := counts.FromRun(runfiletest.Sequence(c.records))
		if err != nil {
			t.Fatal(err)
		}
		s, err := sizing.Size(sizing.Ask{GiB: 500, Load: c.load}, run)
		if err != nil {
			t.Fatal(err)
		}
		first := sizes.NewSize(s).Cautions
		for _, text := range []string{model, wide} {
			said := slices.ContainsFunc(first, func(s string) bool { return strings.Contains(s, text) })
			if said != slices.Contains(c.want, text) {
				t.Errorf("%s: the order says %q, want %q in it: %t", c.of, first, text, !said)
			}
		}
	}
}
