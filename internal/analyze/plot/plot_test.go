package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/plot"
)

func sample() plot.Picture {
	return plot.Picture{
		Title: "Rows & <requests>", Text: "what it shows",
		X: plot.Axis{Label: "a second", Log: true}, Y: plot.Axis{Names: []string{"requests", "rows"}},
		Lines: []plot.Line{
			{Name: "bulk", Points: []plot.Point{{X: 1e6, Y: 1, Text: `bulk "rows"`},
				{X: 900, Y: 0, Text: "bulk requests"}}},
			{Name: "gap", Points: []plot.Point{{X: 10, Y: 0}, {X: 100, Y: math.NaN(), Text: "never"}, {X: 1000, Y: 1}}},
		},
		Shades: []plot.Shade{{From: 10, To: 100}, {From: 1e9, To: 1e12}},
	}
}

// texts returns the texts of all elements of a name in a document, which must be well-formed.
func texts(t *testing.T, document, name string) []string {
	t.Helper()
	var found []string
	d := xml.NewDecoder(strings.NewReader(document))
	for inside := false; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			inside = e.Name.Local == name
		case xml.CharData:
			if inside {
				found = append(found, string(e))
			}
		case xml.EndElement:
			inside = false
		}
	}
}

// TestSVGCanBeReadAndHovered: a title for the whole and one for every drawn point, and text stays text.
func TestSVGCanBeReadAndHovered(t *testing.T) {
	svg, err := sample().SVG()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Rows & <requests>", `bulk "rows"`, "bulk requests"},
		texts(t, svg, "title")); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"what it shows"}, texts(t, svg, "desc")); diff != "" {
		t.Errorf("description (-want +got):\n%s", diff)
	}
	if strings.Contains(svg, "#000000") || strings.Contains(svg, "<?xml") || !strings.Contains(svg, "currentColor") {
		t.Error("the picture has a colour of text or a head of its own")
	}
}

func TestDecadesAreInWords(t *testing.T) {
	svg, err := sample().SVG()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(texts(t, svg, "text"), " ")
	for _, want := range []string{"10", "100", "1k", "10k", "100k", "1M", "rows", "requests", "a second"} {
		if !strings.Contains(" "+words+" ", " "+want+" ") {
			t.Errorf("no %q in %q", want, words)
		}
	}
}

func TestPNGHasItsSize(t *testing.T) {
	file, err := sample().PNG()
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if b := picture.Bounds(); b.Dx() != 2*plot.Width || b.Dy() != 2*plot.Height {
		t.Errorf("%v", b)
	}
}

func TestLegendTellsLinesApart(t *testing.T) {
	keys := sample().Legend()
	if len(keys) != 2 || keys[0].Name != "bulk" || keys[0].Color == keys[1].Color {
		t.Errorf("%+v", keys)
	}
}

// TestBarsCanBeReadAndHovered: each has its value beside it and its text over it, and the two kinds differ.
func TestBarsCanBeReadAndHovered(t *testing.T) {
	p := plot.Picture{
		Title: "bulk", Text: "what it shows", Size: plot.Size{Width: 300, Height: 120},
		X: plot.Axis{Log: true, Min: 10, Max: 1e6}, Y: plot.Axis{Names: []string{"requests", "rows"}},
		Bars: []plot.Bar{{Place: 1, Value: 1e4, Label: "10,000", Text: "bulk rows", Second: true},
			{Place: 0, Value: 100, Label: "100", Text: "<requests>"}},
	}
	svg, err := p.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"bulk", "bulk rows", "<requests>"}, texts(t, svg, "title")); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}
	words := strings.Join(texts(t, svg, "text"), " ")
	for _, want := range []string{"10,000", "rows", "requests"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in %q", want, words)
		}
	}
	if strings.Count(strings.ToLower(svg), "fill:#0072b2") != 1 ||
		strings.Count(strings.ToLower(svg), "fill:#d55e00") != 1 || !strings.Contains(svg, `viewBox="0 0 300 120"`) {
		t.Errorf("not a bar of each colour, or not of this size:\n%s", svg)
	}
	grid := regexp.MustCompile(`<path d="[^"]*" style="[^"]*#808080`)
	if lines := grid.FindAllString(svg, -1); len(lines) > 0 {
		t.Errorf("%q would run through values at the ends of bars", lines)
	}
	if lines, err := sample().SVG(); err != nil || !grid.MatchString(lines) {
		t.Errorf("a picture of lines has no grid: %v", err)
	}
	// To scale: from 10 on, 10,000 is three decades and 100 is one.
	widths := regexp.MustCompile(`<rect [^>]* width="([0-9.]+)"`).FindAllStringSubmatch(svg, -1)
	long, errLong := strconv.ParseFloat(widths[0][1], 64)
	short, errShort := strconv.ParseFloat(widths[1][1], 64)
	if errLong != nil || errShort != nil || math.Abs(long/short-3) > 0.01 {
		t.Errorf("bars of %v points", widths)
	}
}

// TestColoursAreValid: CSS has colours of six hexadecimal digits, and the names that we use.
func TestColoursAreValid(t *testing.T) {
	picture, err := sample().SVG()
	if err != nil {
		t.Fatal(err)
	}
	colours := regexp.MustCompile(`(?:fill|stroke)(?:="|:)([^;"]+)`).FindAllStringSubmatch(picture, -1)
	for _, c := range colours {
		if !regexp.MustCompile(`^(#[0-9A-F]{6}|none|currentColor|transparent)$`).MatchString(c[1]) {
			t.Errorf("%q is no colour", c[0])
		}
	}
	if len(colours) < 10 {
		t.Errorf("%d colours in %s", len(colours), picture)
	}
}
