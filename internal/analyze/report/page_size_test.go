package report_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/plot"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// sized returns a shipped run with readings by the second, its sizing for the given data, and the page of both.
func sized(t *testing.T, gib float64) (sizes.Size, document.Document) {
	t.Helper()
	return sizedBy(t, runFrom(t, "../../../testdata/runs/local-pg17.jsonl.zst"),
		sizing.Ask{Load: "wide", Headroom: 20, GiB: gib, Repeat: 86400, Disks: 1})
}

// sizedBy returns a run's sizing for all known volumes and instances, and the page of both.
func sizedBy(t *testing.T, run *counts.Run, ask sizing.Ask) (sizes.Size, document.Document) {
	t.Helper()
	ask.Volumes, ask.Instances = catalog.Volumes(), catalog.Instances()
	ask.Tariff = sizing.Tariff{Region: "us-east-1", Prices: catalog.Prices()}
	answer, err := sizing.Size(ask, run)
	if err != nil {
		t.Fatal(err)
	}
	size := sizes.NewSize(answer)
	return size, report.Document(run, report.New(run, attribution.Judge(run, attribution.Options{})), &size, nil)
}

// number returns the number in a cell.
func number(t *testing.T, cell document.Cell) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.Trim(strings.ReplaceAll(cell.Text, ",", ""), "*~"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestBillsAddUp: the lines of a bill add up to the monthly total.
func TestBillsAddUp(t *testing.T) {
	size, _ := sized(t, 500)
	priced := 0
	for _, o := range size.Options {
		if o.Monthly == nil {
			continue
		}
		priced++
		sum := 0.0
		for _, line := range o.Bill {
			sum += line.Amount
		}
		if math.Abs(sum-*o.Monthly) > 1e-9**o.Monthly {
			t.Errorf("%s costs %g a month, and its bill comes to %g", o.Title, *o.Monthly, sum)
		}
	}
	if priced == 0 {
		t.Error("no option has a price")
	}
}

// TestSizesAreConsistent: sizes and the duration of credits in tables and CSV equal those in JSON, which is the view
// model.
func TestSizesAreConsistent(t *testing.T) {
	size, page := sized(t, 500)
	lines := options(t, size)
	// same compares a row of a table with numbers, by column title.
	same := func(table document.Table, i int, want map[string]float64) {
		t.Helper()
		for name, v := range want {
			k := slices.IndexFunc(table.Columns, func(c document.Column) bool {
				return strings.ReplaceAll(c.Header, "\u00a0", " ") == name
			})
			if k < 0 {
				t.Fatalf("no column %q", name)
			}
			if cell := table.Rows[i].Cells[k]; !rounds(t, cell, v) {
				t.Errorf("%s: %s is %s in the table and %g in JSON", table.Rows[i].Cells[0].Text, name, cell.Text, v)
			}
		}
	}
	tables := map[bool]document.Table{true: tableOf(t, page, "carries it indefinitely"),
		false: tableOf(t, page, "Limits unknown")}
	rows, bare := map[bool]int{}, 0
	credits := tableOf(t, page, "Where credits run out")
	for i, o := range size.Options {
		inCSV := map[string]float64{}
		if o.Standing != "too-small" && o.Standing != "unasked" {
			inCSV["gib"] = o.GiB
			want := map[string]float64{"GiB": o.GiB}
			if o.Carries != nil {
				want["IOPS"], want["MiB/s"] = o.Carries[0], o.Carries[1]
				inCSV["carries_iops"], inCSV["carries_mibps"] = o.Carries[0], o.Carries[1]
			}
			if o.Monthly != nil {
				want["USD a month"], inCSV["monthly"] = *o.Monthly, *o.Monthly
			}
			carries := o.Standing == "carries"
			same(tables[carries], rows[carries], want)
			rows[carries]++
		}
		if c := o.Bare; c != nil {
			inCSV["bare_gib"], inCSV["bare_dry_at"], inCSV["bare_served_dry_operations"] = c.GiB, float64(*c.Dry),
				c.Served.Operations
			same(credits, bare, map[string]float64{
				"GiB": c.GiB, "empty after": float64(*c.Dry), "then IOPS": c.Served.Operations,
				"and MB/s":                c.Served.Bytes / 1e6,
				"full again without load": c.Refills,
			})
			bare++
		}
		for name, want := range inCSV {
			if got, err := strconv.ParseFloat(lines[i][name], 64); err != nil || got != want {
				t.Errorf("%s: %s is %q in CSV and %g in JSON", o.Title, name, lines[i][name], want)
			}
		}
	}
	if rows[true] != len(tables[true].Rows) || rows[false] != len(tables[false].Rows) ||
		bare != len(credits.Rows) || bare == 0 {
		t.Errorf("%d and %d options and %d with credits in the tables, %v and %d in JSON", len(tables[true].Rows),
			len(tables[false].Rows), len(credits.Rows), rows, bare)
	}
}

// options returns the lines of a sizing as CSV, by column name.
func options(t *testing.T, size sizes.Size) []map[string]string {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(rendered(t, func(w io.Writer) error {
		return document.CSV(w, size.Document())
	}))).ReadAll()
	if err != nil || len(lines) != 1+len(size.Options) {
		t.Fatalf("%d lines, %d options: %v", len(lines), len(size.Options), err)
	}
	var all []map[string]string
	for _, line := range lines[1:] {
		named := map[string]string{}
		for i, name := range lines[0] {
			named[name] = line[i]
		}
		all = append(all, named)
	}
	return all
}

