package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/purposes"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Cautions returns what applies to all numbers of a run, but for what its source lacked, which an order itself says.
func Cautions(run *counts.Run) (texts []string) {
	r := Report{Run: describe(run), Loads: loads(run), Metrics: metrics(run), Observed: observed(run)}
	for _, w := range warnings(run, r) {
		if w.Condition && w.Rank != document.Note && w.Code != "source-notice" || w.Code == notIdle {
			texts = append(texts, w.Text)
		}
	}
	return texts
}

const (
	notIdle     = "no-idle" // of a run without idle repetitions, which makes an order larger
	notIdleText = "The server was not measured idle, so every figure and verdict includes the work of other sessions and programs."
)

// warnings lists conditions first, then oddities of single figures.
func warnings(run *counts.Run, r Report) []Warning {
	all := []Warning{}
	condition := func(rank document.Rank, code, text string) {
		if text != "" {
			all = append(all, Warning{code, true, rank, text})
		}
	}
	settings := run.Header.Target.Settings
	if settings["fsync"] == "off" {
		condition(document.Void, "fsync-off",
			"fsync is off: the server never waits for the disk. With fsync on, flushes and requests would differ.")
	}
	if target := run.Header.Target; settings["fsync"] == "" && run.Header.Provenance == "" && target.Kind != "history" &&
		target.Kind != "directory" {
		condition(document.Doubt, "fsync-unknown",
			"Whether fsync is on is unknown: the setting was not read. With fsync off, the numbers are useless.")
	}
	condition(document.Void, "ram", run.Header.Target.Storage.MemoryText())
	condition(document.Doubt, "cached-disk", run.Header.Target.Storage.CachedText())
	condition(document.Note, "unfinished", unfinished(run))
	for _, text := range run.Header.Notices {
		condition(document.Doubt, "source-notice", strings.TrimSuffix(text, ".")+".")
	}
	condition(document.Doubt, "uncollected", run.Uncollected)
	condition(document.Note, "unpublished", run.Unpublished)
	if loaded, _ := fewestRepetitions(r.Loads); loaded > 0 && run.Idle.Repetitions == 0 && idlePlanned(run) {
		condition(document.Doubt, "no-idle", notIdleText)
	}
	if run.Observed != nil {
		condition(document.Note, "nothing-learned", nothingLearned(run.Observed))
		condition(document.Note, "only-periods", onlyPeriods(run.Observed))
		condition(document.Note, "uncontrolled", uncontrolled(run))
		condition(document.Note, "no-kind", sizing.NoKind(run))
		condition(document.Note, "clock-set-back", run.Observed.SetBack.Text())
		condition(document.Note, "server-unread", run.Observed.UnreadText())
		condition(document.Note, "windows-lacking", run.Observed.LackingText())
		condition(document.Doubt, "requests-too-small", sizes.TooSmall(run))
	}
	if settings["full_page_writes"] == "off" {
		condition(document.Doubt, "full-page-writes-off", "full_page_writes is off: a crash-safe server writes more WAL.")
	}
	if settings["synchronous_commit"] == "off" {
		condition(document.Note, "synchronous-commit-off",
			"synchronous_commit is off: commits do not wait for the WAL, so there are fewer flushes than commits.")
	}
	if settings["track_counts"] == "off" {
		condition(document.Doubt, "track-counts-off",
			"track_counts is off, so the server does not count rows, tables and indexes.")
	}
	if run.Header.Target.Pooler && run.Observed == nil {
		condition(document.Doubt, "pooler",
			"realiops reached the server through a connection pooler, so the figures may include other sessions' work.")
	}
	condition(document.Doubt, "checksums-under-way", run.Header.Target.ChecksumsText())
	condition(document.Doubt, "settings-changed", run.ChangesText())
	condition(document.Doubt, "others-worked", run.OthersText())
	if run.Observed == nil || run.Observed.Period == 0 {
		condition(document.Note, "device-unknown", deviceUnknown(r.Loads, r.Metrics.ofDisk()))
	}
	condition(document.Doubt, "metric-unannounced", run.Undescribed)
	if run.Observed == nil {
		condition(document.Doubt, "counters-unknown", run.CountersUnknown())
		condition(document.Note, "counted-in-part", countedInPart(r.Loads))
	}
	condition(document.Doubt, "device-unseen", unseen(run.Header.Target.Storage))
	condition(document.Doubt, "shared-device", sharedDevice(r))
	condition(document.Note, "others-on-device", purposes.Others(run))
	return append(all, oddities(run, r)...)
}

func idlePlanned(run *counts.Run) bool { return slices.ContainsFunc(run.Loads, counts.Load.Idle) }

