package attribution_test

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// asOnAurora removes what Aurora hides: PostgreSQL's count of WAL records, and the WAL itself.
func asOnAurora(run *counts.Run) *counts.Run {
	for _, a := range run.Loads {
		for i := range a.Repetitions {
			a.Repetitions[i].Log = nil
			for metric := range a.Repetitions[i].Counts {
				if strings.HasPrefix(metric, "pgstat.wal/") {
					delete(a.Repetitions[i].Counts, metric)
				}
			}
		}
	}
	return run
}

// TestModelledRecordsChangeNoVerdict: with modelled WAL records the verdicts on real runs are the same, or CannotTell.
func TestModelledRecordsChangeNoVerdict(t *testing.T) {
	named := 0
	for _, file := range []string{"loads-pg17.jsonl", "local-pg15.jsonl.zst", "local-pg17.jsonl.zst",
		"local-pg18.jsonl.zst"} {
		path := "../../../testdata/runs/" + file
		counted := attribution.Judge(fromFile(t, path), attribution.Options{})
		modelled := attribution.Judge(asOnAurora(fromFile(t, path)), attribution.Options{})
		for _, m := range modelled.Metrics {
			if m.Kind == attribution.CannotTell || strings.HasPrefix(m.Metric.Name, "pgstat.wal/") {
				continue
			}
			c := verdictOn(t, counted, m.Metric.Name)
			if m.Kind != c.Kind {
				t.Errorf("%s: %s is %s %s with the count of WAL records and %s %s with a model of them", file,
					m.Metric.Name, c.Kind, c.Counts, m.Kind, m.Counts)
			}
			if c.Counts == m.Counts && m.Counts != "" {
				named++
			}
		}
	}
	if named < 30 { // of those that are certain without WAL fsyncs and writes, which such a run lacks, too
		t.Errorf("only %d metrics are said to count what they count", named)
	}
}

// equalToItsModel makes the metric equal to the model.
func equalToItsModel(run *counts.Run) *counts.Run {
	for _, d := range run.Quantities() {
		for _, a := range run.Loads {
			for _, r := range a.Repetitions {
				if n, err := d.Count(a, r); err == nil && d.Modelled {
					r.Counts["cloudwatch/WriteIOPS"] = counts.Count{Amount: n, Raw: n, Seconds: r.Seconds}
				}
			}
		}
	}
	return run
}

// TestModelledRecordsAreNamed: a metric that counts WAL records is named by their model, not as exact, with the model's
// error in the interval.
func TestModelledRecordsAreNamed(t *testing.T) {
	path := "../../../testdata/runs/local-pg17.jsonl.zst"
	judged := func(change func(*counts.Run) *counts.Run) attribution.Verdict {
		run := fromFile(t, path)
		for _, a := range run.Loads {
			for _, r := range a.Repetitions {
				r.Counts["cloudwatch/WriteIOPS"] = r.Counts["pgstat.wal/wal_records"]
			}
		}
		run.Counters = append(run.Counters, runfile.Metric{Name: "cloudwatch/WriteIOPS", Unit: "operations",
			Type: runfile.Counter})
		return verdictOn(t, attribution.Judge(change(run), attribution.Options{}), "cloudwatch/WriteIOPS")
	}
	counted, modelled := judged(func(r *counts.Run) *counts.Run { return r }), judged(asOnAurora)
	for _, v := range []attribution.Verdict{counted, modelled} {
		if v.Kind != attribution.Logical || v.Counts != metric.WALRecords {
			t.Fatalf("%s %s %v: %s", v.Kind, v.Counts, v.Between, v.Why)
		}
		if !(v.PerUnit.Lo <= 1 && 1 <= v.PerUnit.Hi) {
			t.Errorf("%+v does not hold one", *v.PerUnit)
		}
	}
	// The model's own bounds are at their narrowest in bulk and multi: a quarter of a percent to either side.
	if half := (modelled.PerUnit.Hi - modelled.PerUnit.Lo) / 2; half < 0.0026 {
		t.Errorf("%+v is narrower than the model", *modelled.PerUnit)
	}
	wide := func(v attribution.Verdict) float64 { return v.PerUnit.Hi - v.PerUnit.Lo }
	if modelled.Exact || !(wide(modelled) > wide(counted)) {
		t.Errorf("modelled %+v, exact: %t; counted %+v", *modelled.PerUnit, modelled.Exact, *counted.PerUnit)
	}
	if v := judged(func(r *counts.Run) *counts.Run {
		return equalToItsModel(asOnAurora(r))
	}); v.Counts != metric.WALRecords || v.Exact {
		t.Errorf("what is equal to the model counts %s, exact: %t", v.Counts, v.Exact)
	}
	for _, r := range modelled.Rivals {
		if r.Modelled != (r.Quantity == metric.WALRecords) {
			t.Errorf("%s is modelled: %t", r.Quantity, r.Modelled)
		}
	}
}
