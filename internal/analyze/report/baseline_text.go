package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// BaselineText writes what storage delivered for people.
func BaselineText(w io.Writer, b Baseline, width int) error {
	width = max(width, narrowest)
	return write(w, []string{
		joined(wrapped(b.head(), width), b.cautions(width)),
		b.fioTable(width),
		b.deviceTable(width),
		paragraph(bufferedTitle, width, filled(b.bufferedText())),
		paragraph(throttleTitle, width, b.throttleLines()),
		b.leftOutText(width),
	})
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
	text += fmt.Sprintf("; jobs: %s, on %s MiB", b.Run.Set, grouped(float64(b.Run.SizeBytes)/(1<<20), 0))
	if b.Run.Status != "complete" {
		text += "; " + b.Run.Status
	}
	return text
}

func (b Baseline) cautions(width int) string {
	var lines []string
	for _, w := range b.Warnings {
		lines = append(lines, wrapped("! "+w, width))
	}
	for _, j := range b.Jobs {
		for _, f := range j.Findings {
			lines = append(lines, wrapped("! "+j.Name+": "+f+".", width))
		}
	}
	return strings.Join(lines, "\n")
}

// jobColumn of a table of jobs.
type jobColumn struct {
	header string
	of     func(BaselineJob) string
}

func (b Baseline) grid(columns []jobColumn) *grid {
	var names []string
	for _, j := range b.Jobs {
		names = append(names, j.Name)
	}
	g := newGrid("job", names)
	for _, c := range columns {
		var cells []string
		for _, j := range b.Jobs {
			cells = append(cells, c.of(j))
		}
		g.add(c.header, cells)
	}
	return g
}

// milliseconds writes a time.
func milliseconds(seconds *float64) string {
	if seconds == nil {
		return "-"
	}
	ms := *seconds * 1000
	if ms >= 9.95 || ms < smallest {
		return quotient(ms)
	}
	return significant(ms, 2)
}

const (
	fioTitle      = "What fio says (a second; times in ms, of the slowest kind of operation)"
	deviceTitle   = "What the device did meanwhile, as the kernel counted it"
	bufferedTitle = "The same write through the page cache"
	throttleTitle = "Until it is throttled"
)

func (b Baseline) fioTable(width int) string {
	if len(b.Jobs) == 0 {
		return ""
	}
	return fioTitle + "\n\n" + b.grid(fioColumns()).layout(width)
}

func fioColumns() []jobColumn {
	of := func(pick func(*BaselineLatency) *float64) func(BaselineJob) string {
		return func(j BaselineJob) string {
			l := j.Fio.slow()
			if l == nil {
				return "-"
			}
			return milliseconds(pick(l))
		}
	}
	return []jobColumn{
		{"reads", func(j BaselineJob) string { return none(j.Fio.Reads) }},
		{"writes", func(j BaselineJob) string { return none(j.Fio.Writes) }},
		{"flushes", func(j BaselineJob) string { return none(j.Fio.Syncs) }},
		{"MB", func(j BaselineJob) string { return rate((j.Fio.ReadBytes + j.Fio.WriteBytes) / megabyte) }},
		{"mean", of(func(l *BaselineLatency) *float64 { return &l.Mean })},
		{"p50", of(func(l *BaselineLatency) *float64 { return l.P50 })},
		{"p99", of(func(l *BaselineLatency) *float64 { return l.P99 })},
		{"latency", func(j BaselineJob) string { return j.Band }},
	}
}

// none writes a rate of something that did not happen as nothing.
func none(v float64) string {
	if v == 0 {
		return ""
	}
	return rate(v)
}

func (b Baseline) deviceTable(width int) string {
	if len(b.Jobs) == 0 {
		return ""
	}
	lines := []string{deviceTitle + "\n", b.grid(deviceColumns()).layout(width)}
	for _, why := range b.outOfSight() {
		lines = append(lines, wrapped("- "+why, width))
	}
	return strings.Join(lines, "\n")
}

