package report_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/report"
)

// sourceRow is one repetition in the source of the shipped run: the growth of everything, by its name there.
type sourceRow map[string]any

func (r sourceRow) number(name string) float64 { return r[name].(float64) }

// sourceNames maps names of the report to names of the source.
func sourceNames() map[string]string {
	return map[string]string{
		"pgstat.wal/wal_records": "wal_records", "pgstat.wal/wal_fpi": "wal_fpi", "pgstat.lsn/insert": "lsn",
		"pgstat.wal/wal_write": "wal_write", "pgstat.wal/wal_sync": "wal_sync",
		"pgstat.io/writes": "io_writes", "pgstat.io/extends": "io_extends", "pgstat.io/fsyncs": "io_fsyncs",
		"pgstat.checkpointer/buffers_written": "ckpt_buffers", "pgstat.bgwriter/buffers_clean": "bg_clean",
		"pgstat.database/tup_inserted": "tup_inserted", "pgstat.database/xact_commit": "xact_commit",
		"block/writes": "dev_writes", "block/writes_merged": "dev_merge", "block/flushes": "dev_flush",
		"block/write_bytes": "dev_bytes", "block/requests": "requests",
		"rows": "rows", "entries": "entries", "statements": "statements", "commits": "commits",
		"wal_records": "wal_records", "wal_bytes": "lsn", "wal_writes": "wal_write", "wal_syncs": "wal_sync",
		"pages_written": "io_writes", "device_requests": "requests", "device_flushes": "dev_flush",
		"device_bytes": "dev_bytes",
	}
}

// arithmetic computes the shipped run's figures from its source, as plainly as possible.
type arithmetic struct {
	t     *testing.T
	loads map[string][]sourceRow
	idle  background   // the mean
	idles []background // each idle repetition
}

// background is the growth of the counters per second without load.
type background map[string]float64

// edges are the seconds between the load of the shipped run and the readings around it.
const edges = 0.22

func workOut(t *testing.T) arithmetic {
	t.Helper()
	content, err := os.ReadFile(shippedSource)
	if err != nil {
		t.Fatal(err)
	}
	var rows []sourceRow
	if err := json.Unmarshal(content, &rows); err != nil {
		t.Fatal(err)
	}
	a := arithmetic{t, map[string][]sourceRow{}, background{}, nil}
	for _, r := range rows {
		r["requests"] = r.number("dev_writes") - r.number("dev_flush")
		name := r["load"].(string)
		a.loads[name] = append(a.loads[name], r)
	}
	for _, r := range a.loads["idle"] {
		one := background{}
		for name, value := range r {
			if number, isNumber := value.(float64); isNumber {
				one[name] = number / (r.number("wall") + edges)
				a.idle[name] += one[name] / 3
			}
		}
		a.idles = append(a.idles, one)
	}
	return a
}

// grew returns a counter's growth in a repetition, without the background. The work of our own clients has none.
func (b background) grew(r sourceRow, name string) float64 {
	if name == "rows" || name == "entries" || name == "statements" || name == "commits" {
		return r.number(name)
	}
	return r.number(name) - b[name]*(r.number("wall")+edges)
}

// check compares a figure with the repetitions' values.
func (a arithmetic) check(what string, got report.Figure, load string, value func(background, sourceRow) float64) {
	a.t.Helper()
	total := 0.0
	for _, r := range a.loads[load] {
		total += value(a.idle, r)
	}
	a.checkValue(what, got, load, total/3, value)
}

// checkValue checks a figure whose value is not the mean of the repetitions'.
func (a arithmetic) checkValue(what string, got report.Figure, load string, mean float64,
	value func(background, sourceRow) float64) {
	a.t.Helper()
	least, most := a.ends(load, value)
	same := func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*math.Max(math.Abs(x), math.Abs(y))+1e-12 }
	if !same(got.Value, mean) || !same(got.Lowest, least) || !same(got.Highest, most) || got.N != 3 ||
		got.Missing != nil {
		a.t.Errorf("%s of %s: %+v, want %g, from %g to %g", what, load, got, mean, least, most)
	}
}

// ends returns the lowest and the highest value of the repetitions, whichever background is taken off.
func (a arithmetic) ends(load string, value func(background, sourceRow) float64) (least, most float64) {
	var values []float64
	for _, r := range a.loads[load] {
		for _, b := range append(a.idles, a.idle) {
			values = append(values, value(b, r))
		}
	}
	return slices.Min(values), slices.Max(values)
}

