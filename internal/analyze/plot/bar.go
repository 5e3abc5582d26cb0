package plot

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/realiops/realiops/internal/printable"
)

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
	} else {
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
