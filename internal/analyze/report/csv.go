package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// CSV writes a line for each metric: its verdict, and what it did in every arm a second, without rounding.
func CSV(w io.Writer, r Report) error {
	out := csv.NewWriter(w)
	header := []string{"metric", "unit", "verdict", "counts", "ratio", "lo", "hi", "level", "arms"}
	for _, a := range r.Arms {
		header = append(header, a.Name+" per second")
	}
	lines := [][]string{header}
	for _, m := range r.Metrics {
		line := append([]string{m.Metric, m.Unit, m.Verdict, m.csvCounts()}, m.PerUnit.csv()...)
		for _, a := range m.Arms {
			line = append(line, a.PerSecond.csv())
		}
		lines = append(lines, line)
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// csvCounts names a driver, the terms of a mixture joined by +, or what cannot be told apart by |.
func (m Metric) csvCounts() string {
	if m.Counts != "" || m.Mixture == nil {
		return m.Counts + strings.Join(m.Between, "|")
	}
	var terms []string
	for _, t := range m.Mixture.Terms {
		terms = append(terms, t.Driver)
	}
	return strings.Join(terms, "+")
}

func (e *Estimate) csv() []string {
	if e == nil {
		return make([]string, 5)
	}
	return []string{exactly(e.Value), exactly(e.Lo), exactly(e.Hi), exactly(e.Level), strconv.Itoa(e.N)}
}

func (f Figure) csv() string {
	if !f.Known() {
		return ""
	}
	return exactly(f.Value)
}

// exactly writes a number with all its digits, and nothing for what is none.
func exactly(v float64) string {
	if !finite(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
