package storage

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/shell"
)

// Document shows the performance of storage. run has the seconds of a throttled job, for the pictures.
func (b Baseline) Document(run *counts.Run) document.Document {
	d := document.Document{
		Title:   "realiops: storage of " + b.Run.Storage.Directory + ", " + b.Run.Start.Format("2006-01-02"),
		Heading: "What does this storage deliver?",
	}
	cautions := slices.Concat(b.without(), b.Warnings, b.findings())
	d.Blocks = []document.Block{
		document.Together{words.Faint(b.head()), document.Doubts(cautions)},
		document.Only(document.OnPages, b.answers()),
		b.sideBySide(),
		document.Titled("What fio reports (per second; times in ms, of the slowest kind of operation)",
			b.table(fioColumns())),
		b.deviceSection(),
		b.course(run),
		document.Titled("The same write through the page cache", document.Paragraph{Text: b.bufferedText()}),
		document.Titled(throttled, together(b.throttleLines())),
		document.Only(document.OnPages, b.method()),
		document.Only(document.InCSV, b.everyJob()),
	}
	return d
}

// without names the jobs without a result, by reason.
func (b Baseline) without() []string {
	var g words.Gathered
	for _, out := range b.LeftOut {
		g.Add(strings.TrimSuffix(strings.TrimPrefix(out.Why, out.Job+": "), "."), out.Job)
	}
	return g.Sentences(func(jobs, why string) string { return "No result of " + jobs + ": " + why + "." })
}

// together returns paragraphs without blank lines between them.
func together(lines []string) document.Together {
	return words.Each(func(line string) document.Block { return document.Paragraph{Text: line} }, lines)
}

func (b Baseline) findings() (all []string) {
	for _, j := range b.Jobs {
		for _, f := range j.Findings {
			all = append(all, j.Name+": "+f+".")
		}
	}
	return all
}

func (b Baseline) head() string {
	text := fmt.Sprintf("%s on %s", b.Run.Program, b.Run.Storage.Directory)
	if s := b.Run.Storage; s.Device != "" {
		text += fmt.Sprintf(", device %s (%s)", s.Device, s.FileSystem)
	} else if s.FileSystem != "" {
		text += fmt.Sprintf(" (%s)", s.FileSystem)
	}
	if !b.Run.Direct {
		text += "; no direct I/O"
	}
	text += fmt.Sprintf("; jobs: %s, on %s MiB", b.Run.Set, number.Grouped(float64(b.Run.SizeBytes)/(1<<20), 0))
	if b.Run.Status != "complete" {
		text += "; " + b.Run.Status
	}
	return text
}

// jobColumn is a column of a table of jobs.
type jobColumn struct {
	header string
	of     func(BaselineJob) document.Cell
}

func (b Baseline) table(columns []jobColumn) document.Table {
	t := document.Grid[BaselineJob]{Of: b.Jobs}
	t.Wordy("job", func(j BaselineJob) string { return j.Name })
	for _, c := range columns {
		t.Numeric(c.header, c.of)
	}
	return t.Table
}

// milliseconds formats a time that may be missing.
func milliseconds(seconds float64) document.Cell {
	if !number.Finite(seconds) {
		return document.Words("-")
	}
	return document.Number(number.Milliseconds(seconds), seconds)
}

func fioColumns() []jobColumn {
	latency := func(pick func(*baseline.Latency) float64) func(BaselineJob) document.Cell {
		return func(j BaselineJob) document.Cell {
			if l := j.Fio.slow(); l != nil {
				return milliseconds(pick(l))
			}
			return document.Words("-")
		}
	}
	done := func(pick func(BaselineFio) float64) func(BaselineJob) document.Cell {
		return func(j BaselineJob) document.Cell {
			if v := pick(j.Fio); v != 0 {
				return words.Known(&v)
			}
			return document.Words("") // there were none
		}
	}
	return []jobColumn{
		{"reads", done(func(f BaselineFio) float64 { return f.Reads })},
		{"writes", done(func(f BaselineFio) float64 { return f.Writes })},
		{"flushes", done(func(f BaselineFio) float64 { return f.Syncs })},
		{"MB", func(j BaselineJob) document.Cell {
			return words.Known(new((j.Fio.ReadBytes + j.Fio.WriteBytes) / number.Mega))
		}},
		{"mean", latency(func(l *baseline.Latency) float64 { return l.Mean })},
		{"p50", latency(func(l *baseline.Latency) float64 { return l.P50 })},
		{"p99", latency(func(l *baseline.Latency) float64 { return l.P99 })},
		{"latency", func(j BaselineJob) document.Cell { return document.Words(j.Band) }},
	}
}

