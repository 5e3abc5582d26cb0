// Package plot draws the pictures of a report: as SVG inside a page, readable on light and dark backgrounds, with a
// text for screen readers and values on hover; and as PNG.
//
// It knows lines, shades and axes, and nothing of runs or metrics. gonum/plot draws; titles and values of points, which
// it lacks, are added to its SVG.
package plot

import (
	"cmp"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/printable"
)

// Picture is a picture to draw.
type Picture struct {
	Title  string
	Text   string // description for screen readers
	X, Y   Axis
	Lines  []Line
	Bars   []Bar
	Shades []Shade
	Size   Size // zero: Width and Height
}

// Size is a picture's size in points; a page scales it to its own width.
type Size struct{ Width, Height float64 }

// size returns the picture's size, or the default.
func (p Picture) size() Size { return cmp.Or(p.Size, Size{Width, Height}) }

// Axis is one side of a picture.
type Axis struct {
	Label string
	Log   bool
	Names []string // of the places 0, 1, …; none: numbers
	// Min and Max are its ends, so that several pictures can be compared; both 0: automatic.
	Min, Max float64
}

// Line is a line through points. It breaks where a point's Y is NaN.
type Line struct {
	Name   string
	Points []Point
}

// Point is a point with a text shown on hover.
type Point struct {
	X, Y float64
	Text string
}

// Shade is a marked stretch of the X axis.
type Shade struct {
	From, To float64
}

// palette returns colours that most people can distinguish, on light and dark backgrounds (after Okabe and Ito).
func palette() []color.RGBA {
	return []color.RGBA{
		{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
		{0xc4, 0x84, 0x00, 0xff}, {0x3a, 0x9b, 0xd5, 0xff}, {0x8c, 0x6b, 0xb1, 0xff}, {0x80, 0x80, 0x2a, 0xff},
	}
}

// gray is readable on light and dark.
func gray() color.RGBA { return color.RGBA{0x80, 0x80, 0x80, 0xff} }

func (p Picture) plot(legend bool) (*plot.Plot, error) {
	d := plot.New()
	if !legend {
		d.BackgroundColor = nil // the page's
	}
	p.X.apply(&d.X)
	p.Y.apply(&d.Y)
	for _, s := range p.Shades {
		d.Add(s)
	}
	if len(p.Bars) == 0 { // bars show their values, and a line would run through one
		g := plotter.NewGrid()
		for _, lines := range []*draw.LineStyle{&g.Vertical, &g.Horizontal} {
			lines.Color, lines.Width = gray(), vg.Points(0.25)
		}
		d.Add(g)
	}
	for _, b := range p.Bars {
		d.Add(b)
	}
	for i, l := range p.Lines {
		if err := l.add(d, i, legend); err != nil {
			return nil, err
		}
	}
	p.X.fit(&d.X)
	p.Y.fit(&d.Y)
	d.Legend.Top = true
	d.Legend.TextStyle.Font = face(9)
	return d, nil
}

func face(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

func (a Axis) apply(to *plot.Axis) {
	to.Label.Text = printable.Line(a.Label)
	to.Label.TextStyle.Font, to.Tick.Label.Font = face(10), face(9)
	to.Tick.Marker = numbers{}
	if a.Log {
		to.Scale, to.Tick.Marker = plot.LogScale{}, decades{}
	}
	if len(a.Names) > 0 {
		var ticks []plot.Tick
		for i, name := range a.Names {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: printable.Line(name)})
		}
		to.Tick.Marker = plot.ConstantTicks(ticks)
		to.Tick.Color, to.Tick.Length = color.Transparent, slack
	}
}

// slack is the room beside names, which may be wider in the font of a page than in ours.
const slack = 12

// fit leaves room beyond the outermost names, and extends logarithmic axes to whole decades.
func (a Axis) fit(to *plot.Axis) {
	switch {
	case a.Max > a.Min:
		to.Min, to.Max = a.Min, a.Max
	case len(a.Names) > 0:
		to.Min, to.Max = -thick/2-0.1, float64(len(a.Names)-1)+thick/2+0.1
	case a.Log && to.Min > 0:
		to.Min = math.Pow(10, math.Floor(math.Log10(to.Min)))
		to.Max = max(to.Min*10, math.Pow(10, math.Ceil(math.Log10(to.Max))))
	}
}

// numbers marks round numbers in short form: 500, 1k.
type numbers struct{}

// Ticks returns the marks between two values; gonum/plot calls it.
func (numbers) Ticks(least, most float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(least, most)
	for i, t := range ticks {
		if !t.IsMinor() {
			ticks[i].Label = decade(t.Value)
		}
	}
	return ticks
}

// decades marks powers of ten in short form: 1, 10, 100, 1k.
type decades struct{}

