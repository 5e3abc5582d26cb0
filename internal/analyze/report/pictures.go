package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/plot"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// rungs returns the quantities from requests to the database down to its device. Bytes are left out, being no count.
func (a Load) rungs() []metric.Quantity {
	if a.readsAlone() {
		return []metric.Quantity{metric.RowsReturned, metric.BuffersTouched, metric.PagesMissed, metric.DeviceReads}
	}
	return []metric.Quantity{
		metric.RowsWritten, metric.WALRecords, metric.WALSyncs, metric.PagesWritten, metric.DeviceFlushes,
		metric.DeviceRequests,
	}
}

// ladders shows the work of each load on every rung, to one scale, in one picture per load.
func (l Loads) ladders() document.Block {
	f := document.Figure{Legend: []string{
		"The same work of each load, counted on each rung. Orange: asked of the database. Blue: asked of the " +
			"operating system, and done by storage. All pictures share one scale.",
	}}
	for _, a := range l.Loaded() {
		if p := l.rungsOf(a, words.Panel()); p != nil {
			f.Pictures = append(f.Pictures, p)
		}
	}
	return document.Titled("The ladder: the work of a second, from rows down to device requests", f)
}

// rungsOf returns the ladder of a load, to the scale of all; nil if too little is known.
func (l Loads) rungsOf(a Load, size plot.Size) *plot.Picture {
	least, most := l.scale()
	p := &plot.Picture{
		Title: a.Name, Size: size,
		X: plot.Axis{Label: "a second; each mark is ten times the one before", Log: true, Min: least,
			Max: most * roomForLabel},
	}
	// unknown in all loads of its kind
	steps := slices.DeleteFunc(a.rungs(), func(quantity metric.Quantity) bool {
		return !slices.ContainsFunc(l.Loaded(), func(b Load) bool {
			return b.readsAlone() == a.readsAlone() && positive(b.Of(quantity))
		})
	})
	var texts []string
	for i, quantity := range steps {
		place := len(steps) - 1 - i // from the top down
		p.Y.Names = append([]string{quantity.Many()}, p.Y.Names...)
		f := a.Of(quantity)
		if !positive(f) {
			continue
		}
		known, _ := counts.Named(quantity)
		text := fmt.Sprintf("%s: %s %s a second", a.Name, f.Rate(1), quantity.Many())
		p.Bars = append(p.Bars, plot.Bar{Place: place, Value: f.Value, Label: f.Rate(1), Text: text + ", " +
			f.PlusMinus(), Second: known.Side == counts.Logical, Dot: true})
		texts = append(texts, f.Rate(1)+" "+quantity.Many())
	}
	if len(p.Bars) < 2 {
		return nil // one rung is no ladder
	}
	p.Text = "In a second of " + a.Name + ": " + strings.Join(texts, ", ") + "."
	return p
}

// roomForLabel is the factor by which a ladder's scale exceeds its largest value, so that a label fits beside the bar.
const roomForLabel = 300

// hero shows one second of the headline's load on a linear scale, so that lengths can be compared.
func (r Report) hero() document.Block {
	if r.Headline == nil {
		return nil
	}
	loads := r.Loads.Loaded()
	i := slices.IndexFunc(loads, func(a Load) bool { return a.Name == r.Headline.Load })
	if i < 0 {
		return nil
	}
	p := r.Loads.second(loads[i])
	if p == nil {
		return nil
	}
	return document.Figure{Pictures: plot.All(p), Legend: []string{"To scale."}}
}

// second returns a short ladder of a load on a linear scale.
func (l Loads) second(a Load) *plot.Picture {
	most := 0.0
	// narrow enough for a phone
	p := &plot.Picture{Title: "One second of " + a.Name, Size: words.Panel(), X: plot.Axis{Label: "a second"}}
	p.Size.Height = 140
	rungs := []metric.Quantity{metric.RowsWritten, metric.WALRecords, metric.WALSyncs, metric.DeviceRequests}
	if !a.Of(metric.DeviceRequests).Known() {
		rungs = []metric.Quantity{metric.RowsWritten, metric.WALRecords, metric.WALWrites, metric.WALSyncs}
	}
	var texts []string
	drawn := 0
	for i, quantity := range rungs {
		p.Y.Names = append([]string{quantity.Many()}, p.Y.Names...)
		f := a.Of(quantity)
		bar := plot.Bar{Place: len(rungs) - 1 - i, Label: "not known"} // an empty place would look like zero
		if f.Known() {
			f.Value = max(f.Value, 0)
			bar.Label = f.Rate(1)
			texts = append(texts, bar.Label+" "+quantity.Many())
		}
		if positive(f) {
			known, _ := counts.Named(quantity)
			bar.Value, bar.Second = f.Value, known.Side == counts.Logical
			bar.Text = bar.Label + " " + quantity.Many() + " a second, " + f.PlusMinus()
			most = max(most, f.Value)
			drawn++
		}
		p.Bars = append(p.Bars, bar)
	}
	if drawn < 3 {
		return nil
	}
	p.X.Max = most * 1.2 // room for a value beside its bar
	p.Text = p.Title + ": " + strings.Join(texts, ", ") + "."
	return p
}

