package storage

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/plot"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/printable"
)

// account is one quantity of a job, by fio and by the device.
type account struct {
	job         string
	fio, device *float64 // nil: none, or unknown
	more        string   // about fio's
}

// sideBySide shows the rates and latency of each job, fio's figures above the device's.
func (b Baseline) sideBySide() document.Block {
	if len(b.Jobs) == 0 {
		return nil
	}
	return document.Titled("Rates and latency: fio beside the device", document.Figure{
		Pictures: plot.All(b.operations(), b.megabytes(), b.latencies()),
		Legend: []string{"Orange is what fio says, blue what the kernel counted of the device meanwhile. Times are " +
			"means, of the slowest kind of operation."},
	})
}

// operations draws fio's operations and the device's requests, without flushes.
func (b Baseline) operations() *plot.Picture {
	var all []account
	for _, j := range b.Jobs {
		a := account{job: j.Name, fio: new(j.Fio.operations())}
		if j.Device != nil {
			a.device = &j.Device.Requests
		}
		all = append(all, a)
		if j.Fio.Syncs > 0 {
			a = account{job: j.Name + ", flushes", fio: &j.Fio.Syncs}
			if j.Device != nil {
				a.device = &j.Device.Flushes
			}
			all = append(all, a)
		}
	}
	return paired("Operations and requests", "a second", "a second", all)
}

func (b Baseline) megabytes() *plot.Picture {
	var all []account
	for _, j := range b.Jobs {
		a := account{job: j.Name, fio: new((j.Fio.ReadBytes + j.Fio.WriteBytes) / number.Mega)}
		if d := j.Device; d != nil {
			a.device = new((d.ReadBytes + d.WriteBytes) / number.Mega)
		}
		all = append(all, a)
	}
	return paired("Bytes", "MB a second", "MB a second", all)
}

func (b Baseline) latencies() *plot.Picture {
	const ms = 1000
	var all []account
	for _, j := range b.Jobs {
		a := account{job: j.Name}
		if slow := j.Fio.slow(); slow != nil {
			a.fio, a.more = new(slow.Mean*ms), fmt.Sprintf("; 99 of 100 within %s ms", milliseconds(slow.P99).Text)
			if of := j.Device.meanOf(j.Fio); number.Finite(of) {
				a.device = new(of * ms)
			}
		}
		all = append(all, a)
	}
	return paired("Latency", "milliseconds", "ms", all)
}

// meanOf returns the device's latency of the kind that was fio's slowest; NaN if unknown.
func (d *BaselineDevice) meanOf(f BaselineFio) float64 {
	switch slow := f.slow(); {
	case d == nil:
		return math.NaN()
	case slow == f.Sync:
		return d.FlushLatency
	case slow == f.Write:
		return d.WriteLatency
	default:
		return d.ReadLatency
	}
}

// paired draws two bars for each job, from the top down.
func paired(title, label, unit string, all []account) *plot.Picture {
	const margin, thickness, room = 45, 17, 1.35
	p := &plot.Picture{
		Title: title, Size: plot.Size{Width: words.Panel().Width, Height: margin + thickness*float64(2*len(all))},
		X: plot.Axis{Label: label},
	}
	add := func(name, who string, v *float64, more string, second bool) string {
		place := 2*len(all) - 1 - len(p.Y.Names)
		p.Y.Names = append(p.Y.Names, name)
		if v == nil || !number.Finite(*v) {
			return who + " -"
		}
		p.X.Max = max(p.X.Max, room**v)
		p.Bars = append(p.Bars, plot.Bar{Place: place, Value: *v, Label: number.Ratio(*v), Text: who + ": " +
			number.Ratio(*v) + " " + unit + more, Second: second})
		return who + " " + number.Ratio(*v)
	}
	p.Text = title + ", " + unit + "."
	for _, a := range all {
		fio := add(a.job, a.job+", fio", a.fio, a.more, true)
		p.Text += " " + fio + "; " + add("device", "device", a.device, "", false) + "."
	}
	slices.Reverse(p.Y.Names)
	return p
}

