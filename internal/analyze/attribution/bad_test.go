package attribution_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
)

// TestBadInput spoils a run whose metric counts rows: the verdict may become CannotTell, with a reason, and nothing
// else.
func TestBadInput(t *testing.T) {
	check := func(what string, spoil func(*counts.Run), kinds ...attribution.Kind) {
		t.Helper()
		run := with(t, of(metric.RowsWritten, 2))
		spoil(run)
		v := judged(t, run)
		if !slices.Contains(kinds, v.Kind) || v.Counts != "" && v.Counts != metric.RowsWritten ||
			v.Kind == attribution.CannotTell && v.Why == "" {
			t.Errorf("%s: %s %q %v: %s", what, v.Kind, v.Counts, v.Mixture, v.Why)
		}
	}
	each := func(run *counts.Run, change func(load string, repetition int, r *counts.Repetition)) {
		for _, load := range run.Loads {
			for i := range load.Repetitions {
				change(load.Name, i, &load.Repetitions[i])
			}
		}
	}
	keep := func(names ...string) func(*counts.Run) {
		return func(run *counts.Run) {
			run.Loads = slices.DeleteFunc(run.Loads, func(a counts.Load) bool {
				return !slices.Contains(names, a.Name)
			})
		}
	}
	show := func(value float64, where ...string) func(*counts.Run) {
		return func(run *counts.Run) {
			each(run, func(load string, i int, r *counts.Repetition) {
				if len(where) == 0 || slices.Contains(where, load) {
					r.Counts[made] = counts.Count{Amount: value, Raw: value, Seconds: 5}
				}
			})
		}
	}
	open := attribution.CannotTell
	check("as it is", func(*counts.Run) {}, attribution.Logical)
	check("nothing measured", keep(), open)
	check("idle alone", keep("idle"), open)
	check("one load", keep("idle", "bulk"), open)
	check("two loads that part nothing", keep("idle", "single", "async"), open, attribution.Logical)
	check("no idle load", keep("bulk", "bulk-indexed", "copy", "copy-indexed", "single", "async", "multi", "wide"),
		attribution.Logical)
	check("two repetitions of one load, and one of each other", func(run *counts.Run) {
		for i := range run.Loads {
			run.Loads[i].Repetitions = run.Loads[i].Repetitions[:1+i%len(run.Loads)/(len(run.Loads)-1)]
		}
	}, attribution.Logical)
	check("not a number", show(math.NaN()), open)
	check("without end", show(math.Inf(1)), open)
	check("beyond any counter", show(1e300), open)
	check("negative", show(-1e6), open)
	check("negative in one load", show(-1e6, "copy"), open)
	check("not a number in one load", show(math.NaN(), "copy"), attribution.Logical)
	check("repetitions of one", func(run *counts.Run) {
		for i := range run.Loads {
			run.Loads[i].Repetitions = run.Loads[i].Repetitions[:1]
		}
	}, open, attribution.Logical)
	check("no rows", func(run *counts.Run) {
		each(run, func(_ string, _ int, r *counts.Repetition) { r.Work = counts.Work{} })
	}, open)
	check("no rows in one load", func(run *counts.Run) {
		each(run, func(load string, _ int, r *counts.Repetition) {
			if load == "wide" {
				r.Work = counts.Work{}
				r.Counts[made] = counts.Count{Amount: 0, Raw: 0, Seconds: 5}
			}
		})
	}, attribution.Logical, open)
	check("one repetition ten times as much", func(run *counts.Run) {
		each(run, func(load string, i int, r *counts.Repetition) {
			if c := r.Counts[made]; load == "copy" && i == 1 {
				r.Counts[made] = counts.Count{Amount: 10 * c.Amount, Raw: 10 * c.Raw, Seconds: c.Seconds}
			}
		})
	}, open, attribution.Logical)
}

func TestJudgeOfNothing(t *testing.T) {
	if all := attribution.Judge(&counts.Run{}, attribution.Options{}); len(all.Metrics) != 0 {
		t.Errorf("%v", all.Metrics)
	}
}

func TestWarnings(t *testing.T) {
	check := func(what, code, part string, spoil func(*counts.Run)) {
		t.Helper()
		run := with(t, of(metric.RowsWritten, 2))
		spoil(run)
		all := attribution.Judge(run, attribution.Options{})
		said := append(slices.Clone(all.Warnings), verdictOn(t, all, made).Warnings...)
		warned := slices.ContainsFunc(said, func(w attribution.Warning) bool {
			return w.Code == code && strings.Contains(w.Text, part)
		})
		if !warned {
			t.Errorf("%s: no word of %q in %v", what, part, said)
		}
	}
	each := func(change func(load string, repetition int, r *counts.Repetition)) func(*counts.Run) {
		return func(run *counts.Run) {
			for _, load := range run.Loads {
				for i := range load.Repetitions {
					change(load.Name, i, &load.Repetitions[i])
				}
			}
		}
	}
	add := func(metric string, amount float64, in string) func(*counts.Run) {
		return each(func(load string, _ int, r *counts.Repetition) {
			c := counts.Count{Seconds: 5}
			if load == in {
				c.Raw, c.Amount = amount, amount
			}
			r.Counts[metric] = c
		})
	}
	check("a load beyond the background", "background", "background under single", func(run *counts.Run) {
		single, _ := run.Load("single")
		c := single.Repetitions[0].Counts[made]
		run.Idle.PerSecond[made] = 0.3 * c.Raw / c.Seconds
	})
	check("one load off by a sixth", "odd-load", "under all loads except multi (",
		each(func(load string, _ int, r *counts.Repetition) {
			if c := r.Counts[made]; load == "multi" {
				r.Counts[made] = counts.Count{Amount: c.Amount * 1.16, Raw: c.Raw * 1.16, Seconds: c.Seconds}
			}
		}))
	check("more with each repetition", "drift", "factor of 1.04", each(func(_ string, i int, r *counts.Repetition) {
		c, grown := r.Counts[made], math.Pow(1.05, float64(i))
		r.Counts[made] = counts.Count{Amount: c.Amount * grown, Raw: c.Raw * grown, Seconds: c.Seconds}
	}))
	check("a checkpoint in one load", "checkpoints", "under wide", add("pgstat.checkpointer/checkpoints_req", 1, "wide"))
	check("below the background", "below-background", "in copy", each(func(load string, i int, r *counts.Repetition) {
		if load == "copy" && i == 0 {
			r.Counts[made] = counts.Count{Amount: -100, Raw: 10, Seconds: 5}
		}
	}))
	check("few loads", "few-loads", "2 loads", func(run *counts.Run) { run.Loads = run.Loads[:3] })
	check("loads that part nothing", "quantities-unparted", "statements and commits", func(run *counts.Run) {
		run.Loads = slices.DeleteFunc(run.Loads, func(a counts.Load) bool { return a.Name == "multi" })
	})
	check("no WAL records", "modelled", "WAL records were not counted (this run did not read pg_stat_wal.wal_records). "+
		"They are modelled", each(func(_ string, _ int, r *counts.Repetition) {
		delete(r.Counts, "pgstat.wal/wal_records")
	}))
}
