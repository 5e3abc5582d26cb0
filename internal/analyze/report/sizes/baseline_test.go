package sizes_test

import (
	"slices"
	"testing"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/runfile"
)

// TestOrderSaysIfTheDeviceIsTooSlow: --baseline asks whether a device carries the load, so the first lines say if it
// does not, or if nobody knows, and what is wrong with the baseline.
func TestOrderSaysIfTheDeviceIsTooSlow(t *testing.T) {
	flushes := baseline.Bound{Of: baseline.ByFlushes, Need: 4864, Most: 800, Share: 7.296}
	for _, c := range []struct {
		of   baseline.Baseline
		fit  baseline.Fit
		want []string
	}{
		{baseline.Baseline{}, baseline.Fit{Bounds: []baseline.Bound{flushes}, First: &flushes, Fits: new(false)}, []string{
			"Against the baseline, copy does not fit /data (sda) with 20% headroom. What binds first is flush latency, at " +
				"730% of what was measured"}},
		{baseline.Baseline{}, baseline.Fit{}, []string{"Against the baseline, copy may or may not fit /data (sda) with 20% headroom"}},
		{baseline.Baseline{}, baseline.Fit{Fits: new(true)}, nil},
		{baseline.Baseline{Warnings: []string{"The run was cut off."}}, baseline.Fit{Fits: new(true)},
			[]string{"Of the baseline: The run was cut off"}},
	} {
		var s sizes.Size
		s.Sized.Load, s.Sized.Headroom = "copy", 20
		s.Against(runfile.Run{Target: runfile.Target{Storage: runfile.Storage{Directory: "/data", Device: "sda"}}},
			c.of, c.fit)
		if !slices.Equal(s.Cautions, c.want) {
			t.Errorf("%q, want %q", s.Cautions, c.want)
		}
	}
}
