package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// periodic holds the values of one or several metrics in each period of their source.
type periodic struct {
	name    string
	levels  []counts.Level
	highest float64 // within the periods; NaN: unknown
	unit    float64 // divisor of the values shown
}

// hasOnlyPeriods reports whether a source has only periods, so that nothing can be judged.
func hasOnlyPeriods(run *counts.Run) bool { return run.Observed != nil && run.Observed.Period > 0 }

// periodsDocument returns the report of a history of periods: rates, and no verdicts.
func periodsDocument(run *counts.Run, r Report, d document.Document) document.Document {
	d.Heading = "What storage did"
	requests, bytes, known := requestsAndBytes(run)
	d.Blocks = r.periodsBlocks(run)
	if known {
		d.Blocks = append(d.Blocks, dayTable(requests, bytes))
	}
	d.Blocks = append(d.Blocks, slices.DeleteFunc(r.conditions(), doubt), document.Only(document.InCSV, everyPeriod(run)))
	if r.Run.Provenance != "" {
		d.Blocks = append(d.Blocks, words.Faint("Sources of the figures: "+r.Run.Provenance+"."))
	}
	return d
}

// everyPeriod returns a row for each value of a source, for programs.
func everyPeriod(run *counts.Run) document.Table {
	t := document.Table{Columns: []document.Column{document.Wordy("metric"), document.Wordy("statistic"), document.Wordy("from"),
		document.Wordy("to"), document.Numeric("value")}}
	for _, m := range run.Metrics() {
		for _, statistic := range []string{runfile.Average, runfile.Minimum, runfile.Maximum, runfile.Sum} {
			for _, l := range run.Rates(m.Name, statistic) {
				t.Rows = append(t.Rows, document.Row{Cells: []document.Cell{document.Words(m.Name), document.Words(statistic),
					document.Words(l.From.UTC().Format(time.RFC3339)), document.Words(l.To.UTC().Format(time.RFC3339)),
					document.Number(number.Rate(l.Value), l.Value)}})
			}
		}
	}
	return t
}

// periodsAnswer returns the report on one screen: without the hours of the day.
func periodsAnswer(run *counts.Run, r Report, d document.Document) document.Document {
	d.Blocks = append(r.periodsBlocks(run), slices.DeleteFunc(r.conditions(), doubt), screen{Report: r}.next())
	return d
}

// periodsBlocks shows storage in the worst period, and how the periods differ.
func (r Report) periodsBlocks(run *counts.Run) (blocks []document.Block) {
	all := periodicMetrics(run)
	requests, bytes, known := requestsAndBytes(run)
	if known {
		blocks = append(blocks, document.Paragraph{Text: periodsHeadline(requests, bytes, run), Style: document.Headline})
	} else if text := storageUnknown(run); text != "" {
		blocks = append(blocks, document.Paragraph{Text: text, Style: document.Headline})
	}
	blocks = append(blocks, slices.DeleteFunc(r.conditions(), note),
		document.Only(document.OnPages, words.Faint(r.when())), words.Faint(r.periodsTarget(run, all)))
	if known {
		all = append([]periodic{requests, bytes}, all...)
	}
	return append(blocks, percentilesTable(all, run.Observed.Period))
}

// periodsTarget names the server and the time range of the periods.
func (r Report) periodsTarget(run *counts.Run, all []periodic) string {
	var observed runfile.Stretch
	for _, k := range all {
		observed.Extend(k.levels[0].From, k.levels[len(k.levels)-1].To)
	}
	return r.Server() + "; observed for " + words.Span(observed.To.Sub(observed.From).Seconds())
}

// hasOnlyDisks reports whether only disks were recorded.
func hasOnlyDisks(run *counts.Run) bool {
	return !slices.ContainsFunc(run.Metrics(), func(m counts.Metric) bool {
		return !slices.Contains(needs.OfDisk().Names(), m.Name)
	})
}

const perMB = 1e6

