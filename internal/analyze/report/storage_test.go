package report

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/metric"
)

// TestOthersWriteDuringObservation: a request under one load may reach the device under another, so all loads are
// taken together: 1 MB/s for 20 s and 30 MB/s for 30 s are 18.4 MB/s, and 20 and 32 are 27.2.
func TestOthersWriteDuringObservation(t *testing.T) {
	check := func(name, want string, asked, done []float64) {
		t.Helper()
		r := Report{Observed: &Observed{}, Metrics: []Metric{{Metric: askedMetric}, {Metric: doneMetric}}}
		for i, load := range []string{"load A", "load B"}[:len(asked)] {
			r.Loads = append(r.Loads, Load{Name: load, Repetitions: 2 + i, Seconds: Figure{Value: 10, N: 2 + i}})
			r.Metrics[0].Loads = append(r.Metrics[0].Loads,
				MetricLoad{Load: load, PerSecond: Figure{Value: asked[i], N: 2 + i}})
			r.Metrics[1].Loads = append(r.Metrics[1].Loads,
				MetricLoad{Load: load, PerSecond: Figure{Value: done[i], N: 2 + i}})
		}
		if got := sharedDevice(r); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	const others = "Other programs write to the device, too: the server's processes asked for 1,000 kB/s, and the " +
		"device wrote 20,000 kB/s. Device figures include the others."
	check("much under the only load", others, []float64{1e6}, []float64{20e6})
	check("what another load asked for", "", []float64{1e6, 30e6}, []float64{20e6, 32e6})
	check("a journal", "", []float64{1e3}, []float64{100e3})
	check("nothing", "", nil, nil)
}

// TestReadLoadsHideNothing: loads that only read request no writes, so a large background hides nothing. 4 requests
// a second beside 40 are no more than a tenth; beside 30 they are.
func TestReadLoadsHideNothing(t *testing.T) {
	figure := func(v float64) Figure { return Figure{Value: v, Lowest: v, Highest: v, N: 3} }
	load := func(name string, rows, requests float64) Load {
		return Load{Name: name, Repetitions: 3, Work: []Work{{Quantity: metric.RowsWritten, PerSecond: figure(rows)},
			{Quantity: metric.DeviceRequests, PerSecond: figure(requests)}}}
	}
	idle := load("idle", 0, 4)
	idle.Idle = true
	if said := sharedDevice(Report{Loads: []Load{idle, load("scan", 0, 0.1), load("single", 100, 40)}}); said != "" {
		t.Errorf("beside a load that reads: %s", said)
	}
	if said := sharedDevice(Report{
		Loads: []Load{idle, load("scan", 0, 0.1), load("single", 100, 30)}}); !strings.Contains(said,
		"under the load single") {
		t.Errorf("of a load that writes little: %q", said)
	}
}
