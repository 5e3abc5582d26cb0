package plot

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/realiops/realiops/internal/printable"
)

// Default size of a picture, in points.
const (
	Width  = 640
	Height = 300
)

// SVG returns the picture as an element of a page, without its legend.
func (p Picture) SVG() (string, error) {
	d, err := p.plot(false)
	if err != nil {
		return "", err
	}
	canvas := vgsvg.New(vg.Length(p.size().Width), vg.Length(p.size().Height))
	whole := framed(draw.New(canvas))
	d.Draw(whole)
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return "", fmt.Errorf("draw %s: %w", p.Title, err)
	}
	return p.embedded(text.String(), p.hovers(d, whole)), nil
}

// standalone replaces a page's colours in a file: text for a light background, or for dark if the viewer prefers it.
const standalone = `<style>svg{color:#1b1f24;font-family:sans-serif}@media(prefers-color-scheme:dark){svg{color:#e3e8ee}}</style>`

// SVGFile returns the picture as a file, with a transparent background.
func (p Picture) SVGFile() (string, error) {
	element, err := p.SVG()
	size := fmt.Sprintf(`<svg width="%g" height="%g" `, p.size().Width, p.size().Height)
	element = strings.Replace(element, "<svg ", size, 1)
	return strings.Replace(element, "<title>", standalone+"<title>", 1) + "\n", err
}

// framed leaves room for labels that extend beyond their axis.
func framed(c draw.Canvas) draw.Canvas { return draw.Crop(c, 6, -18, 0, -4) }

// black matches the colour in which gonum/plot draws axes and unstyled text. On a page, which may be dark, they take
// the colour of its text.
var black = regexp.MustCompile(`#000000`)

// invisible matches marks that gonum/plot draws with no opacity, and with a colour that is not valid.
var invisible = regexp.MustCompile(`<path [^>]*stroke-opacity:0;[^>]*/>\n?`)

// embedded turns an SVG document into a part of a page: without its head and fixed size, with a title and a text, and
// with the values of points on top.
func (p Picture) embedded(document, hovers string) string {
	_, body, _ := strings.Cut(document, "<svg")
	_, body, _ = strings.Cut(body, ">")
	body = invisible.ReplaceAllString(body, "")
	body = black.ReplaceAllString(strings.Replace(body, "</svg>", hovers+"</svg>", 1), "currentColor")
	head := fmt.Sprintf(
		`<svg role="img" fill="currentColor" viewBox="0 0 %g %g" xmlns="http://www.w3.org/2000/svg"><title>%s</title><desc>%s</desc>`,
		p.size().Width, p.size().Height, quoted(p.Title), quoted(p.Text))
	return head + body
}

// quoted escapes text for a page.
func quoted(s string) string { return html.EscapeString(printable.Line(s)) }

// hovers returns invisible shapes over bars and points, each with its text.
func (p Picture) hovers(d *plot.Plot, whole draw.Canvas) string {
	inner := d.DataCanvas(whole)
	x, y := d.Transforms(&inner)
	var all strings.Builder
	all.WriteString(`<g fill="transparent">`)
	for _, b := range p.Bars {
		if b.Text == "" {
			continue
		}
		left, right, bottom, top := b.corners(inner, d)
		fmt.Fprintf(&all, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s</title></rect>`,
			left.Points(), (vg.Length(p.size().Height) - top).Points(), (right - left).Points(),
			(top - bottom).Points(), quoted(b.Text))
	}
	for _, l := range p.Lines {
		for _, at := range l.Points {
			if at.Text == "" || math.IsNaN(at.Y) {
				continue
			}
			fmt.Fprintf(&all, `<circle cx="%.1f" cy="%.1f" r="6"><title>%s</title></circle>`,
				x(at.X).Points(), p.size().Height-y(at.Y).Points(), quoted(at.Text))
		}
	}
	all.WriteString("</g>")
	return all.String()
}

// legendRoom is the factor by which a logarithmic axis is extended, so that a legend fits beside the lines.
const legendRoom = 10

// PNG returns the picture as a file, on white, with its legend.
func (p Picture) PNG() ([]byte, error) {
	d, err := p.plot(true)
	if err != nil {
		return nil, err
	}
	d.Title.Text, d.Title.TextStyle.Font = printable.Line(p.Title), face(12)
	if p.X.Log && len(p.Lines) > 0 {
		d.X.Max *= legendRoom
	}
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(p.size().Width), vg.Length(p.size().Height)), vgimg.UseDPI(144))
	d.Draw(framed(draw.New(canvas)))
	var file bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&file); err != nil {
		return nil, fmt.Errorf("draw %s: %w", p.Title, err)
	}
	return file.Bytes(), nil
}