// deviceSection shows the kernel's figures, and why they are missing for some jobs.
func (b Baseline) deviceSection() document.Block {
	blocks := document.Together{b.table(deviceColumns())}
	var reasons []string
	for _, j := range b.Jobs {
		if j.Missing != nil && !slices.Contains(reasons, j.Missing.Detail) {
			reasons = append(reasons, j.Missing.Detail)
		}
	}
	return document.Titled("What the device did meanwhile, as the kernel counted it",
		append(blocks, document.List(reasons)))
}

func deviceColumns() []jobColumn {
	device := func(pick func(BaselineDevice) document.Cell) func(BaselineJob) document.Cell {
		return func(j BaselineJob) document.Cell {
			if j.Device == nil {
				return document.Words("-")
			}
			return pick(*j.Device)
		}
	}
	ratio := func(v float64) document.Cell { return document.Number(number.Ratio(v), v) }
	return []jobColumn{
		{"requests", device(func(d BaselineDevice) document.Cell { return words.Known(&d.Requests) })},
		{"for one of\u00a0fio's", func(j BaselineJob) document.Cell {
			if !number.Finite(j.Factor) {
				return document.Words("-")
			}
			return ratio(j.Factor)
		}},
		{"merged", device(func(d BaselineDevice) document.Cell { return words.Known(&d.Merged) })},
		{"flushes", device(func(d BaselineDevice) document.Cell { return words.Known(&d.Flushes) })},
		{"MB", device(func(d BaselineDevice) document.Cell {
			return words.Known(new((d.ReadBytes + d.WriteBytes) / number.Mega))
		})},
		{"read ms", device(func(d BaselineDevice) document.Cell { return milliseconds(d.ReadLatency) })},
		{"write ms", device(func(d BaselineDevice) document.Cell { return milliseconds(d.WriteLatency) })},
		{"flush ms", device(func(d BaselineDevice) document.Cell { return milliseconds(d.FlushLatency) })},
		{"queue", device(func(d BaselineDevice) document.Cell { return ratio(d.Queue) })},
	}
}

func (b Baseline) bufferedText() string {
	s := b.Buffered
	if s == nil {
		return ""
	}
	megabytes := func(v float64) string { return number.Rate(v / number.Mega) }
	text := fmt.Sprintf("Through the page cache, as with dd, the write reports %s MB/s.", megabytes(s.Said))
	if number.Finite(s.Direct) {
		text += fmt.Sprintf(" With direct I/O it reported %s MB/s.", megabytes(s.Direct))
	}
	switch {
	case !number.Finite(s.Device) || !number.Finite(s.Behind):
		text += " What the device wrote during the cached write is not visible here."
	case s.Behind > s.Bytes/100:
		text += fmt.Sprintf(" During the cached write the device wrote %s MB/s. When it was \"done\", %s of the %s MB were "+
			"still in memory, and took another %s s.",
			megabytes(s.Device), megabytes(s.Behind), megabytes(s.Bytes), number.Rate(s.Flushed))
	default:
		text += fmt.Sprintf(" During the cached write the device wrote %s MB/s, and nothing was left in memory.",
			megabytes(s.Device))
	}
	return text
}