// unfinished says how an incomplete run ended.
func unfinished(run *counts.Run) string {
	const shown = " The report shows what was measured until then."
	because := func(text string) string {
		if run.Ended.Cause == "" {
			return text + "." + shown
		}
		return text + ": " + strings.TrimSuffix(run.Ended.Cause, ".") + "." + shown
	}
	switch {
	case run.Ended == nil && run.Torn != nil:
		return fmt.Sprintf("The run was cut off while writing line %d of its file.%s", run.Torn.Line, shown)
	case run.Ended == nil:
		return "The run was cut off: its file has no end." + shown
	case run.Ended.Status == runfile.Interrupted:
		return because("The run was interrupted")
	case run.Ended.Status != runfile.Complete:
		return because("The run failed")
	default:
		return ""
	}
}

// deviceUnknown says why no load has a count of requests to the device. The rest of its work may have been counted.
func deviceUnknown(loads []Load, inPart bool) string {
	var why *series.Missing
	for _, a := range loads {
		requests := a.Of(metric.DeviceRequests)
		if requests.Known() {
			return ""
		}
		if a.Repetitions > 0 {
			why = requests.Missing
		}
	}
	if why == nil {
		return ""
	}
	because := ""
	if why.Reason != counts.NotRecorded {
		because = " (" + words.WhyNot(why) + ")"
	}
	if inPart {
		return "The device's requests are unknown" + because + ", so no other count is compared with them."
	}
	return "The device was not read" + because + ", so nothing here shows real storage I/O."
}

// ofDisk reports whether any count of the disk's work was read.
func (all Metrics) ofDisk() bool {
	return slices.ContainsFunc(all, func(m Metric) bool {
		return strings.HasPrefix(m.Metric, "block/") && m.Missing == nil
	})
}

// countedInPart names the loads that have a count in only some repetitions.
func countedInPart(loads []Load) string {
	of := func(q metric.Quantity) (parts []string) {
		if !slices.ContainsFunc(loads, func(a Load) bool { return a.Of(q).Known() }) {
			return nil
		}
		for _, a := range loads {
			if n := a.Of(q).N; !a.Idle && n < a.Repetitions {
				parts = append(parts, fmt.Sprintf("%d of %d of %s", n, a.Repetitions, a.Name))
			}
		}
		return parts
	}
	requests, bytes := of(metric.DeviceRequests), of(metric.DeviceBytes)
	if slices.Equal(bytes, requests) {
		bytes = nil
	}
	const some = " in only some repetitions"
	return words.Sentences(words.Listing("The device was read"+some, requests),
		words.Listing("The device's bytes were read"+some, bytes),
		words.Listing("WAL records were counted"+some, of(metric.WALRecords)))
}

// oddities returns the warnings about single repetitions and the file.
func oddities(run *counts.Run, r Report) (all []Warning) {
	odd := func(code, text string) {
		if text != "" {
			all = append(all, Warning{Code: code, Rank: document.Note, Text: text})
		}
	}
	loaded, fewest := fewestRepetitions(r.Loads)
	switch {
	case run.Observed != nil:
		fewest = 0 // there are as many windows as there was time for
	case loaded == 0:
		odd("nothing-measured", "No load completed, so there is nothing to compare.")
	case run.Idle.Repetitions == 0 && !idlePlanned(run):
		odd(notIdle, notIdleText)
	}
	odd("background-moved", backgroundMoved(run, r.Loads))
	if from := run.Header.Provenance; from != "" {
		odd("provenance", "Sources of the figures: "+strings.TrimSuffix(from, ".")+".")
	}
	odd("digitized", digitized(run))
	for _, text := range differences(run, r.Metrics) {
		odd("one-thing-more", text)
	}
	odd("claimed", claimed(run, r))
	for _, text := range notCold(run.Loads) {
		odd("not-cold", text)
	}
	odd("few-repetitions", fewRepetitions(fewest))
	odd("not-run", notRun(r.Loads))
	for _, text := range allLeftOut(r.Loads) {
		odd("left-out", text)
	}
	for _, a := range r.Loads {
		for _, text := range a.leftOut() {
			odd("left-out", text)
		}
		if a.Failures.Value > 0 {
			odd("failures", fmt.Sprintf("%s transactions/s of %s failed.", a.Failures.Rate(1), a.Name))
		}
	}
	for _, n := range run.Notes {
		odd(n.Code, n.Text+".")
	}
	return all
}

// claimed says why WriteIOPS is said to count WAL records, and whether this run confirms it.
func claimed(run *counts.Run, r Report) string {
	i := slices.IndexFunc(r.Metrics, func(m Metric) bool { return m.Metric == metric.CloudWatchWriteIOPS })
	switch {
	case i < 0 || run.Header.Target.Flavor != "aurora":
		return ""
	case r.Metrics[i].contradictsItsDocument():
		return metric.WriteIOPSOnAurora + " This run contradicts it."
	}
	return metric.WriteIOPSOnAurora
}

