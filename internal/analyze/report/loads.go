package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
)

// does describes a transaction of a load and its table; empty if the load is not ours, or of an unknown method.
func (a Load) does() string {
	text := a.reads()
	switch rows := number.Rate(float64(a.RowsPerTx)); a.Method {
	case "insert-select":
		text = "one INSERT of " + rows + " rows"
	case "insert-values":
		text = "one INSERT with " + rows + " rows of VALUES"
	case "copy":
		text = "one COPY of " + rows + " rows"
	case "insert":
		text = rows + " INSERTs of one row each"
		if a.RowsPerTx == 1 {
			text = "one INSERT of one row"
		}
	case "update":
		text = "one UPDATE of one row by its key"
	case "replace":
		text = "one DELETE of " + rows + " rows and one INSERT of as many"
	case "lookup-update":
		text = "one SELECT of one row by its key and one UPDATE of another"
	}
	if text == "" {
		return ""
	}
	if a.Width > 0 && a.inserts() {
		text += fmt.Sprintf(", with a filler of %s bytes each,", number.Rate(float64(a.Width)))
	}
	text += map[bool]string{true: " into", false: " in"}[a.inserts()]
	switch a.Indexes {
	case 0:
		text += " a table without indexes"
	case 1:
		text += " a table with one index"
	default:
		text += fmt.Sprintf(" a table with %d indexes", a.Indexes)
	}
	if a.Cold {
		text += ", whose files the kernel was asked to forget"
	}
	if a.Commit != "" {
		text += ", with synchronous_commit " + a.Commit
	}
	return fmt.Sprintf("%s; a transaction is %s.", printable.Counted(a.Clients, "client"), text)
}

// reads describes the statement of a load that only reads; else empty.
func (a Load) reads() string {
	switch rows := number.Rate(float64(a.RowsPerTx)); a.Method {
	case "lookup":
		return "one SELECT of one row by its key"
	case "range":
		return "one SELECT of " + rows + " rows that follow each other by their key"
	case "bitmap":
		return "one SELECT of " + rows + " scattered rows, by an index"
	case "join":
		return "one SELECT that looks up " + rows + " scattered rows one by one, by their keys"
	case "scan":
		return "one aggregate over all rows"
	case "sort":
		return "one sort of all rows, in less work_mem than they take,"
	}
	return ""
}

func (a Load) inserts() bool {
	return slices.Contains([]string{"insert-select", "insert-values", "copy", "insert"}, a.Method)
}

// explained returns the name of a load with a description for pages.
func (l Loads) explained(a Load) document.Cell {
	c := document.Words(a.Name)
	if c.Hover = a.does(); c.Hover != "" {
		c.To = l.anchor(a)
	}
	return c
}

// loadTerms repeats the descriptions below the table, for readers without a mouse, and on paper.
func (l Loads) loadTerms(loads []Load) document.Block {
	var terms document.Terms
	for _, a := range loads {
		if does := a.does(); does != "" {
			terms = append(terms, document.Term{Name: a.Name, Texts: []string{does}, ID: l.anchor(a)})
		}
	}
	return document.Only(document.InHTML, terms)
}

// anchor returns the id of a load's section in a page. It is not the load's name, which may contain anything.
func (l Loads) anchor(a Load) string {
	return fmt.Sprintf("load-%d", 1+slices.IndexFunc(l.Loaded(), func(b Load) bool { return a.Name == b.Name }))
}

// Loaded returns the measured loads, idle left out.
func (l Loads) Loaded() []Load {
	return slices.DeleteFunc(slices.Clone(l), func(a Load) bool { return a.Idle || a.Repetitions == 0 })
}

// planned returns the loads, measured or not, idle left out.
func (l Loads) planned() []Load {
	return slices.DeleteFunc(slices.Clone(l), func(a Load) bool { return a.Idle })
}

// writing returns the loads that do more than read; if all only read, all of them.
func (l Loads) writing() []Load {
	loads := slices.DeleteFunc(l.Loaded(), Load.readsAlone)
	if len(loads) == 0 && len(l.reading()) == 0 {
		return l.Loaded()
	}
	return loads
}

// reading returns the loads with rows returned and a count of page misses.
func (l Loads) reading() []Load {
	return slices.DeleteFunc(l.Loaded(), func(a Load) bool {
		return !positive(a.Of(metric.RowsReturned)) || !a.Of(metric.PagesMissed).Known()
	})
}

func (a Load) readsAlone() bool {
	return positive(a.Of(metric.RowsReturned)) && !positive(a.Of(metric.RowsWritten))
}

func Names(loads []Load) []string { return words.Each(func(a Load) string { return a.Name }, loads) }

// measuredTimes returns the fewest and the most repetitions of measured loads; 0 if none was measured.
func (l Loads) measuredTimes() (fewest, most int) {
	for _, a := range l.Loaded() {
		if fewest == 0 || a.Repetitions < fewest {
			fewest = a.Repetitions
		}
		most = max(most, a.Repetitions)
	}
	return fewest, most
}

// Column is a quantity as the first table shows it.
type Column struct {
	Quantity metric.Quantity
	header   string
	unit     float64 // of the numbers in the table
}

func Columns() []Column {
	return []Column{
		{metric.RowsWritten, "rows", 1},
		{metric.WALRecords, "WAL records", 1},
		{metric.DeviceRequests, "device requests", 1},
		{metric.DeviceFlushes, "device flushes", 1},
		{metric.DeviceBytes, "device MB", number.Mega},
	}
}

// columns returns the columns of the device or, if it was not counted, of the server's own writes.
func (l Loads) columns() []Column {
	work, device := Columns()[:2], Columns()[2:]
	known := func(c Column) bool {
		return slices.ContainsFunc(l.Loaded(), func(a Load) bool { return a.Of(c.Quantity).Known() })
	}
	if slices.ContainsFunc(device, known) {
		return append(work, device...)
	}
	for _, c := range []Column{{metric.WALWrites, "WAL writes", 1}, {metric.WALSyncs, "WAL fsyncs", 1},
		{metric.PagesWritten, "pages written", 1}} {
		if known(c) {
			work = append(work, c)
		}
	}
	return work
}

// waitSection shows the waits from Performance Insights, a line per load that has them.
func (l Loads) waitSection() document.Block {
	const most = 3
	var lines document.List
	for _, a := range l {
		if len(a.Waits) == 0 {
			continue
		}
		line := fmt.Sprintf("%s: %s sessions at work or waiting", a.Name, number.Ratio(a.Waits[0].Sessions))
		var events []string
		for _, w := range a.Waits[1:min(len(a.Waits), 1+most)] {
			events = append(events, w.Event+" "+number.Ratio(w.Sessions))
		}
		if len(events) > 0 {
			line += ": " + strings.Join(events, ", ")
		}
		lines = append(lines, line)
	}
	return document.Titled("Where time went, by Performance Insights (CloudWatch Database Insights)", lines)
}
