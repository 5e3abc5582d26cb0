package attribution_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// movingBetween returns the shipped run plus a counter that grows by twenty million in the pause before a repetition,
// times times.
func movingBetween(t *testing.T, times int) *counts.Run {
	t.Helper()
	const name, probe = "pgstat.made/late", "pgstat"
	var records []runfile.Record
	value, pauses := 1e6, 0
	for _, record := range runfiletest.Records(t, shippedRun) {
		switch r := record.(type) {
		case runfile.Run:
			records = append(records, r, runfile.Metric{Name: name, Unit: "operations", Type: runfile.Counter})
			continue
		case runfile.LoadEvent:
			if r.Event == runfile.Settle {
				if pauses++; pauses > 1 && pauses <= 1+times {
					value += 20e6
				}
			}
		case runfile.Reading:
			if r.Probe == probe {
				r.Values = maps.Clone(r.Values)
				r.Values[name] = value
				record = r
			}
		}
		records = append(records, record)
	}
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			if count := r.Counts[name]; count.Missing != nil || count.Raw != 0 {
				t.Fatalf("in %s %d it came to %+v", load.Name, r.Number, count)
			}
		}
	}
	return run
}

// TestSilenceLooksAtTheWholeRun: a counter that moves late or in steps may have moved because of a load, even if all
// its moves fell between repetitions.
func TestSilenceLooksAtTheWholeRun(t *testing.T) {
	for times, want := range map[int]string{
		0:  "silent: It grew by at most 0 in any repetition of a load",
		1:  "cannot_tell: It grew by 20,000,000 in the run",
		20: "cannot_tell: It grew by 400,000,000 in the run",
	} {
		all := attribution.Judge(movingBetween(t, times), attribution.Options{})
		v := verdictOn(t, all, "pgstat.made/late")
		if said := string(v.Kind) + ": " + v.Why; !strings.HasPrefix(said, want) {
			t.Errorf("what moved between loads %d times is %s", times, said)
		}
	}
}

// TestLagSilencesNothing: a sample of one fsync in a hundred moves some twenty times in a run, which some lag fits. At
// that lag the loads that moved it have no whole repetition left.
func TestLagSilencesNothing(t *testing.T) {
	run := fromFile(t, "testdata/seldom.jsonl")
	if _, view := run.Over(made); view.Lag == 0 {
		t.Error("no lag is found, so this tests nothing")
	}
	if v := judged(t, run); v.Kind == attribution.Silent {
		t.Errorf("%s: %s", v.Kind, v.Why)
	}
}
