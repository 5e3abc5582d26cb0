package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/plot"
	"github.com/realiops/realiops/internal/series"
)

// rungs lead from what is asked of a database down to what its device does.
func rungs() []string {
	return []string{
		drivers.Rows, drivers.WALRecords, drivers.WALBytes, drivers.WALSyncs, drivers.PagesWritten, drivers.DeviceFlushes,
		drivers.DeviceRequests,
	}
}

// ladder shows the same work of each arm on every rung, to scale.
func (r Report) ladder() []Section {
	p := &plot.Picture{
		Title: "The ladder: one arm's work, from rows down to device requests",
		X:     plot.Axis{Label: "a second", Log: true},
		Y:     plot.Axis{},
	}
	steps := slices.DeleteFunc(rungs(), func(driver string) bool {
		return !slices.ContainsFunc(r.loaded(), func(a Arm) bool { return positive(a.Of(driver)) })
	})
	for i := range steps {
		p.Y.Names = append(p.Y.Names, noun(steps[len(steps)-1-i]).many)
	}
	var said []string
	for _, a := range r.loaded() {
		line := plot.Line{Name: a.Name, Marked: true}
		for i, driver := range steps {
			f := a.Of(driver)
			if !positive(f) {
				continue
			}
			text := fmt.Sprintf("%s: %s %s a second", a.Name, rate(f.Value), noun(driver).many)
			line.Points = append(line.Points, plot.Point{X: f.Value, Y: float64(len(steps) - 1 - i), Text: text})
			said = append(said, text)
		}
		if len(line.Points) > 1 {
			p.Lines = append(p.Lines, line)
		}
	}
	if len(p.Lines) == 0 {
		return nil
	}
	p.Text = strings.Join(said, "; ") + "."
	return []Section{{Title: p.Title, Picture: p, Legend: []string{"Each line is an arm; each step down is the same work, counted another way. The scale is logarithmic: one division is a factor of ten."}}}
}

// LadderPNG writes the ladder as a picture for a chat.
func LadderPNG(w io.Writer, r Report) error {
	sections := r.ladder()
	if len(sections) == 0 {
		return errors.New("there is nothing to draw: no arm with a load was measured")
	}
	file, err := sections[0].Picture.PNG()
	if err != nil {
		return err
	}
	if _, err := w.Write(file); err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	return nil
}

func positive(f Figure) bool { return f.Known() && f.Value > 0 }

// overTime shows what was read while the arms ran, if it was.
func (r Report) overTime(run *drivers.Run) []Section {
	begin, end := stretchOf(run)
	if begin.IsZero() {
		return nil
	}
	p := &plot.Picture{
		Title: "Log records and device writes over time",
		X:     plot.Axis{Label: "seconds since the first arm began"},
		Y:     plot.Axis{Label: "a second", Log: true},
	}
	for _, m := range []struct{ metric, name string }{{"pgstat.wal/wal_records", "log records"}, {"block/writes", "device writes, flushes among them"}} {
		if line := rateLine(run.Series(m.metric), m.name, begin, end); len(line.Points) > fewest*replicates(run) {
			p.Lines = append(p.Lines, line)
		}
	}
	if len(p.Lines) == 0 {
		return nil
	}
	var said []string
	for _, arm := range run.Arms {
		for _, replicate := range arm.Replicates {
			p.Shades = append(p.Shades, plot.Shade{From: replicate.Begin.Sub(begin).Seconds(), To: replicate.End.Sub(begin).Seconds()})
		}
		said = append(said, fmt.Sprintf("%s %d times", arm.Name, len(arm.Replicates)))
	}
	p.Text = "Two rates on a logarithmic scale while these arms ran: " + strings.Join(said, ", ") + "."
	return []Section{{Title: p.Title, Picture: p, Legend: []string{"Arms are shaded; between them tables are made and what is dirty is written."}}}
}

// fewest readings in a replicate make a line worth drawing: with those at its ends alone there is nothing in between.
const fewest = 3