// TestEveryFigureOfTheShippedRun checks the whole model against arithmetic on its source.
func TestEveryFigureOfTheShippedRun(t *testing.T) {
	r, a, names := shipped(t), workOut(t), sourceNames()
	checked, lost := 0, 0
	for _, load := range r.Loads {
		if load.Idle {
			continue
		}
		a.check("seconds", load.Seconds, load.Name, func(_ background, r sourceRow) float64 { return r.number("wall") })
		for _, w := range load.Work {
			checked++
			a.check(string(w.Quantity), w.PerSecond, load.Name, func(b background, r sourceRow) float64 {
				return b.grew(r, names[string(w.Quantity)]) / r.number("wall")
			})
		}
	}
	for _, m := range r.Metrics {
		for _, load := range m.Loads {
			if load.Load == "idle" {
				a.check(m.Metric, load.PerSecond, "idle", func(_ background, r sourceRow) float64 {
					return r.number(names[m.Metric]) / (5 + edges)
				})
				continue
			}
			a.check(m.Metric, load.PerSecond, load.Load, func(b background, r sourceRow) float64 {
				return b.grew(r, names[m.Metric]) / r.number("wall")
			})
			for reference, f := range load.Per {
				checked++
				many, of := 0.0, 0.0
				for _, r := range a.loads[load.Load] {
					many, of = many+a.idle.grew(r, names[m.Metric]), of+a.idle.grew(r, names[string(reference)])
				}
				if f.Missing != nil && f.Missing.Reason == "uncertain" && many < 1 {
					lost++ // the background exceeded the load
					continue
				}
				a.checkValue(m.Metric+" per "+string(reference), f, load.Load, many/of, func(b background, r sourceRow) float64 {
					return b.grew(r, names[m.Metric]) / b.grew(r, names[string(reference)])
				})
			}
		}
	}
	if want := 8*12 + 17*8*4; checked != want {
		t.Errorf("%d figures checked, want %d", checked, want)
	}
	if lost > 0 {
		t.Errorf("%d ratios lost in the background", lost)
	}
	published := map[string]float64{"bulk": 1.0313, "bulk-indexed": 3.0472, "copy": 0.0377, "copy-indexed": 2.0541,
		"single": 2.0304, "async": 2.0303, "multi": 1.0403, "wide": 2.0430}
	for _, m := range r.Metrics {
		for _, load := range m.Loads {
			if m.Metric != "pgstat.wal/wal_records" || load.Load == "idle" {
				continue
			}
			if got := load.Per["rows"].Value; math.Abs(got-published[load.Load]) > 0.0001 {
				t.Errorf("WAL records per row of %s: %.5f, published %.4f", load.Load, got, published[load.Load])
			}
		}
	}
}

// TestSpansOfTheShippedRun checks the inputs of the second table and the headline against the model's own loads.
func TestSpansOfTheShippedRun(t *testing.T) {
	r := shipped(t)
	for _, m := range r.Metrics {
		for reference, span := range m.AcrossLoads {
			var means, all []float64
			for _, load := range m.Loads {
				if f := load.Per[reference]; f.Known() {
					means, all = append(means, f.Value), append(all, f.Lowest, f.Highest)
				}
			}
			got := []float64{span.Smallest.Figure.Value, span.Largest.Figure.Value, span.All.Lowest, span.All.Highest}
			want := []float64{slices.Min(means), slices.Max(means), slices.Min(all), slices.Max(all)}
			if diff := cmp.Diff(want, got); diff != "" || span.All.N != 24 || span.Without != nil {
				t.Errorf("%s per %s: %s", m.Metric, reference, diff)
			}
		}
		if m.Metric == "pgstat.wal/wal_records" {
			span := m.AcrossLoads["device_requests"]
			if diff := cmp.Diff([]report.InLoad{span.Smallest, span.Largest},
				[]report.InLoad{r.Headline.Smallest, r.Headline.Largest}); diff != "" {
				t.Errorf("the headline has another factor than the table: %s", diff)
			}
		}
	}
}

// geometric returns the geometric mean of a load's ratios, and their range, if there is plenty of both.
func (a arithmetic) geometric(load, y, x string) (mean, least, most float64, plenty bool) {
	sum, plenty := 0.0, true
	least, most = math.Inf(1), math.Inf(-1)
	for _, r := range a.loads[load] {
		many, of := a.idle.grew(r, y), a.idle.grew(r, x)
		plenty = plenty && many > 20 && of > 20
		sum += math.Log(many / of)
		least, most = min(least, many/of), max(most, many/of)
	}
	return math.Exp(sum / 3), least, most, plenty
}

// TestEvidenceOfTheShippedRun checks the ratios behind the verdicts against arithmetic on the source.
func TestEvidenceOfTheShippedRun(t *testing.T) {
	r, a, names := shipped(t), workOut(t), sourceNames()
	checked := 0
	near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-6*math.Abs(y) }
	for _, m := range r.Metrics {
		for _, rival := range m.Rivals {
			for _, load := range rival.Loads {
				mean, least, most, plenty := a.geometric(load.Load, names[m.Metric], names[string(rival.Quantity)])
				if !plenty {
					continue
				}
				checked++
				if f := load.Ratio; !near(f.Value, mean) || !near(f.Lowest, least) ||
					!near(f.Highest, most) || f.N != 3 {
					t.Errorf("%s per %s of %s: %+v, want %g, %g to %g", m.Metric, rival.Quantity, load.Load, f,
						mean, least, most)
				}
			}
		}
	}
	if checked < 17*12*8/2 {
		t.Errorf("only %d ratios checked", checked)
	}
	published := map[string]float64{"pgstat.database/tup_inserted": 1, "pgstat.database/xact_commit": 1}
	for _, m := range r.Metrics {
		want, isPublished := published[m.Metric]
		if isPublished && (m.Kind != "logical" || m.PerUnit == nil || math.Abs(m.PerUnit.Value-want) > 0.005*want ||
			m.PerUnit.N != 8) {
			t.Errorf("%s: %s %s %+v, want logical, %g, of 8 loads", m.Metric, m.Kind, m.Counts, m.PerUnit, want)
		}
	}
}