// scale returns the powers of ten around all values of the ladders.
func (l Loads) scale() (least, most float64) {
	least, most = math.Inf(1), 0
	for _, a := range l.Loaded() {
		for _, quantity := range a.rungs() {
			if f := a.Of(quantity); positive(f) {
				least, most = min(least, f.Value), max(most, f.Value)
			}
		}
	}
	return math.Pow(10, math.Ceil(math.Log10(least))-1), most
}

// LadderPNG writes the ladder of one load as a picture for a chat: the named load, or the headline's.
func LadderPNG(w io.Writer, r Report, name string) error {
	load, err := r.pictured(name)
	if err != nil {
		return err
	}
	p := r.Loads.rungsOf(load, plot.Size{Width: plot.Width, Height: plot.Height})
	if p == nil {
		return fmt.Errorf("cannot draw %s: its work was counted in fewer than two ways", load.Name)
	}
	p.Title = fmt.Sprintf("%s %s: one second of %s", ServerName(r.Run.Flavor), r.Run.Target.Version, load.Name)
	return words.WritePNG(w, p)
}

// SecondSVG writes one second of a load, to scale, as a picture for a light or dark document.
func SecondSVG(w io.Writer, r Report, name string) error {
	load, err := r.pictured(name)
	if err != nil {
		return err
	}
	p := r.Loads.second(load)
	if p == nil {
		return fmt.Errorf("cannot draw %s: its work was counted in fewer than three ways", load.Name)
	}
	p.Size = plot.Size{Width: 520, Height: 150}
	text, err := p.SVGFile()
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

func (r Report) pictured(name string) (Load, error) {
	if name == "" && r.Headline != nil {
		name = r.Headline.Load
	}
	loaded := r.Loads.Loaded()
	if len(loaded) == 0 {
		return Load{}, errors.New("nothing to draw: no load was measured")
	}
	if name == "" {
		return loaded[0], nil
	}
	i := slices.IndexFunc(loaded, func(a Load) bool { return a.Name == name })
	if i < 0 {
		return Load{}, fmt.Errorf("cannot draw %s: the run has %s", name, strings.Join(Names(loaded), ", "))
	}
	return loaded[i], nil
}

// overTime shows the readings during the loads, if there are enough.
func (r Report) overTime(run *counts.Run) document.Block {
	begin, end := stretchOf(run)
	if begin.IsZero() {
		return nil
	}
	p := &plot.Picture{
		Title: "WAL records and device writes over time",
		X:     plot.Axis{Label: "seconds since the first load began"},
		Y:     plot.Axis{Label: "a second", Log: true},
	}
	repetitions := 0
	for _, load := range run.Loads {
		repetitions += len(load.Repetitions)
	}
	// in the ladder's colours
	for _, m := range []struct {
		of, name string
	}{{metric.BlockWrites, "device writes and flushes"}, {metric.StatWALRecords, "WAL records"}} {
		line := words.RateLine(run.Series(m.of), m.name, begin, end)
		if line.Drawn() > fewest*max(1, repetitions) {
			p.Lines = append(p.Lines, line)
		}
	}
	if len(p.Lines) == 0 {
		return nil
	}
	var loads []string
	for _, load := range run.Loads {
		for _, repetition := range load.Repetitions {
			p.Shades = append(p.Shades, plot.Shade{From: repetition.Begin.Sub(begin).Seconds(),
				To: repetition.End.Sub(begin).Seconds()})
		}
		loads = append(loads, fmt.Sprintf("%s %d", load.Name, len(load.Repetitions)))
	}
	p.Text = "Rates on a logarithmic scale while these loads ran, with their repetitions: " + strings.Join(loads, ", ") + "."
	legend := "Loads are shaded; between them, tables are created and dirty pages written."
	if r.Observed != nil {
		p.X.Label = "seconds since the observation began"
		p.Text = "Rates on a logarithmic scale while the server was observed."
		legend = "Windows that belong to a kind of load are shaded."
	}
	return document.Titled(p.Title, document.Figure{Pictures: plot.All(p), Legend: []string{legend}})
}

// fewest readings per repetition make a line worth drawing: two have nothing in between.
const fewest = 3

// stretchOf returns the time from the first load's begin to the last one's end; of an observation without loads, all of
// it.
func stretchOf(run *counts.Run) (begin, end time.Time) {
	var loads runfile.Stretch
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			loads.Extend(r.Begin, r.End)
		}
	}
	if run.Observed != nil && loads.From.IsZero() && run.Ended != nil {
		return run.Header.Start, run.Ended.At
	}
	return loads.From, loads.To
}
