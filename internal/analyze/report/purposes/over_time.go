package purposes

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/plot"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/series"
)

// OverTime shows when other programs used the server's disks during an observation, and how much.
type OverTime struct {
	Spans   []Span `json:"spans"`        // in order, of one length; those without readings are left out
	Backups []Span `json:"base_backups"` // by pg_stat_progress_basebackup, to the precision of its readings
}

// Span is the activity of other programs between two moments. Seconds is the counted part of it.
type Span struct {
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Seconds  float64   `json:"seconds"`
	Requests *float64  `json:"requests_per_second"` // nil: not counted
	Bytes    *float64  `json:"bytes_per_second"`    // nil: not counted
}

// mostSpans is the number of spans that fit on a screen with the rest.
const mostSpans = 12

// spanLengths lists customary lengths of time.
var spanLengths = []time.Duration{
	5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute,
	30 * time.Minute, time.Hour,
	2 * time.Hour, 4 * time.Hour, 12 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour,
}

// OverTimeOf returns the activity of other programs; nil if run is no observation, or neither traced requests nor saw a
// backup.
func OverTimeOf(run *counts.Run) *OverTime {
	if run.Observed == nil {
		return nil
	}
	requests, bytes := changesOf(run, requestFields), changesOf(run, byteFields)
	o := &OverTime{Spans: spans(requests, bytes, run.Observed.Window), Backups: []Span{}}
	for _, b := range run.Observed.Backups {
		o.Backups = append(o.Backups, during(b.From, b.To, requests, bytes))
	}
	if len(o.Spans)+len(o.Backups) == 0 {
		return nil
	}
	return o
}

// changesOf returns the growth of the given fields of other programs' requests between readings. All fields are read
// together.
func changesOf(run *counts.Run, fields []string) (all []series.Change) {
	at := map[time.Time]int{} // index in all, by the end
	for i, field := range fields {
		of := run.Series("request." + otherPrograms.kinds[0] + "/" + field)
		for c, err := range of.Changes(time.Time{}, time.Unix(1<<33, 0)) {
			switch k, known := at[c.To]; {
			case err != nil:
			case i == 0:
				at[c.To] = len(all)
				all = append(all, c)
			case known:
				all[k].Amount += c.Amount
			}
		}
	}
	return all
}

// spans divides the time into pieces of one length, aligned to the clock.
func spans(requests, bytes []series.Change, window time.Duration) []Span {
	all := []Span{}
	if len(requests) == 0 {
		return all
	}
	first, last := requests[0].From, requests[len(requests)-1].To
	i := slices.IndexFunc(spanLengths, func(length time.Duration) bool {
		return length >= window && last.Sub(first) <= mostSpans*length
	})
	if i < 0 {
		i = len(spanLengths) - 1
	}
	length := spanLengths[i]
	for from := first.Truncate(length); from.Before(last); from = from.Add(length) {
		if s := during(from, from.Add(length), requests, bytes); s.Requests != nil {
			all = append(all, s)
		}
	}
	return all
}

// during returns the activity between two moments. It interpolates changes that lie partly within.
func during(from, to time.Time, requests, bytes []series.Change) Span {
	s := Span{From: from, To: to}
	s.Requests, s.Seconds = rateDuring(from, to, requests)
	s.Bytes, _ = rateDuring(from, to, bytes)
	return s
}

func rateDuring(from, to time.Time, changes []series.Change) (*float64, float64) {
	amount, seconds := 0.0, 0.0
	begin, _ := slices.BinarySearchFunc(changes, from, func(c series.Change, t time.Time) int {
		return c.To.Compare(t)
	})
	for _, c := range changes[begin:] {
		if !c.From.Before(to) {
			break
		}
		if part := min(c.To.Sub(from), to.Sub(from), to.Sub(c.From), c.To.Sub(c.From)).Seconds(); part > 0 {
			amount, seconds = amount+c.Amount*part/c.Seconds(), seconds+part
		}
	}
	if seconds == 0 {
		return nil, 0
	}
	return new(amount / seconds), seconds
}

// most returns the span with the most bytes of other programs; nil if unknown.
func (o *OverTime) most() (most *Span) {
	for i, s := range o.Spans {
		if s.Bytes != nil && (most == nil || *s.Bytes > *most.Bytes) {
			most = &o.Spans[i]
		}
	}
	return most
}

