package sizing_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// TestMeanAndPercentilesOfSeconds: the mean of single seconds is at most their 99th percentile, which is at most the
// maximum. The mean of everything that a load caused may be higher, since it counts only the seconds of the load.
func TestMeanAndPercentilesOfSeconds(t *testing.T) {
	below := false
	for name, n := range needsOf(t, "local-pg17.jsonl.zst") {
		p := n.Peaks
		if p.Mean.Requests() > p.P99.Requests() || p.P99.Requests() > p.PeakSecond.Requests() ||
			p.Mean.Bytes() > p.P99.Bytes() {
			t.Errorf("%s: mean %g, p99 %g, worst "+
				"%g", name, p.Mean.Requests(), p.P99.Requests(), p.PeakSecond.Requests())
		}
		below = below || p.PeakSecond.Requests() < n.Mean.Requests()
	}
	if !below {
		t.Error("no load caused more than its worst second: this is no test")
	}
}

// TestPercentile: half of the seconds are below the 50th percentile, none is above the 100th. Those above the order are
// counted, and the order is never less than the load caused.
func TestPercentile(t *testing.T) {
	size := func(percentile float64) sizing.Sizing {
		t.Helper()
		return asked(t, "local-pg17.jsonl.zst", sizing.Ask{Load: "multi", GiB: 100, Percentile: percentile})
	}
	half, most := size(50), size(100)
	need := half.Need
	above := 0
	for _, s := range need.Seconds {
		if s.Requests() > half.Target.Most.Requests() || s.Bytes() > half.Target.Most.Bytes() {
			above++
		}
	}
	if half.Basis != "p50" || half.Above.Seconds != above || above == 0 || half.Target.Most.Writes < need.Mean.Writes {
		t.Errorf("%s: %+v, want %d of %d seconds", half.Basis, half.Above, above, len(need.Seconds))
	}
	if !slices.ContainsFunc(half.Warnings, func(w string) bool {
		return strings.Contains(w, "needed more than this order carries")
	}) {
		t.Errorf("%q", half.Warnings)
	}
	if most.Above.Seconds != 0 || most.Target.Most.Writes < need.Peaks.PeakSecond.Writes {
		t.Errorf("the 100th: %+v above", most.Above)
	}
}

// TestFilesInMemoryAreReported: if the WAL was not on the disk, the order excludes it and says so.
func TestFilesInMemoryAreReported(t *testing.T) {
	run := shipped(t, "local-pg17.jsonl.zst")
	run.Header.Target.Storage.InMemory = []string{"wal"}
	volumes := catalog.Volumes()
	sized, err := sizing.Size(sizing.Ask{Load: "multi", GiB: 100, Volumes: volumes}, run)
	if err != nil || !slices.ContainsFunc(sized.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "The WAL is in memory, ")
	}) {
		t.Errorf("%v, %q", err, sized.Warnings)
	}
}