// rounds reports whether a cell shows a number: rounded to an integer, to two digits if small, or a time to a minute.
func rounds(t *testing.T, cell document.Cell, want float64) bool {
	t.Helper()
	var hours, minutes float64
	if n, _ := fmt.Sscanf(cell.Text, "%g:%g h", &hours, &minutes); n == 2 {
		return math.Abs(hours*3600+minutes*60-want) <= 30
	}
	got := number(t, cell)
	if strings.HasPrefix(cell.Text, "~") { // an estimate has at least two digits
		return math.Abs(got/want-1) <= 0.05
	}
	return math.Abs(got-want) <= 0.5 && (want >= 10 || math.Abs(got/want-1) < 0.05)
}

// TestSidesAreCompared: the device's work and the order that WAL records would suggest, said in words only once.
func TestSidesAreCompared(t *testing.T) {
	size, page := sized(t, 500)
	rows := tableOf(t, page, "the wrong number would").Rows
	if got := number(t, rows[1].Cells[4]) / number(t, rows[0].Cells[4]); math.Abs(got/size.Misread.Factor-1) > 0.01 {
		t.Errorf("%g times the requests, %g in JSON", got, size.Misread.Factor)
	}
	cheapest := math.Inf(1)
	for _, o := range size.Options {
		if o.Standing == "carries" && o.Monthly != nil {
			cheapest = min(cheapest, *o.Monthly)
		}
	}
	if got := number(t, rows[0].Cells[1]); math.Abs(got-cheapest) > 0.5 {
		t.Errorf("%g a month, and the cheapest is %g", got, cheapest)
	}
	html := rendered(t, func(w io.Writer) error { return document.HTML(w, page) })
	if n := strings.Count(html, "If you took WAL records for IOPS"); n != 1 {
		t.Errorf("the page says %d times what the wrong number would have cost", n)
	}
}

// TestEveryTotalHasADate: every monthly cost has the date of its prices, in JSON and in each table.
func TestEveryTotalHasADate(t *testing.T) {
	size, page := sized(t, 500)
	var value any
	text, err := json.Marshal(size)
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		t.Fatal(err)
	}
	totals := 0
	var look func(path string, v any)
	look = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, field := range v {
				look(path+"."+key, field)
				if date := map[string]string{"monthly": "prices_as_of", "io_cost": "prices_as_of",
					"cheapest": "prices_as_of", "aurora_io_cost": "aurora_io_cost_prices_as_of"}[key]; date != "" &&
					field != nil {
					totals++
					if text, _ := v[date].(string); !strings.HasPrefix(text, "20") {
						t.Errorf("%s.%s has no date", path, key)
					}
				}
			}
		case []any:
			for _, element := range v {
				look(path, element)
			}
		}
	}
	look("", value)
	if totals < 10 {
		t.Errorf("%d totals: this tests little", totals)
	}
	walk("", page.Blocks, func(title string, b document.Block) {
		table, _ := b.(document.Table)
		month := slices.IndexFunc(table.Columns, func(c document.Column) bool {
			return strings.HasSuffix(strings.ReplaceAll(c.Header, "\u00a0", " "), "USD a month")
		})
		dates := slices.IndexFunc(table.Columns, func(c document.Column) bool { return c.Header == "prices of" })
		for _, row := range table.Rows {
			if month >= 0 && row.Cells[month].Text != "-" &&
				(dates < 0 || !strings.HasPrefix(row.Cells[dates].Text, "20")) {
				t.Errorf("%s: %v", title, row.Cells)
			}
		}
	})
}

