package metric_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// TestMeaningsAreWhole checks that each fact has everything needed to be credible.
func TestMeaningsAreWhole(t *testing.T) {
	for _, m := range metric.Meanings() {
		for what, ok := range map[string]bool{
			"service":   slices.Contains([]string{"cloudwatch", "insights"}, m.Service),
			"flavor":    slices.Contains([]string{"aurora", "rds", "ebs"}, m.On),
			"level":     slices.Contains([]string{"instance", "cluster", "volume", "machine"}, m.Level),
			"side":      slices.Contains([]string{"logical", "requested", "physical", "none"}, m.Side),
			"basis":     slices.Contains([]metric.Basis{metric.Documented, metric.Measured, metric.Inferred}, m.Basis),
			"period":    m.Period >= 60,
			"unit":      m.Unit != "",
			"dimension": m.Dimension != "",
			"statistic": m.Statistic != "",
			"counts":    m.Counts != "",
			"sentence":  strings.HasSuffix(m.Means, "."),
			"sources":   len(m.Sources) > 0,
		} {
			if !ok {
				t.Errorf("%s on %s: %s", m.Name(), m.On, what)
			}
		}
		for _, key := range append(shownBy(m), m.Sources...) {
			if _, known := metric.SourceOf(key); !known {
				t.Errorf("%s on %s: no source %q", m.Name(), m.On, key)
			}
		}
	}
}

func shownBy(m metric.Meaning) []string {
	var keys []string
	for _, s := range m.Shown {
		keys = append(keys, s.Source)
	}
	return keys
}

// TestNoRowTwice: a name may have several meanings, but only one per flavor.
func TestNoRowTwice(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range metric.Meanings() {
		key := m.Name() + " on " + m.On
		if seen[key] {
			t.Error(key, "stands there twice")
		}
		seen[key] = true
	}
}

// TestSameNumbersExist: a metric's SameAs exists, in another service on the same flavor, with the same side.
func TestSameNumbersExist(t *testing.T) {
	all, n := metric.Meanings(), 0
	for _, m := range all {
		if m.SameAs == "" {
			continue
		}
		n++
		same := slices.IndexFunc(all, func(o metric.Meaning) bool { return o.Name() == m.SameAs && o.On == m.On })
		if metric.All().Row(m.SameAs).Kind == runfile.Counter {
			continue // PostgreSQL's own
		}
		if same < 0 || all[same].Service == m.Service || all[same].Side != m.Side {
			t.Errorf("%s on %s is said to be %s, which is not there or of another sort", m.Name(), m.On, m.SameAs)
		}
	}
	if n == 0 {
		t.Error("nothing is said to be the same as another")
	}
}

// TestSameNameOppositeMeaning is the trap that this program is about.
func TestSameNameOppositeMeaning(t *testing.T) {
	sides := map[string]string{}
	for _, m := range metric.MeaningsOf("writeiops") {
		sides[m.On] = m.Side
	}
	if diff := cmp.Diff(map[string]string{"aurora": "logical", "rds": "physical"}, sides); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPublishedArithmetic recomputes the published figures.
func TestPublishedArithmetic(t *testing.T) {
	check := func(name, words string) {
		t.Helper()
		var all []string
		for _, m := range metric.MeaningsOf(name) {
			all = append(all, m.Traps...)
			for _, s := range m.Shown {
				all = append(all, s.Text)
			}
		}
		if !strings.Contains(strings.Join(all, " "), words) {
			t.Errorf("%s does not say %q: %q", name, words, all)
		}
	}
	check("cloudwatch/VolumeReadIOPs", fmt.Sprintf("13,686 -> %.2f/s", 13686.0/300))
	check("cloudwatch/VolumeWriteIOPs", fmt.Sprintf("where others have one for %.0f rows", 117000/(246000.0/300)))
	check("cloudwatch/VolumeWriteIOPs", fmt.Sprintf("one for %.1f objects", 73e6/22172803))
	check("cloudwatch/VolumeWriteIOPs", fmt.Sprintf("%.2f, %.2f and %.2f for 4,096 bytes", 111.6e6*4096/1.353e12,
		442.7e6*4096/5.44e12, 399.9e6*4096/5.41e12))
	check("cloudwatch/VolumeReadIOPs", fmt.Sprintf("%.2f, %.2f and %.2f", 77.1/119.9, 784/2337., 723/2033.))
	check("cloudwatch/StorageNetworkTransmitThroughput", fmt.Sprintf("%.1f times", 8.28/1.353))
}
