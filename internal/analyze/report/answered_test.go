package report

import (
	"testing"

	"github.com/realiops/realiops/internal/metric"
)

// TestSharesOfBuffersAddUp: two counters of the same reads that differ a little leave shares between 0 and 1; if they
// differ more, there are none.
func TestSharesOfBuffersAddUp(t *testing.T) {
	figure := func(v float64) Figure { return Figure{Value: v, Lowest: v, Highest: v, N: 2} }
	of := func(touched, missed, bytes float64) ([3]float64, string) {
		return Load{Work: []Work{
			{Quantity: metric.BuffersTouched, PerSecond: figure(touched)}, {Quantity: metric.PagesMissed, PerSecond: figure(missed)},
			{Quantity: metric.DeviceReadSize, PerSecond: figure(bytes)},
		}}.answered()
	}
	if shares, why := of(1000, 1010, 500*blockBytes); why != "" || shares != [3]float64{0, 0.5, 0.5} {
		t.Errorf("%v, %q", shares, why)
	}
	if shares, why := of(1000, 1050, 500*blockBytes); why == "" {
		t.Errorf("of more pages asked for than touched: %v", shares)
	}
}
