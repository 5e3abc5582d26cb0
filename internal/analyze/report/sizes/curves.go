package sizes

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/plot"
	"github.com/realiops/realiops/internal/analyze/report/words"
)

// curves shows how long credits last.
func (s Size) curves() document.Block {
	balance := s.balanceCurves()
	if len(balance.Lines) == 0 {
		return nil
	}
	return document.Titled(balance.Title, document.Figure{Pictures: plot.All(balance), Legend: []string{
		"The recorded seconds, repeated. At 0 the volume falls back to its rate without credits.",
	}}, document.Titled("Requested and delivered", document.Figure{Pictures: plot.All(s.servedCurves()...)}))
}

// balanceCurves draws the remaining credits.
func (s Size) balanceCurves() *plot.Picture {
	p := &plot.Picture{
		Title: "How long credits last", X: plot.Axis{Label: "hours of this load"},
		Y: plot.Axis{Label: "credits left, %", Min: 0, Max: 105},
	}
	var texts []string
	draw := func(o SizeOption, c *SizeCredits) {
		if c == nil {
			return
		}
		name := c.name(o)
		line := plot.Line{Name: name, Points: []plot.Point{{X: 0, Y: c.Start}}}
		for i := range c.Curve.Second {
			at := c.Curve.end(i, c.Seconds) / hour
			text := fmt.Sprintf("%s: %s%% left after %s h", name, number.Rate(c.Curve.Balance[i]), number.Rate(at))
			line.Points = append(line.Points, plot.Point{X: at, Y: c.Curve.Balance[i], Text: text})
		}
		p.Lines = append(p.Lines, line)
		texts = append(texts, name+": "+c.fate())
	}
	for _, o := range s.Options {
		draw(o, o.Bare)
		draw(o, o.Credits)
	}
	p.Text = strings.Join(texts, "; ") + "."
	return p
}

// name returns the volume with its size and, if any, its tier.
func (c SizeCredits) name(o SizeOption) string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s GiB", o.Title, c.Tier, number.Grouped(c.GiB, 0))), " ")
}

func (c SizeCredits) fate() string {
	if c.Dry != nil {
		return "empty after " + hours(*c.Dry)
	}
	return fmt.Sprintf("never below %s%%, %s%% at the end", number.Grouped(c.Lowest, 0), number.Grouped(c.Left, 0))
}

// end returns the second in which a stretch of the curve ends.
func (c SizeCurve) end(i, last int) float64 {
	if i+1 < len(c.Second) {
		return float64(c.Second[i+1])
	}
	return float64(last)
}

// servedCurves draws, for each volume whose credits run out, the demand and the part served, in the units of the bucket
// that runs dry.
func (s Size) servedCurves() (all []*plot.Picture) {
	for _, o := range s.Options {
		c := o.Bare
		if c == nil {
			continue
		}
		unit, asked, served := "operations a second", c.Curve.Demanded, c.Curve.Served
		if strings.Contains(c.Bucket, "bytes") {
			unit, asked, served = "MB a second", c.Curve.DemandedMB, c.Curve.ServedMB
		}
		name := c.name(o)
		p := &plot.Picture{
			Title: name, Size: words.Panel(), X: plot.Axis{Label: "hours of this load"}, Y: plot.Axis{Label: unit},
			Lines: []plot.Line{c.Curve.line("asked for", unit, asked, c.Seconds),
				c.Curve.line("served", unit, served, c.Seconds)},
			Text: fmt.Sprintf("%s: %s; then %s operations and %s MB a second go through.", name, c.fate(),
				number.Rate(c.Served.Operations), number.Rate(c.Served.Bytes/number.Mega)),
		}
		p.Y.Max = 1.1 * words.Highest(p.Lines)
		all = append(all, p)
	}
	return all
}

func (c SizeCurve) line(name, unit string, column []float64, last int) plot.Line {
	line := plot.Line{Name: name}
	for i, v := range column {
		from, to := float64(c.Second[i])/hour, c.end(i, last)/hour
		text := fmt.Sprintf("%s h: %s %s %s", number.Rate(from), number.Rate(v), unit, name)
		line.Points = append(line.Points, plot.Point{X: from, Y: v, Text: text}, plot.Point{X: to, Y: v})
	}
	return line
}
