// Package openmetrics writes what was found as gauges in the text that Prometheus reads, so that whoever has a
// Prometheus can look at it, and be warned by it, there.
package openmetrics

import (
	"fmt"
	"io"
	"math"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/realiops/realiops/internal/printable"
)

// Gauge is a metric with its samples.
type Gauge struct {
	Name    string
	Help    string
	Labels  []string
	Samples []Sample
}

// Sample is a value, and what it is of, in the order of the gauge's labels.
type Sample struct {
	Of    []string
	Value float64
}

// Add adds a sample. What is not known has none.
func (g *Gauge) Add(value float64, of ...string) {
	if !math.IsNaN(value) {
		g.Samples = append(g.Samples, Sample{of, value})
	}
}

// Describe belongs to a collector of the client library, which learns from the samples themselves.
func (g *Gauge) Describe(chan<- *prometheus.Desc) {}

// Collect hands out the samples.
func (g *Gauge) Collect(to chan<- prometheus.Metric) {
	described := prometheus.NewDesc(g.Name, g.Help, g.Labels, nil)
	for _, s := range g.Samples {
		var of []string
		for _, value := range s.Of {
			of = append(of, printable.Line(value)) // also to whoever looks at it on a terminal
		}
		m, err := prometheus.NewConstMetric(described, prometheus.GaugeValue, s.Value, of...)
		if err != nil {
			m = prometheus.NewInvalidMetric(described, err)
		}
		to <- m
	}
}

// Write writes gauges; those without a sample are left out.
func Write(w io.Writer, all ...*Gauge) error {
	registry := prometheus.NewRegistry()
	for _, g := range all {
		if err := registry.Register(g); err != nil {
			return fmt.Errorf("write %s as a metric: %w", g.Name, err)
		}
	}
	families, err := registry.Gather()
	if err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToOpenMetrics(w, f); err != nil {
			return err
		}
	}
	_, err = expfmt.FinalizeOpenMetrics(w)
	return err
}