func periodicMetrics(run *counts.Run) (all []periodic) {
	version := metric.VersionNum(run.Header.Target.Version)
	for _, m := range run.Metrics() {
		k := periodic{name: metric.Printed(m.Name, version), levels: run.Rates(m.Name, runfile.Average),
			highest: math.NaN(), unit: 1}
		if len(k.levels) == 0 {
			k.levels = run.Rates(m.Name, runfile.Sum)
		}
		if len(k.levels) == 0 {
			continue
		}
		if hasOnlyDisks(run) { // its kernel was not asked
			k.name = strings.TrimPrefix(k.name, "/proc/diskstats ")
		}
		for _, l := range run.Rates(m.Name, runfile.Maximum) {
			k.highest = max(l.Value, number0(k.highest))
		}
		if strings.Contains(m.Unit, "bytes") {
			k.unit, k.name = perMB, k.name+", MB"
		}
		all = append(all, k)
	}
	return all
}

// number0 returns v, or 0 for NaN.
func number0(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// requestsAndBytes returns the requests and bytes of all periods in which reads and writes of both are known.
func requestsAndBytes(run *counts.Run) (requests, bytes periodic, known bool) {
	of, flavor := needs.OfDisk(), run.Header.Target.Flavor
	if len(run.Rates(of.Writes, runfile.Average)) == 0 {
		of = needs.OfInstance()
	}
	if flavor == "aurora" || flavor != "rds" && of == needs.OfInstance() { // Aurora's WriteIOPS are WAL records
		return requests, bytes, false
	}
	add := func(name string, per float64, metrics ...string) periodic {
		k := periodic{name: name, highest: math.NaN(), unit: per}
		sums, n := map[time.Time]counts.Level{}, map[time.Time]int{}
		for _, m := range metrics {
			for _, l := range run.Rates(m, runfile.Average) {
				sum := sums[l.From]
				sums[l.From] = counts.Level{From: l.From, To: l.To, Value: sum.Value + l.Value}
				n[l.From]++
			}
		}
		for at, l := range sums {
			if n[at] == len(metrics) {
				k.levels = append(k.levels, l)
			}
		}
		slices.SortFunc(k.levels, func(a, b counts.Level) int { return a.From.Compare(b.From) })
		return k
	}
	requests, bytes = add("requests", 1, of.Reads, of.Writes), add("MB", perMB, of.ReadBytes, of.WriteBytes)
	return requests, bytes, len(requests.levels) > 0 && len(bytes.levels) > 0
}

// storageUnknown says what is missing to know requests and bytes; empty if nothing is, or the server has no storage of
// its own.
func storageUnknown(run *counts.Run) string {
	of := needs.OfInstance()
	if hasOnlyDisks(run) {
		of = needs.OfDisk()
	}
	missing := slices.DeleteFunc(of.Names(), func(m string) bool { return len(run.Rates(m, runfile.Average)) > 0 })
	switch flavor := run.Header.Target.Flavor; {
	case flavor == "aurora", len(missing) == 0 && (flavor == "rds" || hasOnlyDisks(run)):
		return ""
	case len(missing) == 0:
		return "What storage did is unknown: Aurora's WriteIOPS are WAL records. Pass --flavor to realiops history."
	}
	printed := words.Each(func(m string) string { return metric.Printed(m, 0) }, missing)
	return "What storage did is unknown, since the mean of " + words.Enumerated(printed, " and ") + " is missing."
}

func (k periodic) ranked() (values []float64) {
	for _, l := range k.levels {
		values = append(values, l.Value/k.unit)
	}
	slices.Sort(values)
	return values
}

func (k periodic) at(percent float64) float64 {
	values := k.ranked()
	return values[max(0, int(math.Ceil(percent/100*float64(len(values))))-1)]
}

func (k periodic) mean() float64 {
	sum := 0.0
	for _, v := range k.ranked() {
		sum += v
	}
	return sum / float64(len(k.levels))
}

func (k periodic) worst() counts.Level {
	return slices.MaxFunc(k.levels, func(a, b counts.Level) int { return cmp.Compare(a.Value, b.Value) })
}

func periodsHeadline(requests, bytes periodic, run *counts.Run) string {
	singular, _ := needs.Stretches(run.Observed.Period)
	r, b := requests.worst(), bytes.worst()
	const sector = 512 // bytes
	sentences := []string{fmt.Sprintf("In its busiest %s, %s UTC, storage did %s requests/s; the median is %s, and "+
		"99%% are at most %s. The highest throughput was %s MB/s, %s UTC.",
		singular, r.From.Format("2 Jan 15:04"), number.Rate(r.Value), number.Rate(requests.at(50)),
		number.Rate(requests.at(99)), number.Rate(b.Value/perMB), b.From.Format("2 Jan 15:04"))}
	if r.Value == 0 && b.Value == 0 {
		sentences = []string{"Storage did nothing at all in this time: is it the right disk?"}
	}
	for _, odd := range words.Filled(needs.HoleIn(run).String(), sizing.AgainstRule(run)) {
		sentences = append(sentences, odd+".")
	}
	if each := bytes.mean() * perMB / requests.mean(); requests.mean() >= 1 && each < sector {
		sentences = append(sentences, fmt.Sprintf("Its requests would carry %s bytes each, but the minimum is %d: "+
			"the bytes or the requests here are another metric.", number.Rate(each), sector))
	}
	return strings.Join(sentences, " ")
}

func percentilesTable(all []periodic, period time.Duration) document.Block {
	singular, plural := needs.Stretches(period)
	t := document.Table{Columns: []document.Column{{Header: "a second", Words: true}, {Header: "mean"},
		{Header: "median"}, {Header: "95%"}, {Header: "99%"},
		{Header: "worst " + singular}, {Header: "when, UTC", Words: true}, {Header: "highest within"}}}
	cell := func(v float64) document.Cell { return document.Number(number.Rate(v), v) }
	for _, k := range all {
		within := document.Words("-")
		if !math.IsNaN(k.highest) {
			within = cell(k.highest / k.unit)
		}
		worst := k.worst()
		t.Rows = append(t.Rows, document.Row{Cells: []document.Cell{document.Words(k.name), cell(k.mean()),
			cell(k.at(50)), cell(k.at(95)), cell(k.at(99)),
			cell(worst.Value / k.unit), document.Words(worst.From.Format("2 Jan 15:04")), within}})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return document.Titled("Percentiles of its "+plural, t, document.Notes{})
}

// dayTable returns the hours of the day, over all days.
func dayTable(requests, bytes periodic) document.Block {
	const hours = 24
	type slot struct {
		n, sum, most [2]float64 // of requests and of MB
	}
	var slots [hours]slot
	for i, k := range []periodic{requests, bytes} {
		for _, l := range k.levels {
			s := &slots[l.From.UTC().Hour()]
			s.n[i]++
			s.sum[i], s.most[i] = s.sum[i]+l.Value/k.unit, max(s.most[i], l.Value/k.unit)
		}
	}
	t := document.Table{Columns: []document.Column{{Header: "hour, UTC", Words: true}, {Header: "requests/s"},
		{Header: "highest"}, {Header: "MB/s"}, {Header: "highest"}}}
	for h, s := range slots {
		if s.n[0]+s.n[1] == 0 {
			continue
		}
		cells := []document.Cell{document.Words(fmt.Sprintf("%02d:00", h))}
		for i := range s.sum {
			if s.n[i] == 0 {
				cells = append(cells, document.Words("-"), document.Words("-"))
				continue
			}
			mean := s.sum[i] / s.n[i]
			cells = append(cells, document.Number(number.Rate(mean), mean),
				document.Number(number.Rate(s.most[i]), s.most[i]))
		}
		t.Rows = append(t.Rows, document.Row{Cells: cells})
	}
	return document.Titled("By hour of the day", t, document.Notes{})
}
