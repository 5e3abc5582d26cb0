package report

import (
	"slices"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/report/words"
)

// New makes the report of a run, with the verdict on each of its metrics.
func New(run *counts.Run, verdicts attribution.Verdicts) Report {
	r := Report{
		Schema:  Schema,
		Run:     describe(run),
		Loads:   loads(run),
		Metrics: judge(metrics(run), verdicts),
	}
	r.Headline = headline(run, r.Loads, r.Metrics)
	r.Observed = observed(run)
	r.Pairs, r.Volumes = comparedPairs(run), sizes.Volumes(run)
	r.Warnings = warnings(run, r)
	r.Warnings = r.warnedOf(verdicts)
	return r
}

// warnedOf adds the warnings of the verdicts, unless their code is already there or there is nothing to judge.
func (r Report) warnedOf(verdicts attribution.Verdicts) []Warning {
	all := r.Warnings
	if len(r.Loads.Loaded()) == 0 {
		return all
	}
	for _, w := range verdicts.Warnings {
		if !slices.ContainsFunc(r.Warnings, func(earlier Warning) bool { return earlier.Code == w.Code }) {
			all = append(all, Warning{Code: w.Code, Rank: document.Note, Text: words.Sentences(w.Text)})
		}
	}
	return all
}

func describe(run *counts.Run) Run {
	h := run.Header
	status, cause := run.Ended.How()
	return Run{
		ID: h.ID, Start: h.Start, Status: status, Cause: cause, Realiops: h.Version, Flavor: h.Target.Flavor,
		Target: h.Target, Host: h.Host,
		Plan: h.Plan.Name, Loads: h.Plan.Loaded(), Repetitions: h.Plan.Repetitions, LoadSeconds: h.Plan.LoadSeconds,
		Seed:            h.Plan.Seed,
		IdleRepetitions: run.Idle.Repetitions, OfServer: run.OfServer, Provenance: h.Provenance, Origins: run.Origins,
		SettingsChanged: run.SettingChanges,
	}
}
