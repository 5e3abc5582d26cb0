package attribution_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/drivers"
)

// TestBadInput spoils a run whose metric counts rows: the verdict may become undetermined, with a reason, and never
// another one.
func TestBadInput(t *testing.T) {
	check := func(what string, spoil func(*drivers.Run), kinds ...attribution.Kind) {
		t.Helper()
		run := with(t, of(drivers.Rows, 2))
		spoil(run)
		v := judged(t, run)
		if !slices.Contains(kinds, v.Kind) || v.Counts != "" && v.Counts != drivers.Rows || v.Kind == attribution.Undetermined && v.Why == "" {
			t.Errorf("%s: %s %q %v: %s", what, v.Kind, v.Counts, v.Mixture, v.Why)
		}
	}
	each := func(run *drivers.Run, change func(arm string, replicate int, r *drivers.Replicate)) {
		for _, arm := range run.Arms {
			for i := range arm.Replicates {
				change(arm.Name, i, &arm.Replicates[i])
			}
		}
	}
	keep := func(names ...string) func(*drivers.Run) {
		return func(run *drivers.Run) {
			run.Arms = slices.DeleteFunc(run.Arms, func(a drivers.Arm) bool { return !slices.Contains(names, a.Name) })
		}
	}
	show := func(value float64, where ...string) func(*drivers.Run) {
		return func(run *drivers.Run) {
			each(run, func(arm string, i int, r *drivers.Replicate) {
				if len(where) == 0 || slices.Contains(where, arm) {
					r.Counts[made] = drivers.Count{Amount: value, Raw: value, Seconds: 5}
				}
			})
		}
	}
	open := attribution.Undetermined
	check("as it is", func(*drivers.Run) {}, attribution.Logical)
	check("nothing measured", keep(), open)
	check("idle alone", keep("idle"), open)
	check("one arm", keep("idle", "bulk"), open)
	check("two arms that part nothing", keep("idle", "single", "async"), open, attribution.Logical)
	check("no idle arm", keep("bulk", "bulk-indexed", "copy", "copy-indexed", "single", "async", "multi", "wide"), attribution.Logical)
	check("not a number", show(math.NaN()), open)
	check("without end", show(math.Inf(1)), open)
	check("beyond any counter", show(1e300), open)
	check("negative", show(-1e6), open)
	check("negative in one arm", show(-1e6, "copy"), open)
	check("not a number in one arm", show(math.NaN(), "copy"), attribution.Logical)
	check("replicates of one", func(run *drivers.Run) {
		for i := range run.Arms {
			run.Arms[i].Replicates = run.Arms[i].Replicates[:1]
		}
	}, open, attribution.Logical)
	check("no rows", func(run *drivers.Run) {
		each(run, func(_ string, _ int, r *drivers.Replicate) { r.Work = drivers.Work{} })
	}, open)
	check("no rows in one arm", func(run *drivers.Run) {
		each(run, func(arm string, _ int, r *drivers.Replicate) {
			if arm == "wide" {
				r.Work = drivers.Work{}
				r.Counts[made] = drivers.Count{Amount: 0, Raw: 0, Seconds: 5}
			}
		})
	}, attribution.Logical, open)
	check("one replicate ten times as much", func(run *drivers.Run) {
		each(run, func(arm string, i int, r *drivers.Replicate) {
			if c := r.Counts[made]; arm == "copy" && i == 1 {
				r.Counts[made] = drivers.Count{Amount: 10 * c.Amount, Raw: 10 * c.Raw, Seconds: c.Seconds}
			}
		})
	}, open, attribution.Logical)
}

// TestJudgeOfNothing: no arms, no metrics, no header.
func TestJudgeOfNothing(t *testing.T) {
	if all := attribution.Judge(&drivers.Run{}, attribution.Options{}); len(all.Metrics) != 0 {
		t.Errorf("%v", all.Metrics)
	}
}

func TestWarnings(t *testing.T) {
	check := func(what, code, part string, spoil func(*drivers.Run)) {
		t.Helper()
		run := with(t, of(drivers.Rows, 2))
		spoil(run)
		all := attribution.Judge(run, attribution.Options{})
		said := append(slices.Clone(all.Warnings), verdictOn(t, all, made).Warnings...)
		warned := slices.ContainsFunc(said, func(w attribution.Warning) bool { return w.Code == code && strings.Contains(w.Text, part) })
		if !warned {
			t.Errorf("%s: no word of %q in %v", what, part, said)
		}
	}
	each := func(change func(arm string, replicate int, r *drivers.Replicate)) func(*drivers.Run) {
		return func(run *drivers.Run) {
			for _, arm := range run.Arms {
				for i := range arm.Replicates {
					change(arm.Name, i, &arm.Replicates[i])
				}
			}
		}
	}
	add := func(metric string, amount float64, in string) func(*drivers.Run) {
		return each(func(arm string, _ int, r *drivers.Replicate) {
			c := drivers.Count{Seconds: 5}
			if arm == in {
				c.Raw, c.Amount = amount, amount
			}
			r.Counts[metric] = c
		})
	}
	check("an arm beyond the background", "background", "in single", each(func(arm string, _ int, r *drivers.Replicate) {
		if c := r.Counts[made]; arm == "single" {
			r.Counts[made] = drivers.Count{Amount: c.Amount, Raw: 2 * c.Raw, Seconds: c.Seconds}
		}
	}))
	check("one arm off by a sixth", "odd-arm", "multi, where it is", each(func(arm string, _ int, r *drivers.Replicate) {
		if c := r.Counts[made]; arm == "multi" {
			r.Counts[made] = drivers.Count{Amount: c.Amount * 1.16, Raw: c.Raw * 1.16, Seconds: c.Seconds}
		}
	}))
	check("more with each replicate", "drift", "factor of 1.04", each(func(_ string, i int, r *drivers.Replicate) {
		c, grown := r.Counts[made], math.Pow(1.05, float64(i))
		r.Counts[made] = drivers.Count{Amount: c.Amount * grown, Raw: c.Raw * grown, Seconds: c.Seconds}
	}))
	check("a checkpoint in one arm", "checkpoints", "in wide", add("pgstat.checkpointer/checkpoints_req", 1, "wide"))
	check("below the background", "below-background", "in copy", each(func(arm string, i int, r *drivers.Replicate) {
		if arm == "copy" && i == 0 {
			r.Counts[made] = drivers.Count{Amount: -100, Raw: 10, Seconds: 5}
		}
	}))
	check("few arms", "few-arms", "2 loads", func(run *drivers.Run) { run.Arms = run.Arms[:3] })
	check("arms that part nothing", "drivers-unparted", "statements and commits", func(run *drivers.Run) {
		run.Arms = slices.DeleteFunc(run.Arms, func(a drivers.Arm) bool { return a.Name == "multi" })
	})
	check("no WAL records", "modelled", "WAL records were not counted (this run did not read pgstat.wal/wal_records) but modelled", each(func(_ string, _ int, r *drivers.Replicate) {
		delete(r.Counts, "pgstat.wal/wal_records")
	}))
}
