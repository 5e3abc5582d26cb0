package words

import (
	"math"

	"github.com/realiops/realiops/internal/analyze/plot"
)

// MostPoints bounds the points of a line: a day by the second has more than a picture can show.
const MostPoints = 1200

// Thinner thins a line to what can be shown: it keeps the lowest and the highest point of each stretch, in their order,
// so that no peak is lost.
type Thinner struct {
	Line      plot.Line
	Together  float64 // length of a stretch
	low, high plot.Point
	begin     float64 // of the stretch
	open      bool
}

func (t *Thinner) Add(p plot.Point) {
	if t.open && p.X-t.begin >= t.Together {
		t.Close()
	}
	if !t.open {
		t.low, t.high, t.begin, t.open = p, p, p.X, true
		return
	}
	if p.Y < t.low.Y {
		t.low = p
	}
	if p.Y > t.high.Y {
		t.high = p
	}
}

// Gap breaks the line.
func (t *Thinner) Gap(at float64) {
	t.Close()
	t.Line.Points = append(t.Line.Points, plot.Point{X: at, Y: math.NaN()})
}

// Close ends a stretch.
func (t *Thinner) Close() {
	if !t.open {
		return
	}
	t.open = false
	first, second := t.low, t.high
	if second.X < first.X {
		first, second = second, first
	}
	t.Line.Points = append(t.Line.Points, first)
	if first != second {
		t.Line.Points = append(t.Line.Points, second)
	}
}