func (b Baseline) throttleLines() []string {
	t := b.Throttle
	switch {
	case t == nil:
		return nil
	case !t.Found:
		return []string{fmt.Sprintf("It was not throttled in %s s: %s.", number.Rate(b.Jobs[0].Seconds), t.Why)}
	}
	p := number.Significant(t.P, 1)
	if t.P < 0.001 {
		p = "< 0.001"
	}
	lines := []string{
		fmt.Sprintf("After %s s, at %s UTC, the rate fell from %s operations/s and %s MB/s to %s and %s, and the "+
			"latency rose from %s ms to %s (p %s).",
			number.Rate(t.Seconds), t.At.UTC().Format("15:04:05"), number.Rate(t.Before.Operations),
			number.Rate(t.Before.Bytes/number.Mega),
			number.Rate(t.After.Operations), number.Rate(t.After.Bytes/number.Mega),
			number.Milliseconds(t.Before.Latency), number.Milliseconds(t.After.Latency), p)}
	if len(t.Buckets) == 0 {
		return append(lines, "It fits no published credit bucket, so which limit this was is unknown.")
	}
	var fits words.Gathered
	for _, k := range t.Buckets {
		fits.Add(bucketText(k), k.Title)
	}
	return append(lines, fits.Sentences(func(names, text string) string {
		return "It fits " + strings.ReplaceAll(names, ", ", " or ") + text
	})...)
}

// throttled is the question that throttleLines answers.
const throttled = "Was it throttled?"

func bucketText(k baseline.Bucket) string {
	text := ""
	if k.GiB > 0 {
		text = fmt.Sprintf(" of about %s GiB", number.Grouped(k.GiB, 0))
	}
	text += fmt.Sprintf(": %s %s while there are credits, %s without.", number.Rate(k.Burst), k.Of, number.Rate(k.Base))
	if k.GiB > 0 {
		return text + fmt.Sprintf(" A full bucket lasts %s s; this one held %s%% at the beginning.",
			number.Rate(k.Full), number.Rate(k.Held))
	}
	return text + fmt.Sprintf(" It lasts at least %s s, once in 24 hours.", number.Rate(k.Full))
}

// answers returns the page in short.
func (b Baseline) answers() document.Answers {
	if len(b.Jobs) == 0 {
		return document.Answers{
			{Question: "How fast is it?", Texts: []string{"Unknown: no job has a result."}}}
	}
	all := document.Answers{
		{Question: "How fast is it?", Texts: words.Each(func(j BaselineJob) string {
			return j.Name + ": " + j.Fio.text() + "."
		}, b.Jobs)},
		{Question: "Is a fio operation a device request?", Texts: b.factors()},
	}
	if b.Throttle != nil {
		all = append(all, document.Answer{Question: throttled, Texts: b.throttleLines()[:1]})
	}
	sure := []string{"Each job was measured once; the idle device's activity was subtracted. Little's law was " +
		"checked on every row."}
	if len(b.Warnings) > 0 || len(b.findings()) > 0 {
		sure = append(sure, "The cautions above apply to the numbers here.")
	}
	return append(all, document.Answer{Question: "How sure is this?", Texts: sure})
}

// text returns fio's figures in a line.
func (f BaselineFio) text() string {
	var parts []string
	for _, kind := range []struct {
		rate float64
		name string
	}{{f.Reads, "reads"}, {f.Writes, "writes"}, {f.Syncs, "flushes"}} {
		if kind.rate > 0 {
			parts = append(parts, number.Rate(kind.rate)+" "+kind.name)
		}
	}
	return fmt.Sprintf("%s and %s MB a second, %s ms for each", strings.Join(parts, ", "),
		number.Rate((f.ReadBytes+f.WriteBytes)/number.Mega), number.Milliseconds(f.mean()))
}

// factors says where the two counts differ.
func (b Baseline) factors() []string {
	const same = 0.01
	var differ, agree, unknown []string
	for _, j := range b.Jobs {
		switch {
		case !number.Finite(j.Factor):
			unknown = append(unknown, j.Name)
		case j.Factor > 1+same || j.Factor < 1-same:
			differ = append(differ, fmt.Sprintf("%s: %s requests for one operation.", j.Name, number.Ratio(j.Factor)))
		default:
			agree = append(agree, j.Name)
		}
	}
	return words.Filled(append(differ, words.Listing("One for one", agree), words.Listing("The device cannot be told",
		unknown))...)
}