// Ticks returns the marks between two values; gonum/plot calls it.
func (decades) Ticks(least, most float64) (ticks []plot.Tick) {
	first, last := math.Floor(math.Log10(max(least, 1e-12))), math.Floor(math.Log10(most*1.0001))
	for exponent := first; exponent <= last; exponent++ {
		tick := plot.Tick{Value: math.Pow(10, exponent)}
		if last-first < manyDecades || math.Mod(exponent, 3) == 0 {
			tick.Label = decade(tick.Value)
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// manyDecades is the number from which on only every third is named.
const manyDecades = 8

func decade(v float64) string {
	for _, prefix := range []struct {
		unit float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= prefix.unit {
			return fmt.Sprintf("%g%s", v/prefix.unit, prefix.name)
		}
	}
	return fmt.Sprintf("%.3g", v)
}

// colorOf returns the colour of the line at an index.
func colorOf(i int) color.RGBA { return palette()[i%len(palette())] }

// Drawn returns the number of points that are not gaps.
func (l Line) Drawn() (n int) {
	for _, p := range l.Points {
		if !math.IsNaN(p.Y) {
			n++
		}
	}
	return n
}

// add adds a line to a plot and, if requested, its name to the legend.
func (l Line) add(d *plot.Plot, i int, legend bool) error {
	for j, stretch := range l.stretches() {
		line, err := plotter.NewLine(stretch)
		if err != nil {
			return fmt.Errorf("draw %s: %w", l.Name, err)
		}
		line.Color, line.Width = colorOf(i), vg.Points(1.25)
		d.Add(line)
		if j == 0 && legend {
			d.Legend.Add(printable.Line(l.Name), line)
		}
	}
	return nil
}

// All returns pictures for a document.
func All(pictures ...*Picture) (all []document.Picture) {
	for _, p := range pictures {
		all = append(all, p)
	}
	return all
}

// Heading returns the title.
func (p Picture) Heading() string { return p.Title }

// Small reports whether it has its own size, to stand beside others.
func (p Picture) Small() bool { return p.Size != Size{} }

// Legend returns the keys of the lines, in order.
func (p Picture) Legend() (keys []document.Key) {
	for i, l := range p.Lines {
		c := colorOf(i)
		keys = append(keys, document.Key{Name: l.Name, Color: fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)})
	}
	return keys
}

// stretches returns the points between gaps.
func (l Line) stretches() (all []plotter.XYs) {
	open := false
	for _, p := range l.Points {
		if math.IsNaN(p.Y) || math.IsInf(p.Y, 0) {
			open = false
			continue
		}
		if !open {
			all, open = append(all, nil), true
		}
		all[len(all)-1] = append(all[len(all)-1], plotter.XY{X: p.X, Y: p.Y})
	}
	return all
}

// Plot fills the stretch from bottom to top; gonum/plot calls it.
func (s Shade) Plot(c draw.Canvas, d *plot.Plot) {
	x, _ := d.Transforms(&c)
	from, to := max(x(s.From), c.Min.X), min(x(s.To), c.Max.X)
	if from >= to {
		return
	}
	c.FillPolygon(color.NRGBA{0x80, 0x80, 0x80, 0x28}, []vg.Point{{X: from, Y: c.Min.Y}, {X: to, Y: c.Min.Y},
		{X: to, Y: c.Max.Y}, {X: from, Y: c.Max.Y}})
}

// Bar reaches from the left to a value, at one of the named places of the Y axis.
type Bar struct {
	Place  int
	Value  float64
	Label  string // at its end
	Text   string // shown on hover
	Second bool   // in the second colour of the palette
	Dot    bool   // only its end is drawn: on a logarithmic scale lengths mean nothing
}

// thick is the share of the distance between two places that a bar takes.
const thick = 0.6

// Plot draws the bar and its label; gonum/plot calls it.
func (b Bar) Plot(c draw.Canvas, d *plot.Plot) {
	left, right, bottom, top := b.corners(c, d)
	fill := palette()[0]
	if b.Second {
		fill = palette()[1]
	}
	gap := vg.Length(3)
	if b.Dot {
		radius := min((top-bottom)/2, 5)
		c.DrawGlyph(draw.GlyphStyle{Color: fill, Radius: radius, Shape: draw.CircleGlyph{}},
			vg.Point{X: right, Y: (bottom + top) / 2})
		gap += radius
	} else if b.Value > 0 {
		c.FillPolygon(fill, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top},
			{X: left, Y: top}})
	}
	style := draw.TextStyle{Color: color.Black, Font: face(labelSize), XAlign: draw.XLeft, YAlign: draw.YCenter,
		Handler: plot.DefaultTextHandler}
	c.FillText(style, vg.Point{X: right + gap, Y: (bottom + top) / 2}, printable.Line(b.Label))
}

// labelSize is the size of a value's label, in points.
const labelSize font.Length = 9

func (b Bar) corners(c draw.Canvas, d *plot.Plot) (left, right, bottom, top vg.Length) {
	x, y := d.Transforms(&c)
	left = c.Min.X
	return left, max(x(b.Value), left+1), y(float64(b.Place) - thick/2), y(float64(b.Place) + thick/2)
}

// DataRange returns the range that the axes must include; gonum/plot calls it.
func (b Bar) DataRange() (leastX, mostX, leastY, mostY float64) {
	return b.Value, b.Value, float64(b.Place), float64(b.Place)
}
