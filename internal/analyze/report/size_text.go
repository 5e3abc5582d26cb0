package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// SizeText writes a sizing for people.
func SizeText(w io.Writer, s Size, width int) error {
	width = max(width, narrowest)
	return write(w, []string{
		s.needTable(width),
		joined(titled(width, s.detailGrid), wrapped(s.detailLegend(), width)),
		joined(wrapped(s.sizedFor(), width), s.cautions(width)),
		s.baselineText(width),
		s.optionTable(width),
		titled(width, s.creditGrid),
		titled(width, s.bareGrid),
		s.cannot(width),
		wrapped(s.misreadText(), width),
		wrapped(s.auroraText(), width),
		wrapped(s.spreadText(), width),
	})
}

// needTable shows what each arm asked of storage.
func (s Size) needTable(width int) string {
	return needTitle + "\n\n" + s.needGrid().layout(width)
}

const needTitle = "What storage had to do (per second)"

func (s Size) needGrid() *grid {
	g := newGrid(armWord(s.Run.Observed), nil)
	columns := []struct {
		header string
		of     func(SizeNeed) string
	}{
		{"rows", func(n SizeNeed) string { return known(n.Rows, 1) }},
		{"requests", func(n SizeNeed) string { return ofRate(n.Mean, requestsOf) }},
		{"p99", func(n SizeNeed) string { return ofRate(n.P99, requestsOf) }},
		{"worst\nsecond", func(n SizeNeed) string { return ofRate(n.PeakSecond, requestsOf) }},
		{"flushes", func(n SizeNeed) string { return ofRate(n.Mean, func(r SizeRate) float64 { return r.Flushes }) }},
		{"MB", func(n SizeNeed) string { return ofRate(n.Mean, megabytesOf) }},
		{"p99\nMB", func(n SizeNeed) string { return ofRate(n.P99, megabytesOf) }},
		{"KB\neach", func(n SizeNeed) string { return ofRate(n.Mean, sizeOf) }},
	}
	for _, n := range s.Needs {
		name := n.Arm
		if n.Run != "" {
			name = n.Run + ": " + name
		}
		if n.Model != "" {
			name += " (model)"
		}
		g.rows = append(g.rows, []string{name})
	}
	for _, c := range columns {
		var cells []string
		for _, n := range s.Needs {
			cells = append(cells, c.of(n))
		}
		g.add(c.header, cells)
	}
	return g
}

func requestsOf(r SizeRate) float64  { return r.Requests }
func megabytesOf(r SizeRate) float64 { return r.Bytes / megabyte }
func sizeOf(r SizeRate) float64      { return r.Bytes / r.Requests / 1000 }

// known writes a number that may be missing.
func known(v *float64, unit float64) string {
	if v == nil || !finite(*v) {
		return "-"
	}
	return rate(*v / unit)
}

func ofRate(r *SizeRate, of func(SizeRate) float64) string {
	if r == nil {
		return "-"
	}
	return known(new(of(*r)), 1)
}

// sizedFor says what the options are for.
func (s Size) sizedFor() string {
	need := s.Sized.Rate
	text := fmt.Sprintf("Sized for %s, %s: %s requests/s and %s MB/s", s.Sized.Arm, basis(s.Sized.Basis), rate(need.Requests), rate(need.Bytes/megabyte))
	if len(s.Sized.Runs) > 1 {
		text = fmt.Sprintf("Sized for %s, number by number: %s requests/s (%s) and %s MB/s (%s)", s.sizedLoad(),
			rate(need.Requests), s.worstOf(requestsOf), rate(need.Bytes/megabyte), s.worstOf(megabytesOf))
	}
	text += fmt.Sprintf("; with %.0f %% of headroom, on %s GiB.", s.Sized.Headroom, grouped(s.Sized.GiB, 0))
	return strings.Join(append([]string{text}, s.scaled()...), " ")
}

// basis says what rate of an arm is sized for.
func basis(name string) string {
	return map[string]string{
		"p99": "the 99th percentile of its seconds and nowhere below the mean", "mean": "the highest mean of its repetitions", "model": "twice what the model gives",
	}[name]
}

// sizedLoad names what is sized for: an arm, or the worst of several.
func (s Size) sizedLoad() string {
	runs := s.runs()
	switch parts := len(s.Sized.Runs); {
	case parts == 1:
		return s.Sized.Arm
	case runs == parts:
		return fmt.Sprintf("the worst of %d runs", runs)
	case runs == 1:
		return fmt.Sprintf("the worst of %d kinds of load", parts)
	default:
		return fmt.Sprintf("the worst of %d kinds of load in %d runs", parts, runs)
	}
}

// oneLoad is what the forecast for Aurora is for: of several, that which asks for most bytes.
func (s Size) oneLoad() string {
	if len(s.Sized.Runs) > 1 {
		return s.Sized.Arm
	}
	return "this load"
}

// runs is how many are sized for.
func (s Size) runs() int {
	ids := map[string]bool{}
	for _, r := range s.Sized.Runs {
		ids[r.ID] = true
	}
	return len(ids)
}

// worstOf names what asks for most of something: its arm, and the run where there are several.
func (s Size) worstOf(of func(SizeRate) float64) string {
	most := slices.MaxFunc(s.Sized.Runs, func(a, b SizedRun) int { return cmp.Compare(of(a.Rate), of(b.Rate)) })
	if s.runs() == 1 {
		return most.Arm + ", " + most.Basis
	}
	return fmt.Sprintf("%s, %s, %s", most.ID, most.Arm, most.Basis)
}

