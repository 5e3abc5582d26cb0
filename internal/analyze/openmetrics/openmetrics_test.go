package openmetrics_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/realiops/realiops/internal/analyze/openmetrics"
)

// TestAnyNameIsReadBack: names are read back by node_exporter's parser as written, except that invisible characters are
// escaped; unknown values are absent.
func TestAnyNameIsReadBack(t *testing.T) {
	names := []string{`a"b\c`, "line\nbreak", "{}=,", "ünïcode", ""}
	g := &openmetrics.Metric{Name: "realiops_test_ratio", Help: "Of \"names\" with\nanything in them.",
		Labels: []string{"database"}}
	for i, name := range names {
		g.Add(float64(i), name)
	}
	g.Add(math.NaN(), "unknown")
	g.Add(5, "cut\xff\x1b[2J")
	var out bytes.Buffer
	if err := openmetrics.Write(&out, g, &openmetrics.Metric{Name: "realiops_nothing", Help: "Has no sample."}); err !=
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
	g := &openmetrics.Metric{Name: "realiops_test_ratio", Help: "Said twice."}
	g.Add(1)
	g.Add(2)
	if err := openmetrics.Write(&bytes.Buffer{}, g); err == nil {
		t.Error("two values of one thing were written")
	}
}

// collector hands a metric to the Prometheus client library.
type collector struct{ *openmetrics.Metric }

func (c collector) Describe(chan<- *prometheus.Desc) {}

func (c collector) Collect(to chan<- prometheus.Metric) {
	kind := prometheus.GaugeValue
	if c.Counter {
		kind = prometheus.CounterValue
	}
	for _, s := range c.Samples {
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc(c.Name, c.Help, c.Labels, nil), kind, s.Value, s.Of...)
	}
}

// TestAsTheClientLibraryWrites: equal to the byte, in both formats.
func TestAsTheClientLibraryWrites(t *testing.T) {
	info := &openmetrics.Metric{Name: "b_info", Help: `A "word", a \ and` + "\na line.", Labels: []string{"z", "a"}}
	info.Add(1, "1", `x"y\z`)
	info.Add(0, "0", "x")
	info.Add(-1, "0", "")
	total := &openmetrics.Metric{Name: "a_bytes_total", Help: "Counted.", Counter: true}
	total.Add(12345678901234567890)
	all := []*openmetrics.Metric{info, total}
	for i, v := range []float64{math.Inf(1), math.Inf(-1), 0.1, 1e21, 123456789, 1e-9, math.MaxFloat64} {
		all = append(all, &openmetrics.Metric{Name: string(rune('c' + i)), Help: "Of one value.",
			Samples: []openmetrics.Sample{{Value: v}}})
	}
	registry := prometheus.NewRegistry()
	for _, m := range all {
		registry.MustRegister(collector{m})
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var open, plain, gotOpen, gotPlain bytes.Buffer
	for _, f := range families {
		_, _ = expfmt.MetricFamilyToOpenMetrics(&open, f)
		_, _ = expfmt.MetricFamilyToText(&plain, f)
	}
	_, _ = expfmt.FinalizeOpenMetrics(&open)
	if err := errors.Join(openmetrics.Write(&gotOpen, all...), openmetrics.WriteText(&gotPlain, all...)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(open.String(), gotOpen.String()); diff != "" {
		t.Errorf("OpenMetrics (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(plain.String(), gotPlain.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}
