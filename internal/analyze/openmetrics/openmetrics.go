// Package openmetrics writes results as metrics in Prometheus' text format, so that a Prometheus can show them and
// alert on them.
//
// The official client library would bring protocol buffers along, which take 6 s of CPU time to compile and are not
// needed here.
package openmetrics

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/printable"
)

// Metric is a gauge, or a counter, with its samples.
type Metric struct {
	Name    string // a counter's ends in _total
	Help    string
	Counter bool
	Labels  []string
	Samples []Sample
}

// Sample is a value with label values, in the order of the metric's labels.
type Sample struct {
	Of    []string
	Value float64
}

// Add adds a sample, unless the value is NaN.
func (m *Metric) Add(value float64, of ...string) {
	if !math.IsNaN(value) {
		m.Samples = append(m.Samples, Sample{of, value})
	}
}

// Write writes metrics in the format OpenMetrics 1.0, without those that have no sample.
func Write(w io.Writer, all ...*Metric) error { return write(w, true, all) }

// WriteText writes metrics in Prometheus' own text format, 0.0.4.
func WriteText(w io.Writer, all ...*Metric) error { return write(w, false, all) }

// quoted escapes text inside quotation marks, plain text outside.
var (
	quoted = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
	plain  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
)

func write(w io.Writer, open bool, all []*Metric) error {
	all = slices.SortedFunc(slices.Values(all), func(a, b *Metric) int { return cmp.Compare(a.Name, b.Name) })
	var out bytes.Buffer
	for i, m := range all {
		if len(m.Samples) == 0 {
			continue
		}
		if i > 0 && all[i-1].Name == m.Name {
			return fmt.Errorf("two metrics are named %s", m.Name)
		}
		family, kind, help := m.Name, "gauge", plain
		if m.Counter {
			kind = "counter"
		}
		if open {
			help = quoted
			family = strings.TrimSuffix(family, "_total")
		}
		fmt.Fprintf(&out, "# HELP %s %s\n# TYPE %s %s\n", family, help.Replace(m.Help), family, kind)
		last := ""
		for _, s := range m.sorted() {
			name := m.Name + s.name
			if name == last {
				return fmt.Errorf("%s has two values", name)
			}
			fmt.Fprintf(&out, "%s %s\n", name, digits(s.value, open))
			last = name
		}
	}
	if open {
		out.WriteString("# EOF\n")
	}
	_, err := w.Write(out.Bytes())
	return err
}

// series is a sample as written, with the suffix of its name.
type series struct {
	of    []string
	name  string
	value float64
}

// sorted returns the samples sorted by label values, each with its labels sorted.
func (m *Metric) sorted() (all []series) {
	order := make([]int, len(m.Labels))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(m.Labels[a], m.Labels[b]) })
	for _, s := range m.Samples {
		row := series{value: s.Value}
		var pairs []string
		for _, i := range order {
			value := printable.Line(s.Of[i]) // safe on a terminal, too
			row.of = append(row.of, value)
			pairs = append(pairs, m.Labels[i]+`="`+quoted.Replace(value)+`"`)
		}
		if len(pairs) > 0 {
			row.name = "{" + strings.Join(pairs, ",") + "}"
		}
		all = append(all, row)
	}
	slices.SortFunc(all, func(a, b series) int { return slices.Compare(a.of, b.of) })
	return all
}

// digits formats a number; OpenMetrics distinguishes it from an integer by its point.
func digits(v float64, open bool) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if open && !strings.ContainsAny(text, ".einfNa") {
		text += ".0"
	}
	return text
}
