package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/drivers"
)

// column is one way of counting, as the first table shows it.
type column struct {
	driver string
	header string
	unit   float64 // what one in the table stands for
}

func columns() []column {
	return []column{
		{drivers.Rows, "rows", 1},
		{drivers.WALRecords, "log\nrecords", 1},
		{drivers.DeviceRequests, "device\nrequests", 1},
		{drivers.DeviceFlushes, "device\nflushes", 1},
		{drivers.DeviceBytes, "device\nMB", megabyte},
	}
}

// workTable shows the work of each loaded arm, counted in several ways.
func (r Report) workTable(notes *footnotes, width int) string {
	arms := r.loaded()
	if len(arms) == 0 {
		return ""
	}
	g := newGrid("arm", names(arms))
	ways := 0
	for _, c := range columns() {
		column := cells{notes: notes}
		for _, a := range arms {
			column.add(a.Of(c.driver), in(c.unit))
		}
		g.add(c.header, column.strings())
		if column.known > 0 {
			ways++
		}
	}
	title := fmt.Sprintf("The same work, counted %s ways (per second)", inWords(ways))
	return title + "\n\n" + g.layout(width) + "\n" + wrapped(r.doubtLegend(), width)
}

// loaded are the arms that put load on the server and were measured.
func (r Report) loaded() []Arm {
	var loaded []Arm
	for _, a := range r.Arms {
		if !a.Idle && a.Replicates > 0 {
			loaded = append(loaded, a)
		}
	}
	return loaded
}

func names(arms []Arm) []string {
	var names []string
	for _, a := range arms {
		names = append(names, a.Name)
	}
	return names
}

// doubtLegend says what ± means in this run.
func (r Report) doubtLegend() string {
	fewest, most := 0, 0
	for _, a := range r.loaded() {
		if fewest == 0 || a.Replicates < fewest {
			fewest = a.Replicates
		}
		most = max(most, a.Replicates)
	}
	n := fmt.Sprint(most)
	if fewest != most {
		n = fmt.Sprintf("%d to %d", fewest, most)
	}
	if most == 1 {
		return "±? one replicate does not show how far a figure varies"
	}
	return fmt.Sprintf("Means of %s replicates; ± half their range, that of the background included.", n)
}

// compact are the metrics that the first screen has room for, in its order.
func compact() []string {
	return []string{
		"pgstat.database/tup_inserted", "pgstat.database/xact_commit", "pgstat.wal/wal_records", "pgstat.lsn/insert",
		"pgstat.wal/wal_write", "pgstat.io/wal_writes", "pgstat.wal/wal_sync", "pgstat.io/wal_fsyncs",
		"pgstat.io/writes",
		"block/writes", "block/requests", "block/flushes", "block/write_bytes",
	}
}

// ratioTable shows what each counter counts: the column in which its number does not change from arm to arm.
func (r Report) ratioTable(notes *footnotes, width int) string {
	moved, shown := r.moved(), r.compact()
	if len(shown) == 0 {
		return ""
	}
	g := newGrid("counter", nil)
	explained := map[string]bool{}
	for _, reference := range References() {
		header := referenceHeader(reference)
		if why := commonGap(shown, reference); why != nil {
			header, explained[reference] = header+" "+notes.mark(partly(why)), true
		}
		g.header = append(g.header, header)
	}
	for _, m := range shown {
		g.rows = append(g.rows, m.spans(explained, notes))
	}
	legend := "A counter keeps one number to what it counts: ± where all arms agree within 10%, else from the lowest arm to the highest."
	if len(r.loaded()) == 1 {
		legend = "One arm only: nothing shows which of these ratios would hold in another."
	}
	legend += " Each arm's own ratios"
	if more := len(moved) - len(shown); more > 0 {
		legend += fmt.Sprintf(", and %d more counters that moved", more)
	}
	legend += ": -v."
	return "What each counter counts: how many there are for each ...\n\n" + g.layout(width) + "\n" + wrapped(legend, width)
}

// compact are the metrics of the first screen that moved.
func (r Report) compact() []Metric {
	var shown []Metric
	moved := r.moved()
	for _, name := range compact() {
		if i := slices.IndexFunc(moved, func(m Metric) bool { return m.Metric == name }); i >= 0 {
			shown = append(shown, moved[i])
		}
	}
	return shown
}

// commonGap is why no metric's ratio to a reference takes in all arms, or nil where one does.
func commonGap(metrics []Metric, reference string) *Missing {
	var why *Missing
	for _, m := range metrics {
		span := m.AcrossArms[reference]
		if span.All.Known() && span.Without == nil {
			return nil
		}
		if why == nil {
			why = span.Without
		}
	}
	return why
}

// partly is the footnote of ratios that do not take in all arms.
func partly(why *Missing) string { return "not in all arms: " + why.text() }

func referenceHeader(driver string) string {
	switch driver {
	case drivers.Rows:
		return "row"
	case drivers.Entries:
		return "row or\nindex entry"
	case drivers.WALRecords:
		return "log\nrecord"
	default:
		return "device\nrequest"
	}
}

func (r Report) moved() []Metric {
	var moved []Metric
	for _, m := range r.Metrics {
		if m.Moved == Yes {
			moved = append(moved, m)
		}
	}
	return moved
}

// spans is the metric's row: its name and its ratios. What does not take in all arms, and is not explained in a
// column's header, is explained at the name.
func (m Metric) spans(explained map[string]bool, notes *footnotes) []string {
	name := strings.TrimPrefix(m.Metric, "pgstat.")
	var cells []string
	for _, reference := range References() {
		span := m.AcrossArms[reference]
		if !span.All.Known() {
			cells = append(cells, notes.cell(span.All.Missing))
			continue
		}
		cells = append(cells, span.text())
		if span.Without != nil && !explained[reference] {
			name = strings.TrimPrefix(m.Metric, "pgstat.") + " " + notes.mark(partly(span.Without))
		}
	}
	return append([]string{name}, cells...)
}
