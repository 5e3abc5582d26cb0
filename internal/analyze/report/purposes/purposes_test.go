package purposes

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// TestEveryRequestIsInOneColumn: the columns of the table add up to all requests.
func TestEveryRequestIsInOneColumn(t *testing.T) {
	columns := map[string]int{"request": 1, metric.RequestServer: 1} // sums of the others
	for _, p := range purposes() {
		for _, kind := range p.kinds {
			columns["request."+kind]++
		}
	}
	for _, view := range metric.RequestViews() {
		if columns[view] != 1 {
			t.Errorf("%s is in %d columns, want one", view, columns[view])
		}
		delete(columns, view)
	}
	if len(columns) > 0 {
		t.Errorf("columns of what is no kind of request: %v", columns)
	}
}

// TestRequestsByFileArePerSecondOfLoad: a load of 2 s whose pages reach the device after 3 s, with 300 data
// writes, has 150 per second in each table. Other programs did 60 in those 3 s.
func TestRequestsByFileArePerSecondOfLoad(t *testing.T) {
	load := counts.Load{Load: runfile.Load{Name: "busy", Method: "copy"}, Repetitions: []counts.Repetition{
		{Seconds: 2, Counts: map[string]counts.Count{
			"request.wal/writes": {Amount: 300, Raw: 330, Seconds: 3}, "request.wal/reads": {Seconds: 3},
			"request.other_programs/writes": {Amount: 55, Raw: 60, Seconds: 3},
			"request.other_programs/reads":  {Seconds: 3},
		}}}}
	for _, check := range []struct {
		of   purpose
		want float64
	}{{purposes()[0], 150}, {otherPrograms, 20}} {
		if got, err := check.of.rate(load, requestFields); err != nil || got != check.want {
			t.Errorf("%s: %g, %v; want %g", check.of.header, got, err, check.want)
		}
	}
}

// TestOthersWithoutRequests: doctor's made-up run has none, and an idle neighbor is not worth a warning.
func TestOthersWithoutRequests(t *testing.T) {
	for requests, want := range map[float64]bool{0: false, 60: true} {
		run := &counts.Run{OfServer: true, Loads: []counts.Load{{Load: runfile.Load{Name: "busy", Method: "copy"},
			Repetitions: []counts.Repetition{{Seconds: 3, Counts: map[string]counts.Count{
				"request.other_programs/writes": {Raw: requests, Seconds: 3},
				"request.other_programs/reads":  {Seconds: 3}}}}}}}
		if got := Others(run); (got != "") != want {
			t.Errorf("%g requests: %q", requests, got)
		}
	}
}