func replicates(run *drivers.Run) int {
	n := 0
	for _, arm := range run.Arms {
		n += len(arm.Replicates)
	}
	return n
}

// stretchOf is from the first arm's begin to the last one's end.
func stretchOf(run *drivers.Run) (begin, end time.Time) {
	for _, arm := range run.Arms {
		for _, r := range arm.Replicates {
			if begin.IsZero() || r.Begin.Before(begin) {
				begin = r.Begin
			}
			if r.End.After(end) {
				end = r.End
			}
		}
	}
	return begin, end
}

// mostPoints is what a line has at most: a day at a second has more than a picture can show.
const mostPoints = 1200

// rateLine are a counter's rates from reading to reading, put together where there are too many, broken where some are missing.
func rateLine(s series.Series, name string, begin, end time.Time) plot.Line {
	line := plot.Line{Name: name}
	together := end.Sub(begin).Seconds() / mostPoints
	var amount, took float64
	for change, err := range s.Changes(begin, end) {
		at := change.To.Sub(begin).Seconds()
		if err != nil {
			line.Points = append(line.Points, plot.Point{X: at, Y: math.NaN()})
			amount, took = 0, 0
			continue
		}
		amount, took = amount+change.Amount, took+change.Seconds()
		if took < together || took == 0 {
			continue
		}
		y := max(1, amount/took) // a logarithmic scale has no nought
		line.Points = append(line.Points, plot.Point{X: at, Y: y, Text: fmt.Sprintf("%s s: %s %s a second", rate(at), rate(amount/took), name)})
		amount, took = 0, 0
	}
	return line
}

// heat shows for every metric how far its ratio to every driver moves: what stays at 1 is what it counts.
func (r Report) heat() []Section {
	first, _ := r.firstScreen()
	t := &Table{Header: []string{"metric"}, Words: 1}
	var columns []string
	for _, d := range drivers.All() {
		if first.holds(d.Name) {
			columns, t.Header = append(columns, d.Name), append(t.Header, noun(d.Name).many)
		}
	}
	for _, m := range ranked(first.Metrics) {
		if m.silent() || m.Missing != nil || len(m.Rivals) == 0 {
			continue
		}
		row := []Cell{{Text: short(m.Metric)}}
		for _, driver := range columns {
			row = append(row, m.heatCell(driver))
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 || len(columns) == 0 {
		return nil
	}
	return []Section{{
		Title: "How far each ratio moves from arm to arm", Table: t,
		Legend: []string{"The factor by which a metric's ratio to a driver varies between arms, beyond what replicates differ by. 1.0 is a ratio that stays: " +
			"what the metric counts. Marked: = consistent, ? possible; the others are excluded. The mouse shows the interval."},
	}}
}

// holds tells whether any metric was held against a driver.
func (r Report) holds(driver string) bool {
	return slices.ContainsFunc(r.Metrics, func(m Metric) bool {
		return slices.ContainsFunc(m.Rivals, func(v Rival) bool { return v.Driver == driver && v.Spread != nil })
	})
}

func (m Metric) heatCell(driver string) Cell {
	i := slices.IndexFunc(m.Rivals, func(r Rival) bool { return r.Driver == driver })
	if i < 0 || m.Rivals[i].Spread == nil {
		return Cell{Text: "-"}
	}
	v := m.Rivals[i]
	mark := map[string]string{string(attribution.Consistent): " =", string(attribution.Possible): " ?"}[v.Status]
	text := quotient(v.Spread.Value)
	if v.Spread.Value < 10 {
		text = fmt.Sprintf("%.1f", v.Spread.Value)
	}
	return Cell{
		Text: text + mark, Class: v.Status,
		Hover: fmt.Sprintf("%s / %s: moves by a factor of %s to %s: %s", short(m.Metric), noun(driver).many, quotient(v.Spread.Lo), upTo(v.Spread.Hi), v.Status),
	}
}

func upTo(v float64) string {
	if !finite(v) {
		return "any"
	}
	return quotient(v)
}