func deviceColumns() []jobColumn {
	device := func(pick func(BaselineDevice) string) func(BaselineJob) string {
		return func(j BaselineJob) string {
			if j.Device == nil {
				return "-"
			}
			return pick(*j.Device)
		}
	}
	return []jobColumn{
		{"requests", device(func(d BaselineDevice) string { return rate(d.Requests) })},
		{"for one\nof fio's", func(j BaselineJob) string {
			if j.Factor == nil {
				return "-"
			}
			return quotient(*j.Factor)
		}},
		{"merged", device(func(d BaselineDevice) string { return rate(d.Merged) })},
		{"flushes", device(func(d BaselineDevice) string { return known(d.Flushes, 1) })},
		{"MB", device(func(d BaselineDevice) string { return rate((d.ReadBytes + d.WriteBytes) / megabyte) })},
		{"read\nms", device(func(d BaselineDevice) string { return milliseconds(d.ReadLatency) })},
		{"write\nms", device(func(d BaselineDevice) string { return milliseconds(d.WriteLatency) })},
		{"flush\nms", device(func(d BaselineDevice) string { return milliseconds(d.FlushLatency) })},
		{"queue", device(func(d BaselineDevice) string { return quotient(d.Queue) })},
	}
}

// outOfSight says why the device cannot be told, each reason once.
func (b Baseline) outOfSight() []string {
	var reasons []string
	for _, j := range b.Jobs {
		if j.Missing != nil && !slices.Contains(reasons, j.Missing.Detail) {
			reasons = append(reasons, j.Missing.Detail)
		}
	}
	return reasons
}

// paragraph is lines under a title; no lines: no title.
func paragraph(title string, width int, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	var text strings.Builder
	text.WriteString(title + "\n")
	for _, line := range lines {
		text.WriteString("\n" + wrapped(line, width))
	}
	return text.String()
}

func (b Baseline) bufferedText() string {
	s := b.Buffered
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("Without direct I/O the same write says %s MB/s, as dd would.", rate(s.Said/megabyte))
	if s.Direct != nil {
		text += fmt.Sprintf(" With it, it said %s MB/s.", rate(*s.Direct/megabyte))
	}
	switch {
	case s.Device == nil || s.Behind == nil:
		text += " What the device wrote meanwhile cannot be seen from here."
	case *s.Behind > s.Bytes/100:
		text += fmt.Sprintf(" The device itself wrote %s MB/s meanwhile; %s of the %s MB were still in memory when the write was \"done\", and took another %s s.",
			rate(*s.Device/megabyte), rate(*s.Behind/megabyte), rate(s.Bytes/megabyte), rate(known0(s.Flushed)))
	default:
		text += fmt.Sprintf(" The device itself wrote %s MB/s meanwhile, and nothing was left behind.", rate(*s.Device/megabyte))
	}
	return text
}

func known0(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// throttleLines say whether storage was throttled, and by what.
func (b Baseline) throttleLines() []string {
	t := b.Throttle
	switch {
	case t == nil:
		return nil
	case !t.Found:
		return []string{fmt.Sprintf("Nothing was throttled in %s s: %s.", rate(b.Jobs[0].Seconds), t.Why)}
	}
	lines := []string{fmt.Sprintf("After %s s, at %s UTC, the rate fell from %s operations/s and %s MB/s to %s and %s, and the latency rose from %s ms to %s (p %s).",
		rate(t.Seconds), t.At.UTC().Format("15:04:05"), rate(t.Before.Operations), rate(t.Before.Bytes/megabyte),
		rate(t.After.Operations), rate(t.After.Bytes/megabyte), milliseconds(&t.Before.Latency), milliseconds(&t.After.Latency), belowP(t.P))}
	if len(t.Buckets) == 0 {
		return append(lines, "It fits no published bucket of credits: which limit it is cannot be told.")
	}
	for _, k := range t.Buckets {
		lines = append(lines, "It fits "+k.text())
	}
	return lines
}

func (k BaselineBucket) text() string {
	text := k.Title
	if k.GiB > 0 {
		text += fmt.Sprintf(" of about %s GiB", grouped(k.GiB, 0))
	}
	text += fmt.Sprintf(": %s %s while there are credits, %s without.", rate(k.Burst), k.Of, rate(k.Base))
	if k.GiB > 0 {
		return text + fmt.Sprintf(" A full bucket lasts %s s; this one held %s %% at the beginning.", rate(k.Full), rate(k.Held))
	}
	return text + fmt.Sprintf(" It lasts %s s at least, once in 24 hours.", rate(k.Full))
}

// belowP writes how seldom chance makes something.
func belowP(p float64) string {
	const least = 0.001
	if p < least {
		return "< 0.001"
	}
	return significant(p, 1)
}

func (b Baseline) leftOutText(width int) string {
	var lines []string
	for _, out := range b.LeftOut {
		lines = append(lines, wrapped("- "+out.Job+" has no result: "+out.Why, width))
	}
	return strings.Join(lines, "\n")
}
