package purposes

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// TestPartsAddUpToKernelCount compares the requests that were traced one by one with the count in
// /proc/diskstats.
func TestPartsAddUpToKernelCount(t *testing.T) {
	run, err := tally.FromFile("../../../../testdata/runs/default-pg17.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{metric.BlockWrites, metric.BlockRequests, metric.BlockWriteBytes, metric.BlockFlushes,
		metric.BlockReads, metric.BlockReadBytes} {
		parts := PartsOf(run, name)
		if len(parts) == 0 {
			t.Errorf("%s has no parts", name)
			continue
		}
		for i, load := range run.Loads {
			sum, counted := 0.0, 0.0
			for _, p := range parts {
				sum += p.Loads[i].PerSecond
			}
			for _, r := range load.Repetitions {
				of := func(name string) float64 {
					return r.Counts[name].Raw / r.Counts[name].Seconds / float64(len(load.Repetitions))
				}
				if name == metric.BlockRequests {
					counted += of(metric.BlockWrites) - of(metric.BlockFlushes)
				} else {
					counted += of(name)
				}
			}
			// The kernel's difference of the two is off by requests and flushes of the journal.
			few := map[bool]float64{true: 64e3, false: 4}[strings.HasSuffix(name, "bytes")]
			near := math.Abs(sum-counted) <= 0.03*counted+few
			if above := sum >= counted*0.97-few && sum <= counted*1.1+40; !near &&
				(name != metric.BlockRequests || !above) {
				t.Errorf("%s under %s: parts of %g a second, counted %g", name, load.Name, sum, counted)
			}
		}
	}
}

// TestPartsOfWrites: of 200 writes in 2 s, 100 requests for WAL and tables, 10 of the journal and 30 of other programs
// leave 60 empty flushes.
func TestPartsOfWrites(t *testing.T) {
	made := func(lost float64, without string) *counts.Run {
		of := map[string]counts.Count{}
		for _, p := range purposes() {
			for _, kind := range p.kinds {
				of["request."+kind+"/writes"] = counts.Count{Seconds: 2}
			}
		}
		for name, n := range map[string]float64{
			"request.wal/writes": 80, "request.tables/writes": 20, metric.JournalWrites: 10,
			"request.other_programs/writes": 30, metric.RequestWrites: 200, metric.RequestsLost: lost,
		} {
			of[name] = counts.Count{Amount: 0.9 * n, Raw: n, Seconds: 2}
		}
		delete(of, without)
		return &counts.Run{
			Loads: []counts.Load{{Load: runfile.Load{Name: "busy", Method: "copy"}, Repetitions: []counts.Repetition{
				{Counts: of}}}}}
	}
	parts := PartsOf(made(0, ""), metric.BlockWrites)
	for _, check := range []struct {
		ofServer bool
		want     []string
	}{
		{false, []string{"WAL 40%", "+ empty flushes 30%", "+ other programs 15%", "+ others 15%"}},
		{true, []string{"WAL 50%", "+ empty flushes 38%", "+ tables 13%"}},
	} {
		if lines := parts.Lines(check.ofServer); !slices.Equal(lines, check.want) {
			t.Errorf("for the server %t: %q, want %q", check.ofServer, lines, check.want)
		}
	}
	if got := parts[len(parts)-1].Loads[0].PerSecond; got != 30 {
		t.Errorf("%g empty flushes a second, want 30", got)
	}
	for what, of := range map[string]Parts{
		"lost requests":           PartsOf(made(1, ""), metric.BlockWrites),
		"no count of the journal": PartsOf(made(0, metric.JournalWrites), metric.BlockWrites),
		"no device":               PartsOf(made(0, ""), "pgstat.wal/wal_write"),
	} {
		if of != nil {
			t.Errorf("%s: %v", what, of)
		}
	}
}
