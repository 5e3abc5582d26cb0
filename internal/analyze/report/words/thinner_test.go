package words

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/plot"
)

// TestThinnerKeepsPeaks: a day of seconds is thinned to what a picture can show, including its single highest and
// lowest second, and gaps stay gaps.
func TestThinnerKeepsPeaks(t *testing.T) {
	const day, peak, lull = 86400, 40007, 40009
	thin := Thinner{Together: day * 2.0 / MostPoints}
	for second := range day {
		switch second {
		case peak:
			thin.Add(plot.Point{X: peak, Y: 5000})
		case lull:
			thin.Add(plot.Point{X: lull, Y: 1})
		case 60000:
			thin.Gap(60000)
		default:
			thin.Add(plot.Point{X: float64(second), Y: 100 + float64(second%7)})
		}
	}
	thin.Close()
	if n := len(thin.Line.Points); n > MostPoints+10 || n < MostPoints/2 {
		t.Errorf("%d points", n)
	}
	var kept []plot.Point
	gaps, last := 0, -1.0
	for _, p := range thin.Line.Points {
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

// TestThinnerLeavesFewPointsAlone: if there is room, every reading is shown.
func TestThinnerLeavesFewPointsAlone(t *testing.T) {
	thin := Thinner{Together: 0.1}
	want := []plot.Point{{X: 1, Y: 3}, {X: 2, Y: 1}, {X: 3, Y: 2}}
	for _, p := range want {
		thin.Add(p)
	}
	thin.Close()
	if diff := cmp.Diff(want, thin.Line.Points); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
