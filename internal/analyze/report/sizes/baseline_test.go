package sizes_test

import (
	"slices"
	"testing"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/runfile"
)

// TestOrderSaysIfTheDeviceIsTooSlow: --baseline asks whether a device carries the load, so the first lines say if it
// does not, or if nobody knows.
func TestOrderSaysIfTheDeviceIsTooSlow(t *testing.T) {
	flushes := baseline.Bound{Of: baseline.ByFlushes, Need: 4000, Most: 800, Share: 6}
	for _, c := range []struct {
		fit  baseline.Fit
		want []string
	}{
		{baseline.Fit{Bounds: []baseline.Bound{flushes}, First: &flushes, Fits: new(false)}, []string{
			"Against the baseline, copy does not fit /data (sda) with 20% headroom. What binds first is flush latency, at " +
				"600.0% of what was measured"}},
		{baseline.Fit{}, []string{"Against the baseline, copy may or may not fit /data (sda) with 20% headroom"}},
		{baseline.Fit{Fits: new(true)}, nil},
	} {
		var s sizes.Size
		s.Sized.Load, s.Sized.Headroom = "copy", 20
		s.Against(runfile.Run{Target: runfile.Target{Storage: runfile.Storage{Directory: "/data", Device: "sda"}}},
			baseline.Baseline{}, c.fit)
		if !slices.Equal(s.Cautions, c.want) {
			t.Errorf("%q, want %q", s.Cautions, c.want)
		}
	}
}
