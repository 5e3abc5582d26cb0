package tally_test

import (
	"math"
	"testing"

	"github.com/realiops/realiops/internal/runfile"
)

// TestPeriodsThatEndWithinABurst: a source shows the exact number of pages written every 5 s. The server's counter is
// read once a second, and nearly all pages come within a third of a second as a repetition is closed. A period that
// ends there is known no better than the counts around its end, and the error says so. Rows, which come steadily, are
// known.
func TestPeriodsThatEndWithinABurst(t *testing.T) {
	const repetitions, cycle, load, period, rows, pages = 40, 11.7, 8.0, 5.0, 1000.0, 5000.0
	past := func(at float64, from, lasts, amount float64) (sum float64) { // amount per cycle, up to at
		for i := range repetitions {
			sum += amount * min(1, max(0, (at-cycle*float64(i)-from)/lasts))
		}
		return sum
	}
	rowsAt := func(at float64) float64 { return past(at, 1, load, rows*load) }
	pagesAt := func(at float64) float64 { return past(at, 1, load, 10*load) + past(at, 1+load+0.2, 0.3, pages) }
	records := []runfile.Record{
		runfile.Run{Schema: runfile.Schema, Start: midnight, Plan: runfile.Plan{
			Loads: []runfile.Load{{Name: "busy", Method: "copy"}}, Repetitions: repetitions, LoadSeconds: load,
		}},
		runfile.Metric{Name: "p/rows", Unit: "rows", Type: runfile.Counter},
		runfile.Metric{Name: "p/pages", Unit: "operations", Type: runfile.Counter},
		runfile.Metric{Name: "q/pages", Unit: "operations", Type: runfile.CountPerPeriod, Period: period},
		runfile.Metric{Name: "q/rows", Unit: "operations", Type: runfile.CountPerPeriod, Period: period},
	}
	for i := range repetitions {
		at := cycle*float64(i) + 1
		begin, end := event(at, "busy", runfile.Begin), event(at+load+1, "busy", runfile.End)
		begin.Repetition, end.Repetition = i+1, i+1
		records = append(records, begin, runfile.Work{From: sec(at), To: sec(at + load), Load: "busy", Repetition: i +
			1, Transactions: 8, Rows: rows * load}, end)
	}
	for at := 0.37; at < cycle*repetitions; at++ {
		records = append(records, runfile.Reading{At: sec(at), Probe: "p", Values: map[string]float64{
			"p/rows": rowsAt(at), "p/pages": pagesAt(at)}})
	}
	for from := 0.0; from+period < cycle*repetitions; from += period {
		for name, at := range map[string]func(float64) float64{"q/pages": pagesAt, "q/rows": rowsAt} {
			records = append(records, runfile.Period{
				From: sec(from), To: sec(from + period), Probe: "q", Metric: name, Statistic: runfile.Sum,
				Value: at(from+period) - at(from),
			})
		}
	}
	run := fromRecords(t, records...)
	check := func(name string, mostError float64) {
		t.Helper()
		over, _ := run.Over("q/" + name)
		busy, _ := over.Load("busy")
		compared, off := 0, 0.0
		for _, r := range busy.Repetitions {
			shown, did := r.Counts["q/"+name], r.Counts["p/"+name]
			if shown.Missing != nil || did.Missing != nil {
				continue
			}
			compared++
			if difference := math.Abs(shown.Amount - did.Amount); difference > 2*did.Error+1 {
				t.Errorf("%s in repetition %d: %g by its source, %g ± %g by the server", name, r.Number, shown.Amount,
					did.Amount, did.Error)
			}
			off += did.Error / float64(repetitions) / max(1, did.Amount)
		}
		if compared < repetitions/2 || off > mostError {
			t.Errorf("%s: %d compared, known to within %.3f", name, compared, off)
		}
	}
	check("pages", 0.5)
	check("rows", 0.03)
}
