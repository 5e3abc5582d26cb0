package report

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/causes"
	"github.com/realiops/realiops/internal/analyze/report/purposes"
	"github.com/realiops/realiops/internal/analyze/report/relation"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/printable"
)

func observed(run *counts.Run) *Observed {
	o := run.Observed
	if o == nil {
		return nil
	}
	all := &Observed{WindowSeconds: o.Window.Seconds(), Windows: o.Windows, Whole: o.Whole, Quiet: o.Quiet,
		Used: o.Used, RowsPerSecond: o.RowsPerSecond, WAL: relation.WALOf(run), Top: causes.Of(run),
		OtherPrograms: purposes.OverTimeOf(run)}
	if run.Ended != nil && run.Ended.Cost != nil && run.Ended.Cost.Lasts() {
		c, minutes := run.Ended.Cost, run.Ended.Cost.Seconds/60
		all.Cost = &ObservedCost{float64(c.Queries) / minutes, c.Waited / minutes, c.Processor / minutes,
			float64(c.Bytes) / minutes}
	}
	return all
}

// causes shows what causes the storage work; nil if the run put load on the server.
func (o *Observed) causes() document.Block {
	if o == nil {
		return nil
	}
	return causes.Section(o.Top)
}

// uncontrolled returns the main caveat of an observation.
func uncontrolled(run *counts.Run) string {
	if len(run.Loads) == 0 || run.Observed.Period > 0 {
		return ""
	}
	return "The load was not controlled: counters that move together here may not on another day. Verdicts hold " +
		"only for the kinds of load seen."
}

// onlyPeriods says what periods alone cannot show.
func onlyPeriods(o *counts.Observation) string {
	if o.Period == 0 {
		return ""
	}
	return "These periods come from another program's records, without the server's own counters, so there are no " +
		"verdicts. Run realiops explain METRIC for what a metric is documented to count."
}

// nothingLearned says what an observation lacked.
func nothingLearned(o *counts.Observation) string {
	switch {
	case o.Period > 0:
		return ""
	case o.Windows == 0:
		return fmt.Sprintf("No verdict yet: it takes several windows of %s.", words.Span(o.Window.Seconds()))
	case o.Whole > 0 && o.Quiet == o.Whole:
		return "No verdict yet: the server wrote almost nothing in any window."
	case o.Used == 0:
		return fmt.Sprintf("No verdict yet: there are only %s of %s with writes. A verdict needs more windows of one kind.",
			printable.Counted(o.Whole-o.Quiet, "complete window"), words.Span(o.Window.Seconds()))
	default:
		return ""
	}
}

// observedText describes the windows, and the row changes in them.
func (r Report) observedText() string {
	o := r.Observed
	if o == nil || o.Windows == 0 {
		return ""
	}
	kinds := len(r.Loads.Loaded())
	belong := fmt.Sprintf("%s belong to %d kinds of load", printable.Count(o.Used), kinds)
	switch kinds {
	case 0:
		belong = "none belongs to a kind of load"
	case 1:
		belong = printable.Count(o.Used) + " belong to one kind of load"
	}
	text := fmt.Sprintf("%s of %s: %s complete, %s of these quiet; %s.", printable.Counted(o.Windows, "window"),
		words.Span(o.WindowSeconds), printable.Count(o.Whole), printable.Count(o.Quiet), belong)
	if rows := o.rows(); rows != "" {
		text += " Rows a second: " + rows + "."
	}
	text += " " + o.WAL.Text()
	if c := o.Cost; c != nil {
		text += fmt.Sprintf(" Each minute of observing took %s queries, %s ms of waiting for answers, and %s kB of file.",
			printable.Count(c.Queries), printable.Count(1000*c.WaitedSeconds), printable.Count(c.Bytes/1000))
	}
	return text
}

// rows describes the row changes that were counted.
func (o *Observed) rows() string {
	var all []string
	add := func(name, text string) {
		if perSecond, known := o.RowsPerSecond[name]; known {
			all = append(all, number.Rate(perSecond)+" "+text)
		}
	}
	hot := ""
	if part, known := o.RowsPerSecond["hot"]; known && o.RowsPerSecond["updated"] > 0 { // within their page
		hot = " (" + number.Percent(min(1, part/o.RowsPerSecond["updated"])) + " HOT)"
	}
	add("inserted", "inserted")
	add("updated", "updated"+hot)
	add("deleted", "deleted")
	add("index_entries", "index entries at least")
	return strings.Join(all, ", ")
}
