package report

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/plot"
)

// TestThinnerKeepsPeaks: of a day of seconds stay a picture's worth of points, the single worst second among them and the
// single quiet one, and gaps stay gaps.
func TestThinnerKeepsPeaks(t *testing.T) {
	const day, peak, lull = 86400, 40007, 40009
	thin := thinner{together: day * 2.0 / mostPoints}
	for second := range day {
		switch second {
		case peak:
			thin.add(plot.Point{X: peak, Y: 5000})
		case lull:
			thin.add(plot.Point{X: lull, Y: 1})
		case 60000:
			thin.gap(60000)
		default:
			thin.add(plot.Point{X: float64(second), Y: 100 + float64(second%7)})
		}
	}
	thin.close()
	if n := len(thin.line.Points); n > mostPoints+10 || n < mostPoints/2 {
		t.Errorf("%d points", n)
	}
	var kept []plot.Point
	gaps, last := 0, -1.0
	for _, p := range thin.line.Points {
		if p.X <= last {
			t.Errorf("%g comes after %g", p.X, last)
		}
		last = p.X
		if math.IsNaN(p.Y) {
			gaps++
		} else if p.Y < 100 || p.Y > 106 {
			kept = append(kept, p)
		}
	}
	if diff := cmp.Diff([]plot.Point{{X: peak, Y: 5000}, {X: lull, Y: 1}}, kept); diff != "" || gaps != 1 {
		t.Errorf("%d gaps, peaks (-want +got):\n%s", gaps, diff)
	}
}

// TestThinnerLeavesFewPointsAlone: where there is room, every reading is shown.
func TestThinnerLeavesFewPointsAlone(t *testing.T) {
	thin := thinner{together: 0.1}
	want := []plot.Point{{X: 1, Y: 3}, {X: 2, Y: 1}, {X: 3, Y: 2}}
	for _, p := range want {
		thin.add(p)
	}
	thin.close()
	if diff := cmp.Diff(want, thin.line.Points); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