// digitized says which figures were read off charts.
func digitized(run *counts.Run) string {
	var of []string
	worst := 0.0
	for _, o := range run.Origins {
		if o.How == runfile.Digitized {
			of, worst = append(of, o.Load), max(worst, o.Error)
		}
	}
	if len(of) == 0 {
		return ""
	}
	return fmt.Sprintf("The figures of %s were read off charts, give or take %s.", strings.Join(slices.Compact(of), ", "),
		number.Percent(worst))
}

// allLeftOut names the loads without a repetition that is used, by the reason if that is one.
func allLeftOut(loads []Load) []string {
	var g words.Gathered
	for _, a := range loads {
		if a.whyAll() != "" {
			g.Add(a.whyAll(), a.Name)
		}
	}
	return g.Sentences(func(names, why string) string {
		return "All repetitions of " + names + " were left out: " + strings.TrimSuffix(why, ".") + "."
	})
}

// whyAll returns why all of several repetitions were left out, if that is one reason; else it is empty.
func (a Load) whyAll() string {
	if a.Repetitions > 0 || len(a.LeftOut) < 2 || slices.ContainsFunc(a.LeftOut, func(l LeftOut) bool {
		return l.Reason != a.LeftOut[0].Reason
	}) {
		return ""
	}
	return a.LeftOut[0].Reason
}

// leftOut says why repetitions of the load were left out, up to a few.
func (a Load) leftOut() (texts []string) {
	if a.whyAll() != "" {
		return nil
	}
	for i, l := range a.LeftOut {
		if i == leftOutShown && i+1 < len(a.LeftOut) {
			return append(texts, fmt.Sprintf("%d more repetitions of %s were left out.", len(a.LeftOut)-i, a.Name))
		}
		texts = append(texts, fmt.Sprintf("Repetition %d of %s was left out: %s.", l.Repetition, a.Name,
			strings.TrimSuffix(l.Reason, ".")))
	}
	return texts
}

// notCold names the cold loads that may have found some of their table in memory, by reason.
func notCold(loads []counts.Load) []string {
	var g words.Gathered
	for _, l := range loads {
		for _, why := range l.Warm {
			g.Add(why, l.Name)
		}
	}
	return g.Sentences(func(names, why string) string {
		return "Memory may have answered part of " + names + ": " + strings.TrimSuffix(why, ".") + "."
	})
}

// notRun names the planned loads that are not in the file.
func notRun(loads []Load) string {
	absent := slices.DeleteFunc(slices.Clone(loads), func(a Load) bool { return a.Repetitions > 0 || len(a.LeftOut) > 0 })
	return words.Listing("Planned but not measured", Names(absent))
}

const (
	// leftOutShown is the number of left-out repetitions of a load that are named one by one.
	leftOutShown = 3
	// enoughRepetitions show roughly how far figures vary.
	enoughRepetitions = 3
)

// fewestRepetitions returns the number of measured loads, idle left out, and the fewest repetitions of those that were
// to have as many as others.
func fewestRepetitions(loads []Load) (loaded, fewest int) {
	for _, a := range loads {
		if a.Idle || a.Repetitions == 0 {
			continue
		}
		loaded++
		if asPlanned := a.MostRepetitions > 0 && a.Repetitions >= a.MostRepetitions; !asPlanned &&
			(fewest == 0 || a.Repetitions < fewest) {
			fewest = a.Repetitions
		}
	}
	return loaded, fewest
}

func fewRepetitions(n int) string {
	switch {
	case n == 0 || n >= enoughRepetitions:
		return ""
	case n == 1:
		return "A load has only 1 repetition, so the spread of its figures is unknown."
	default:
		return fmt.Sprintf("A load has only %d repetitions, too few to show how much its figures vary.", n)
	}
}

// conditions returns the warnings that apply to the whole run.
func (r Report) conditions() document.Warnings {
	return r.warned(func(w Warning) bool { return w.Condition })
}

// warned returns some warnings as pages show them.
func (r Report) warned(of func(Warning) bool) (all document.Warnings) {
	for _, w := range r.Warnings {
		if of(w) {
			all = append(all, document.Warning{Rank: w.Rank, Text: w.Text})
		}
	}
	return all
}

func (r Report) remarks() (texts []string) {
	for _, w := range r.Warnings {
		if said := w.Code == "claimed" || w.Code == "nothing-measured"; !w.Condition && !said {
			texts = append(texts, w.Text)
		}
	}
	return texts
}
