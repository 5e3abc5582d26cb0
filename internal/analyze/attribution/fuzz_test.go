package attribution_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// FuzzJudge spoils the shipped run in many ways at once and adds a line from the fuzzer. Whatever the file holds,
// verdicts keep their form and nothing panics.
func FuzzJudge(f *testing.F) {
	shipped := runfiletest.Records(f, shippedRun)
	for seed := range uint64(40) {
		f.Add(seed, "")
	}
	f.Add(uint64(100),
		`{"kind":"read","probe":"block","at":"2026-01-01T00:01:00Z","values":{"block/writes":-1e308,"block/flushes":1e308}}`)
	f.Add(uint64(101),
		`{"kind":"work","from":"2026-01-01T00:00:24Z","to":"2026-01-01T00:00:25Z","load":"bulk","repetition":1,"rows":9223372036854775807}`)
	f.Add(uint64(102), `{"kind":"load","load":"new","repetition":1,"event":"begin","at":"2026-01-01T00:01:00Z"}`)
	f.Add(uint64(103), `{"kind":"metric","name":"block/writes","unit":"bytes","type":"rate"}`)
	f.Add(uint64(104),
		`{"kind":"period","from":"2026-01-01T00:00:00Z","to":"2026-01-01T00:00:30Z","probe":"block","metric":"block/writes","statistic":"Sum","value":1e300}`)
	f.Fuzz(func(t *testing.T, seed uint64, line string) {
		random := rand.New(rand.NewPCG(seed, 0))
		records := slices.Clone(shipped)
		for record, err := range runfile.Read(strings.NewReader(`{"kind":"run","schema":"realiops.run/1"}` +
			"\n" + line)) {
			if err == nil && record.Kind() != runfile.KindRun {
				records = append(records, record)
			}
		}
		for range random.IntN(60) {
			records = spoil(random, records)
		}
		run, err := tally.FromRun(runfiletest.Sequence(records))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range attribution.Judge(run, attribution.Options{}).Metrics {
			checkForm(t, v)
		}
	})
}

// spoil changes a run in one way that could happen in practice.
func spoil(random *rand.Rand, records []runfile.Record) []runfile.Record {
	if len(records) < 3 {
		return records
	}
	i, j := 1+random.IntN(len(records)-1), 1+random.IntN(len(records)-1)
	switch random.IntN(7) {
	case 0: // lost
		return slices.Delete(records, i, i+1)
	case 1: // written twice, the second time somewhere else
		return append(records, records[i])
	case 2: // out of order
		records[i], records[j] = records[j], records[i]
	case 3: // cut off
		if random.IntN(10) == 0 {
			return records[:i+1]
		}
	default:
		records[i] = disturbed(random, records[i])
	}
	return records
}

// disturbed returns a record with other numbers or another time.
func disturbed(random *rand.Rand, record runfile.Record) runfile.Record {
	value := []float64{0, -1, 1e-300, 1e300, math.MaxFloat64, 12345, math.NaN(), math.Inf(1)}[random.IntN(8)]
	jump := time.Duration(random.IntN(2000)-1000) * time.Second
	switch r := record.(type) {
	case runfile.Reading:
		values := map[string]float64{}
		for name, v := range r.Values {
			switch random.IntN(4) {
			case 0:
				values[name] = value
			case 1:
			default:
				values[name] = v
			}
		}
		r.Values = values
		if random.IntN(4) == 0 {
			r.At = r.At.Add(jump)
		}
		return r
	case runfile.LoadEvent:
		r.At = r.At.Add(jump)
		return r
	case runfile.Work:
		r.Rows, r.Transactions = random.Int64N(3)*r.Rows, random.Int64N(3)*r.Transactions
		return r
	case runfile.Metric:
		r.Type = []runfile.MetricType{runfile.Counter, runfile.Gauge, runfile.Rate,
			runfile.CountPerPeriod}[random.IntN(4)]
		r.Unit = []string{"", "bytes", "seconds", "operations"}[random.IntN(4)]
		return r
	}
	return record
}

// checkForm checks what the type of a verdict promises.
func checkForm(t *testing.T, v attribution.Verdict) {
	t.Helper()
	name := v.Metric.Name
	switch v.Kind {
	case attribution.Logical, attribution.Requested, attribution.Physical, attribution.NotLogical, attribution.Mixed:
	case attribution.Silent, attribution.CannotTell:
		if v.Why == "" {
			t.Errorf("%s: %s, and nobody says why", name, v.Kind)
		}
		if v.Counts != "" || v.Mixture != nil {
			t.Errorf("%s: %s, and yet it counts %s %v", name, v.Kind, v.Counts, v.Mixture)
		}
	default:
		t.Errorf("%s: kind %q", name, v.Kind)
	}
	if v.Counts != "" {
		if v.PerUnit == nil || len(v.Between) > 0 || v.Mixture != nil {
			t.Errorf("%s counts %s, and also %v, %v, %v", name, v.Counts, v.PerUnit, v.Between, v.Mixture)
		}
		checkEstimate(t, name, v.PerUnit)
	}
	if v.Mixture != nil {
		share := 0.0
		for _, term := range v.Mixture.Terms {
			checkEstimate(t, name, &term.PerUnit)
			share += term.Share
		}
		if math.Abs(share-1) > 1e-6 || !(v.Mixture.Off >= 1) {
			t.Errorf("%s: a mixture with shares of %g in all, off by %g", name, share, v.Mixture.Off)
		}
	}
	for _, r := range v.Rivals {
		if (r.Status == attribution.Unknown) != (r.Why != nil) {
			t.Errorf("%s and %s: %s, %v", name, r.Quantity, r.Status, r.Why)
		}
		checkEstimate(t, name+" spread of "+string(r.Quantity), r.Spread)
		checkEstimate(t, name+" ratio to "+string(r.Quantity), r.Ratio)
	}
}

// checkEstimate checks that nothing is NaN; bounds may be infinite.
func checkEstimate(t *testing.T, what string, e *attribution.Estimate) {
	t.Helper()
	if e != nil && !(e.Lo <= e.Value && e.Value <= e.Hi) {
		t.Errorf("%s: %g from %g to %g", what, e.Value, e.Lo, e.Hi)
	}
}