// TestEverySourceIsNamed: the numbers beside an option refer to the list, where each has a date.
func TestEverySourceIsNamed(t *testing.T) {
	_, page := sized(t, 500)
	var sources document.List
	walk("", page.Blocks, func(title string, b document.Block) {
		if list, is := b.(document.List); is && strings.HasPrefix(title, "Sources") {
			sources = list
		}
	})
	cited := 0
	rows := append(tableOf(t, page, "carries it indefinitely").Rows, tableOf(t, page, "Limits unknown").Rows...)
	for _, row := range rows {
		for mark := range strings.SplitSeq(row.Cells[len(row.Cells)-1].Text, ", ") {
			n, err := strconv.Atoi(mark)
			if err != nil || n < 1 || n > len(sources) {
				t.Fatalf("%s has the source %q of %d", row.Cells[0].Text, mark, len(sources))
			}
			cited = max(cited, n)
		}
	}
	if cited != len(sources) {
		t.Errorf("%d sources cited, %d listed", cited, len(sources))
	}
	for _, s := range sources {
		if !strings.Contains(s, "as of 20") {
			t.Errorf("%q has no date", s)
		}
	}
}

// TestCreditsAreDrawn: each volume whose credits run out has a curve that reaches zero at the time in the table.
func TestCreditsAreDrawn(t *testing.T) {
	size, page := sized(t, 100) // P10 runs out of bytes long before operations
	pictures := picturesOf(page)
	lines := pictures[slices.IndexFunc(pictures, func(p *plot.Picture) bool {
		return p.Title == "How long credits last"
	})].Lines
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
			// two steps of the curve
			if at := l.Points[first].X * 3600; math.Abs(at-float64(*o.Bare.Dry)) > 720 {
				t.Errorf("%s is empty after %g s in the picture, %d s in JSON", l.Name, at, *o.Bare.Dry)
			}
		}
	}
	if ends == 0 {
		t.Error("nothing is drawn, or no credits end in this run")
	}
}

// TestSmallMachineGetsNoOrder: for a class that is too small no volume is ordered, let alone another provider's.
func TestSmallMachineGetsNoOrder(t *testing.T) {
	run := runFrom(t, shippedRun)
	bought := func(load, instance string) string {
		t.Helper()
		_, page := sizedBy(t, run, sizing.Ask{Load: load, Instance: instance, GiB: 100})
		var said string
		walk("", page.Blocks, func(_ string, b document.Block) {
			if answers, is := b.(document.Answers); is {
				i := slices.IndexFunc(answers, func(a document.Answer) bool { return a.Question == "What do I buy?" })
				said = answers[i].Texts[0]
			}
		})
		return said
	}
	for _, of := range []struct{ load, instance, want string }{
		{"wide", "r6g.large", "No known volume carries "},
		{"multi", "r6g.large", "EBS gp3, 100 GiB"},
		{"multi", "Standard_DS14_v2", "Azure "},
	} {
		if got := bought(of.load, of.instance); !strings.HasPrefix(got, of.want) {
			t.Errorf("%s behind %s: %s; want %s", of.load, of.instance, got, of.want)
		}
	}
}

// TestOrderIsConsistent in the first line, on the page, which says it once, and in JSON.
func TestOrderIsConsistent(t *testing.T) {
	size, page := sized(t, 500)
	o := size.Order
	if o == nil || o.Title != "EBS gp3" || o.GiB != 500 || o.IOPS != 4999 || o.MiBps != 1162 || o.Next == nil ||
		*o.Next.Monthly < *o.Monthly {
		t.Fatalf("%+v", o)
	}
	const said = "EBS gp3, 500 GiB, 4,999 IOPS, 1,162 MiB/s: 91 USD a month in us-east-1 (prices of 2024-07-01)"
	text := rendered(t, func(w io.Writer) error { return document.Text(w, size.Document(), 80) })
	if first := strings.Join(strings.Fields(text), " "); !strings.HasPrefix(first, "Order: "+said+".") {
		t.Errorf("it begins with %.200q", first)
	}
	found := 0
	walk("", page.Blocks, func(_ string, b document.Block) {
		switch b := b.(type) {
		case document.Answers:
			if slices.ContainsFunc(b, func(a document.Answer) bool { return strings.HasPrefix(a.Texts[0], said) }) {
				found++
			}
		case document.Paragraph:
			if strings.HasPrefix(b.Text, "Order: "+said+".") {
				found++
			}
		}
	})
	if found != 1 {
		t.Errorf("the page says it %d times, want only in its answers", found)
	}
}
