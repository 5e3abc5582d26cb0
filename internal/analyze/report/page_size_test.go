package report_test

import (
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/plot"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// sized is a shipped run with readings each second, its sizing for so much data, and the page of both.
func sized(t *testing.T, gib float64) (report.Size, report.Page) {
	t.Helper()
	run, err := drivers.FromFile("../../../testdata/runs/local-pg17.jsonl.zst")
	volumes, errVolumes := catalog.Volumes()
	prices, errPrices := catalog.Prices()
	if err := errors.Join(err, errVolumes, errPrices); err != nil {
		t.Fatal(err)
	}
	answer, err := sizing.Size(sizing.Ask{
		Arm: "wide", Headroom: 20, GiB: gib, Repeat: 86400, Tariff: sizing.Tariff{Region: "us-east-1", Prices: prices}, Volumes: volumes,
	}, run)
	if err != nil {
		t.Fatal(err)
	}
	size := report.NewSize(answer)
	page, err := report.NewPage(run, report.New(run, attribution.Judge(run, attribution.Options{})), &size, nil)
	if err != nil {
		t.Fatal(err)
	}
	return size, page
}

// section finds one by a word of its title.
func section(t *testing.T, p report.Page, word string) report.Section {
	t.Helper()
	i := slices.IndexFunc(p.Sections, func(s report.Section) bool { return strings.Contains(s.Title, word) })
	if i < 0 {
		t.Fatalf("no section on %s", word)
	}
	return p.Sections[i]
}

// number is a cell's, without what stands beside it.
func number(t *testing.T, cell report.Cell) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.Trim(strings.ReplaceAll(cell.Text, ",", ""), "*~"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSizesSayTheSame: a size in the page, in text and in Markdown is that of the JSON, which is the view model itself.
func TestSizesSayTheSame(t *testing.T) {
	size, page := sized(t, 500)
	options := section(t, page, "carries it for good").Table
	text := strings.Join(strings.Fields(rendered(t, func(w io.Writer) error { return report.SizeText(w, size, 400) })), " ")
	inHTML := tables(t, rendered(t, func(w io.Writer) error { return report.HTML(w, page) }))
	markdown := rendered(t, func(w io.Writer) error { return report.Markdown(w, page) })
	row := 0
	for _, o := range size.Options {
		if o.Why != "" {
			continue
		}
		cells := options.Rows[row]
		row++
		want := map[int]float64{2: o.GiB}
		if o.Carries != nil {
			want[3], want[4] = o.Carries[0], o.Carries[1]
		}
		if o.Monthly != nil {
			want[1] = *o.Monthly
		}
		for i, v := range want {
			if got := number(t, cells[i]); math.Abs(got-v) > 0.5 {
				t.Errorf("%s: %s is %g in the page and %g in JSON", o.Title, options.Header[i], got, v)
			}
		}
		var shown []string
		for _, c := range cells[:len(cells)-1] { // the last has the sources
			shown = append(shown, c.Text)
		}
		inText := strings.Join(append(append(shown[:1:1], shown[2:]...), shown[1]), " ") // the price comes last there
		if !strings.Contains(text, inText) {
			t.Errorf("%q is not in the text", inText)
		}
		if !strings.Contains(markdown, "| "+strings.ReplaceAll(strings.Join(shown, " | "), "*", `\*`)+" |") {
			t.Errorf("%q is not in Markdown", strings.Join(shown, " | "))
		}
		for _, cell := range shown {
			if !slices.Contains(inHTML, cell) {
				t.Errorf("%q is not in HTML", cell)
			}
		}
	}
	if row != len(options.Rows) {
		t.Errorf("%d options in the page, %d in JSON", len(options.Rows), row)
	}
}

// TestSidesAreHeldAgainstEachOther: what the device did and what the log records would have been taken for.
func TestSidesAreHeldAgainstEachOther(t *testing.T) {
	size, page := sized(t, 500)
	rows := section(t, page, "side by side").Table.Rows
	if got := number(t, rows[1][3]) / number(t, rows[0][3]); math.Abs(got/size.Misread.Factor-1) > 0.01 {
		t.Errorf("%g times the requests, %g in JSON", got, size.Misread.Factor)
	}
	cheapest := math.Inf(1)
	for _, o := range size.Options {
		if o.Carries != nil && o.Monthly != nil && o.Span == nil {
			cheapest = min(cheapest, *o.Monthly)
		}
	}
	if got := number(t, rows[0][1]); math.Abs(got-cheapest) > 0.5 {
		t.Errorf("%g a month, and the cheapest is %g", got, cheapest)
	}
}

// TestEverySourceIsNamed: the numbers beside an option are those of the list, and each has a date.
func TestEverySourceIsNamed(t *testing.T) {
	_, page := sized(t, 500)
	options := section(t, page, "carries it for good").Table
	cited := 0
	for _, row := range options.Rows {
		for mark := range strings.SplitSeq(row[len(row)-1].Text, ", ") {
			n, err := strconv.Atoi(mark)
			if err != nil || n < 1 || n > len(page.Sources) {
				t.Fatalf("%s has the source %q of %d", row[0].Text, mark, len(page.Sources))
			}
			cited = max(cited, n)
		}
	}
	if cited != len(page.Sources) {
		t.Errorf("%d sources cited, %d listed", cited, len(page.Sources))
	}
	for _, s := range page.Sources {
		if !strings.Contains(s, "as of 20") {
			t.Errorf("%q has no date", s)
		}
	}
}

// TestCreditsAreDrawn: for each volume whose credits end a curve that comes down to nought when the table says.
func TestCreditsAreDrawn(t *testing.T) {
	size, page := sized(t, 100) // of P10 the bytes are empty long before the operations
	lines := section(t, page, "How long credits last").Pictures[0].Lines
	ends := 0
	for _, o := range size.Options {
		if o.Bare == nil {
			continue
		}
		for _, l := range lines {
			if !strings.HasPrefix(l.Name, o.Title+" ") {
				continue
			}
			ends++
			first := slices.IndexFunc(l.Points, func(p plot.Point) bool { return p.Y < 0.2 })
			if at := l.Points[first].X * 3600; math.Abs(at-float64(*o.Bare.Dry)) > 720 { // a stretch of the curve, twice
				t.Errorf("%s is empty after %g s in the picture, %d s in JSON", l.Name, at, *o.Bare.Dry)
			}
		}
	}
	if ends == 0 {
		t.Error("nothing is drawn, or no credits end in this run")
	}
}