func (b Baseline) method() document.Block {
	r := b.Run
	section := document.Section{Title: "How it was measured, and how to repeat it"}
	say := func(text string) { section.Blocks = append(section.Blocks, document.Paragraph{Text: text}) }
	say(fmt.Sprintf("run %s, %s; %s/%s, %d CPUs. docs/baseline.md has the method.",
		runfile.ShownID(r.ID), r.Start.UTC().Format("2006-01-02 15:04 MST"), r.Host.OS, r.Host.Arch, r.Host.CPUs))
	for _, j := range b.Jobs {
		// so that a page can break the line
		options := strings.ReplaceAll(strings.TrimPrefix(j.Options, "--"), " --", ", ")
		say(fmt.Sprintf("%s, %s s: %s", j.Name, number.Rate(j.Seconds), options))
	}
	file := runfile.FileOf(r.ID)
	section.Blocks = append(section.Blocks, document.Command{Lines: []shell.Command{
		shell.New("realiops baseline --dir DIRECTORY"),
		shell.New("realiops report").File(file, "FILE"),
		shell.New("realiops size RUN").Flag("--baseline", file, "FILE"),
	}})
	return section
}

// everyJob returns a row for each job with both counts: rates per second, times in seconds.
func (b Baseline) everyJob() document.Table {
	t := document.Grid[BaselineJob]{Of: b.Jobs}
	t.Wordy("job", func(j BaselineJob) string { return j.Name })
	add := func(header string, of func(BaselineJob) float64) {
		t.Numeric(header, func(j BaselineJob) document.Cell { return words.Exact(of(j)) })
	}
	add("seconds", func(j BaselineJob) float64 { return j.Seconds })
	add("fio reads", func(j BaselineJob) float64 { return j.Fio.Reads })
	add("fio writes", func(j BaselineJob) float64 { return j.Fio.Writes })
	add("fio flushes", func(j BaselineJob) float64 { return j.Fio.Syncs })
	add("fio read bytes", func(j BaselineJob) float64 { return j.Fio.ReadBytes })
	add("fio write bytes", func(j BaselineJob) float64 { return j.Fio.WriteBytes })
	for _, kind := range []struct {
		name string
		of   func(BaselineFio) *baseline.Latency
	}{
		{"read", func(f BaselineFio) *baseline.Latency {
			return f.Read
		}}, {"write", func(f BaselineFio) *baseline.Latency { return f.Write }},
		{"flush", func(f BaselineFio) *baseline.Latency { return f.Sync }},
	} {
		latency := func(header string, pick func(baseline.Latency) float64) {
			add("fio "+kind.name+" "+header, func(j BaselineJob) float64 {
				if l := kind.of(j.Fio); l != nil {
					return pick(*l)
				}
				return math.NaN()
			})
		}
		latency("mean", func(l baseline.Latency) float64 { return l.Mean })
		latency("p50", func(l baseline.Latency) float64 { return l.P50 })
		latency("p95", func(l baseline.Latency) float64 { return l.P95 })
		latency("p99", func(l baseline.Latency) float64 { return l.P99 })
		latency("p99.9", func(l baseline.Latency) float64 { return l.P999 })
	}
	device := func(header string, of func(BaselineDevice) float64) {
		add("device "+header, func(j BaselineJob) float64 {
			if j.Device != nil {
				return of(*j.Device)
			}
			return math.NaN()
		})
	}
	device("reads", func(d BaselineDevice) float64 { return d.Reads })
	device("writes", func(d BaselineDevice) float64 { return d.Writes })
	device("flushes", func(d BaselineDevice) float64 { return d.Flushes })
	device("merged", func(d BaselineDevice) float64 { return d.Merged })
	device("read bytes", func(d BaselineDevice) float64 { return d.ReadBytes })
	device("write bytes", func(d BaselineDevice) float64 { return d.WriteBytes })
	device("read mean", func(d BaselineDevice) float64 { return d.ReadLatency })
	device("write mean", func(d BaselineDevice) float64 { return d.WriteLatency })
	device("flush mean", func(d BaselineDevice) float64 { return d.FlushLatency })
	device("queue", func(d BaselineDevice) float64 { return d.Queue })
	add("requests per operation", func(j BaselineJob) float64 { return j.Factor })
	add("flushes per flush", func(j BaselineJob) float64 { return j.Flushed })
	return t.Table
}