// course shows the seconds of the job that ran until it was throttled, and when that was.
func (b Baseline) course(run *counts.Run) document.Block {
	pictures := b.courses(run)
	if len(pictures) == 0 {
		return nil
	}
	legend := "Second by second, as fio says it."
	if b.Throttle.Found {
		legend += " The shade begins where storage slowed down for good; the second line is the median " +
			"before and after."
	}
	return document.Titled("The course of "+b.Jobs[0].Name,
		document.Figure{Pictures: plot.All(pictures...), Legend: []string{legend}})
}

// courses draws rate and latency over time; none if throttling was not waited for.
func (b Baseline) courses(run *counts.Run) []*plot.Picture {
	points := b.seconds(run)
	if b.Throttle == nil || len(points) < 2 {
		return nil
	}
	const ms = 1000
	rates := b.courseOf(points, "operations a second", func(p baseline.Point) float64 { return p.Operations },
		func(l baseline.Level) float64 { return l.Operations })
	times := b.courseOf(points, "ms", func(p baseline.Point) float64 {
		return ms * p.Latency
	}, func(l baseline.Level) float64 { return ms * l.Latency })
	rates.Title, times.Title = "Rate", "Latency"
	return []*plot.Picture{rates, times}
}

// seconds returns the recorded seconds of the first job.
func (b Baseline) seconds(run *counts.Run) []baseline.Point {
	for _, load := range run.Loads {
		if len(load.Repetitions) > 0 && len(b.Jobs) > 0 && load.Name == b.Jobs[0].Name {
			return baseline.PointsOf(run, load.Repetitions[0])
		}
	}
	return nil
}

// courseOf draws one quantity over time, with its levels before and after.
func (b Baseline) courseOf(points []baseline.Point, unit string, of func(baseline.Point) float64,
	level func(baseline.Level) float64) *plot.Picture {
	last := points[len(points)-1].Seconds
	p := &plot.Picture{
		Size: words.Panel(), X: plot.Axis{Label: "seconds since the job began"}, Y: plot.Axis{Label: unit},
		Text: fmt.Sprintf("%s, %s.", printable.Counted(len(points), "second"), unit),
	}
	each := words.Thinner{Line: plot.Line{Name: "each second"}, Together: last * 2 / words.MostPoints}
	for _, at := range points {
		v := of(at)
		each.Add(plot.Point{X: at.Seconds, Y: v, Text: fmt.Sprintf("%s s: %s %s", number.Rate(at.Seconds),
			number.Rate(v), unit)})
	}
	each.Close()
	p.Lines = []plot.Line{each.Line}
	if t := b.Throttle; t.Found {
		before, after := level(*t.Before), level(*t.After)
		p.Shades = []plot.Shade{{From: t.Seconds, To: last}}
		p.Lines = append(p.Lines, plot.Line{Name: "median before and after", Points: []plot.Point{
			{X: 0, Y: before}, {X: t.Seconds, Y: before, Text: fmt.Sprintf("until %s s: %s %s", number.Rate(t.Seconds),
				number.Rate(before), unit)},
			{X: t.Seconds, Y: after, Text: fmt.Sprintf("from %s s on: %s %s", number.Rate(t.Seconds),
				number.Rate(after), unit)}, {X: last, Y: after},
		}})
		p.Text += fmt.Sprintf(" %s until %s s, %s after that.", number.Rate(before), number.Rate(t.Seconds),
			number.Rate(after))
	}
	p.Y.Max = 1.1 * words.Highest(p.Lines)
	return p
}

// BaselinePNG writes the main picture for a chat: the course until throttling, or else the operations of each job.
func BaselinePNG(w io.Writer, run *counts.Run, b Baseline) error {
	if len(b.Jobs) == 0 {
		return errors.New("nothing to draw: no job has a result")
	}
	p, subject := b.operations(), "operations of fio's (orange), requests of the device (blue)"
	if course := b.courses(run); course != nil {
		p, subject = course[0], b.Jobs[0].Name+", until it is throttled"
	}
	p.Title = b.Run.Storage.Directory + ": " + subject
	p.Size.Width = plot.Width
	return words.WritePNG(w, p)
}