// scaled says what was taken to go with the rows, and how far apart that leaves what is needed.
func (s Size) scaled() []string {
	if len(s.Sized.Law) == 0 {
		return nil
	}
	least, most := s.Sized.Least, s.Sized.Rate
	text := fmt.Sprintf("So it lies between %s and %s requests/s, and %s and %s MB/s.",
		rate(least.Requests), rate(most.Requests), rate(least.Bytes/megabyte), rate(most.Bytes/megabyte))
	if most.Requests > wide*least.Requests || most.Bytes > wide*least.Bytes {
		text += " A run with that load would tell more."
	}
	return append(slices.Clone(s.Sized.Law), text)
}

// wide is how far apart the ends of what is needed may lie before that is worth a run.
const wide = 2

func (s Size) cautions(width int) string {
	var lines []string
	for _, w := range s.Warnings {
		lines = append(lines, wrapped("! "+w, width))
	}
	return strings.Join(lines, "\n")
}

// titled is a table under its title; nothing where there is none.
func titled(width int, of func() (string, *grid)) string {
	title, g := of()
	if g == nil {
		return ""
	}
	return wrapped(title, width) + "\n\n" + g.layout(width)
}

// creditGrid shows smaller sizes that are enough while their credits last.
func (s Size) creditGrid() (title string, g *grid) {
	g = newGrid("volume", nil)
	var gib, lowest, left, monthly []string
	seconds := 0
	for _, o := range s.Options {
		c := o.Credits
		if c == nil {
			continue
		}
		g.rows = append(g.rows, []string{strings.TrimSpace(o.Title + " " + c.Tier)})
		gib, monthly = append(gib, grouped(c.GiB, 0)), append(monthly, known(c.Monthly, 1))
		lowest, left = append(lowest, grouped(c.Lowest, 0)+" %"), append(left, grouped(c.Left, 0)+" %")
		seconds = c.Seconds
	}
	if len(g.rows) == 0 {
		return "", nil
	}
	g.add("GiB", gib)
	g.add("credits\nat the worst", lowest)
	g.add("credits\nat the end", left)
	g.add(s.currency()+"\na month", monthly)
	return fmt.Sprintf("What is enough while credits last: this demand over and over, for %s h", grouped(float64(seconds)/3600, 0)), g
}

// cannot names what does not carry it, and what is not sure.
func (s Size) cannot(width int) string {
	var titles, unsure []string
	for _, o := range s.Options {
		if o.Why != "" {
			titles = append(titles, o.Title)
		}
		if o.Unverified != "" && o.Why == "" {
			unsure = append(unsure, wrapped(fmt.Sprintf("! %s: %s.", o.Title, o.Unverified), width))
		}
	}
	text := ""
	if len(titles) > 0 {
		text = wrapped("Too small at any size: "+strings.Join(titles, ", ")+".", width)
	}
	return joined(text, strings.Join(unsure, "\n"))
}

// misreadText says what reading log records as I/O would have led to.
func (s Size) misreadText() string {
	m := s.Misread
	if m == nil {
		return ""
	}
	text := fmt.Sprintf("Sized from the log records instead, as if they were IOPS, it would have been %s a second, %s times as many requests", rate(m.Requests), quotient(m.Factor))
	switch {
	case !slices.ContainsFunc(s.Options, func(o SizeOption) bool { return o.Carries != nil || o.Why != "" }):
		// none was asked for
	case m.Volume == "":
		text += ": no volume here carries that"
	case m.Cheapest != nil:
		text += fmt.Sprintf(": %s for %s %s a month", m.Volume, rate(*m.Cheapest), s.currency())
	default:
		text += ": " + m.Volume
	}
	if m.IOCost != nil {
		text += fmt.Sprintf("; and a bill for I/O on Aurora of %s %s a month", rate(*m.IOCost), s.currency())
	}
	return text + "."
}

// auroraText says what the load would show there.
func (s Size) auroraText() string {
	a := s.Aurora
	if a == nil {
		return ""
	}
	text := "On Aurora " + s.oneLoad() + " would show "
	if a.WriteIOPS != nil {
		text += fmt.Sprintf("about %s WriteIOPS, none of them disk operations, and ", rate(*a.WriteIOPS))
	}
	text += fmt.Sprintf("between %s and %s billed writes a second, %s as estimated (%s)",
		rate(a.BilledWrites[0]), rate(a.BilledWrites[2]), rate(a.BilledWrites[1]), a.Calibration)
	if a.BilledReads > 0 {
		text += fmt.Sprintf(", and %s pages read", rate(a.BilledReads))
	}
	if a.IOCost != nil {
		text += fmt.Sprintf(": %s to %s %s a month if it never stops", rate(a.IOCost[0]), rate(a.IOCost[2]), s.currency())
	}
	return sentences([]string{text, s.clusterText()})
}

// clusterText holds the two ways to pay for Aurora against each other.
func (s Size) clusterText() string {
	a := s.Aurora
	if a.Standard == nil {
		return ""
	}
	verdict := "which of them is cheaper, only the I/O that is really billed will tell"
	switch {
	case a.Standard[2] < *a.Optimized:
		verdict = "Standard is cheaper"
	case a.Standard[0] > *a.Optimized:
		verdict = "I/O-Optimized is cheaper"
	}
	return fmt.Sprintf("With one %s and %s GiB that is %s to %s %s a month on Standard, and %s on I/O-Optimized, which pays from %s of I/O on: %s",
		s.machine(), grouped(s.Sized.GiB, 0), rate(a.Standard[0]), rate(a.Standard[2]), s.currency(), rate(*a.Optimized), rate(*a.BreakEven), verdict)
}
