package sizing_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/sizing"
)

// TestImpossibleRows holds the published table of eight volumes by instance type against itself: 4 KB random by fio, read
// off CloudWatch. What is wrong with a row was worked out by hand: KB/s / op/s against 4 KB.
func TestImpossibleRows(t *testing.T) {
	nan := math.NaN()
	check := func(row string, kbps, ops float64, want ...string) {
		t.Helper()
		var codes []string
		for _, f := range (sizing.Figures{Operations: ops, Bytes: kbps * 1024, SaidSize: 4096, Latency: nan, Queue: nan, CapIOPS: nan, CapBytes: nan}).Check() {
			codes = append(codes, f.Code)
		}
		if diff := cmp.Diff(want, codes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row, diff)
		}
	}
	const wrong = "bytes-per-operation"
	check("t2.medium 20 GB gp2, read", 446.97, 1727, wrong)       // 0.26 KB
	check("t2.medium 20 GB gp2, write", 7402.1, 1752.93)          // 4.22
	check("t2.medium 500 GB gp2, read", 7310.94, 1827.61)         // 4.00
	check("t2.medium 500 GB gp2, write", 62597.97, 489.04, wrong) // 128
	check("t2.medium 1000 GB gp2, write", 59634.88, 2096.93, wrong)
	check("m4.large 20 GB gp2, write", 9503.77, 1729.65, wrong) // 5.5
	check("m4.large 500 GB gp2, write", 28842.86, 1697.6, wrong)
	check("m4.large 20 GB io, read", 4087.33, 1021.83)
}

// TestBufferedWrites: 1.6 GB/s by dd on an m4.large, whose volumes get 56 MB/s.
func TestBufferedWrites(t *testing.T) {
	nan := math.NaN()
	found := sizing.Figures{Bytes: 1.6e9, CapBytes: 56.25e6, Buffered: true, Operations: nan, Latency: nan, Queue: nan, SaidSize: nan, CapIOPS: nan}.Check()
	want := []sizing.Finding{
		{"above-cap", "1600 MB/s, where at most 56.25 can be: what was written stayed in memory"},
		{"buffered", "written through the page cache: this is the speed of memory until it is full, and not of the device"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLittle: the queue is the rate times the latency.
func TestLittle(t *testing.T) {
	nan := math.NaN()
	check := func(operations, ms, queue float64, want bool) {
		t.Helper()
		f := sizing.Figures{Operations: operations, Latency: ms / 1000, Queue: queue, Bytes: nan, SaidSize: nan, CapIOPS: nan, CapBytes: nan}
		got := slices.ContainsFunc(f.Check(), func(f sizing.Finding) bool { return f.Code == "littles-law" })
		if got != want {
			t.Errorf("%g/s of %g ms, queue %g: %v", operations, ms, queue, got)
		}
	}
	check(1000, 5, 5, false)
	check(1000, 5, 6, false)
	check(1000, 5, 9, true)
	check(1000, 5, 2, true)
}

func TestBands(t *testing.T) {
	b := sizing.DefaultBands()
	check := func(ms float64, want string) {
		t.Helper()
		if got := b.Of(ms / 1000); got != want {
			t.Errorf("%g ms: %s, want %s", ms, got, want)
		}
	}
	check(3.9, "excellent") // measured averages of a published run
	check(5, "good")
	check(10, "fair")
	check(15.1, "look into it")
}
