package openmetrics_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/realiops/realiops/internal/analyze/openmetrics"
)

// TestWhateverIsNamed: names are read back as they were, by the parser that node_exporter reads such files with, but
// for what cannot be seen in them, which is written out; what is not known is not there.
func TestWhateverIsNamed(t *testing.T) {
	names := []string{`a"b\c`, "line\nbreak", "{}=,", "ünïcode", ""}
	g := &openmetrics.Gauge{Name: "realiops_test_ratio", Help: "Of \"names\" with\nanything in them.",
		Labels: []string{"database"}}
	for i, name := range names {
		g.Add(float64(i), name)
	}
	g.Add(math.NaN(), "unknown")
	g.Add(5, "cut\xff\x1b[2J")
	var out bytes.Buffer
	if err := openmetrics.Write(&out, g, &openmetrics.Gauge{Name: "realiops_nothing", Help: "Has no sample."}); err !=
		nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(&out)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, m := range families[g.Name].GetMetric() {
		got[m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue()
	}
	names[1] = `line\nbreak`
	for i, name := range append(names, `cut\xFF\x1B[2J`) {
		if v, is := got[name]; !is || v != float64(i) {
			t.Errorf("%q: %v, %v", name, v, is)
		}
	}
	if len(got) != 6 || len(families) != 1 {
		t.Errorf("%v, %d metrics", got, len(families))
	}
}

func TestTwiceIsAnError(t *testing.T) {
	g := &openmetrics.Gauge{Name: "realiops_test_ratio", Help: "Said twice."}
	g.Add(1)
	g.Add(2)
	if err := openmetrics.Write(&bytes.Buffer{}, g); err == nil {
		t.Error("two values of one thing were written")
	}
}