// Text says when other programs were busiest, and when a base backup ran.
func (o *OverTime) Text() (text string) {
	if o == nil {
		return ""
	}
	if most := o.most(); most != nil && *most.Requests > 0 {
		text = fmt.Sprintf("Other programs used the disk the most %s: %s.", o.when(most.From, most.To), most.did())
	}
	for i, b := range o.Backups {
		if i == shownBackups {
			return text + fmt.Sprintf(" %d more base backups ran.", len(o.Backups)-i)
		}
		if text != "" {
			text += " "
		}
		text += "A base backup ran " + o.when(b.From, b.To)
		if b.Requests != nil {
			text += ", and other programs did " + b.did() + " meanwhile"
		}
		text += "."
	}
	return text
}

const shownBackups = 3

func (s Span) did() string {
	text := number.Rate(*s.Requests) + " requests/s"
	if s.Bytes != nil {
		text += ", " + number.Rate(*s.Bytes/number.Mega) + " MB/s"
	}
	return text
}

// when formats a time range, with days if there are several.
func (o *OverTime) when(from, to time.Time) string {
	const clock = "15:04:05"
	from, to = from.UTC(), to.UTC()
	if o.days() {
		return fmt.Sprintf("from %s to %s UTC", from.Format("2 Jan "+clock), to.Format("2 Jan "+clock))
	}
	return fmt.Sprintf("from %s to %s UTC", from.Format(clock), to.Format(clock))
}

// days reports whether the spans include midnight.
func (o *OverTime) days() bool {
	all := slices.Concat(o.Spans, o.Backups)
	byTime := func(a, b Span) int { return cmp.Or(a.From.Compare(b.From), a.To.Compare(b.To)) }
	const day = 24 * time.Hour
	return slices.MinFunc(all, byTime).From.UTC().Truncate(day) != slices.MaxFunc(all,
		byTime).To.UTC().Add(-1).Truncate(day)
}

// Section shows the spans as a table, and on pages also as a picture.
func (o *OverTime) Section(run *counts.Run) document.Block {
	if o == nil {
		return nil
	}
	var blocks document.Together
	if len(o.Spans) > 0 {
		blocks = append(blocks, o.table())
	}
	blocks = append(blocks, document.Paragraph{Text: o.Text()})
	return document.Titled("When other programs used the disk", blocks, document.Only(document.OnPages, o.picture(run)))
}

func (o *OverTime) table() document.Table {
	layout := "15:04:05"
	if o.days() {
		layout = "2 Jan 15:04"
	}
	t := document.Grid[Span]{Of: o.Spans}
	t.Wordy("from (UTC)", func(s Span) string { return s.From.UTC().Format(layout) })
	column := func(header string, of func(Span) *float64, unit float64) {
		t.Numeric(header, func(s Span) document.Cell {
			if of(s) == nil {
				return document.Missing("not counted")
			}
			return document.Number(number.Rate(*of(s)/unit), *of(s)/unit)
		})
	}
	column("requests/s", func(s Span) *float64 { return s.Requests }, 1)
	column("MB/s", func(s Span) *float64 { return s.Bytes }, number.Mega)
	if len(o.Backups) > 0 {
		t.Wordy("meanwhile", func(s Span) string {
			ran := slices.ContainsFunc(o.Backups, func(b Span) bool {
				return b.From.Before(s.To) && !b.To.Before(s.From)
			})
			if !ran {
				return ""
			}
			return "base backup"
		})
	}
	return t.Table
}

// picture draws other programs' requests, with base backups shaded; nil if there is nothing to draw.
func (o *OverTime) picture(run *counts.Run) document.Block {
	if len(o.Spans) < 2 {
		return nil
	}
	begin, end := o.Spans[0].From, o.Spans[len(o.Spans)-1].To
	p := &plot.Picture{
		Title: "Requests of other programs over time", Text: o.Text(),
		X: plot.Axis{Label: "seconds since " + begin.UTC().Format("15:04:05 UTC on 2 January")},
		Y: plot.Axis{Label: "a second", Log: true},
	}
	for _, field := range requestFields {
		line := words.RateLine(run.Series("request."+otherPrograms.kinds[0]+"/"+field),
			field+" of other programs", begin, end)
		if len(line.Points) > 1 {
			p.Lines = append(p.Lines, line)
		}
	}
	for _, b := range o.Backups {
		p.Shades = append(p.Shades, plot.Shade{From: b.From.Sub(begin).Seconds(), To: b.To.Sub(begin).Seconds()})
	}
	if len(p.Lines) == 0 {
		return nil
	}
	figure := document.Figure{Pictures: plot.All(p)}
	if len(o.Backups) > 0 {
		figure.Legend = []string{"Base backups are shaded."}
	}
	return figure
}
