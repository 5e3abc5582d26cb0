package report

import (
	"fmt"
	"math"
	"time"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/plot"
	"github.com/realiops/realiops/internal/series"
)

// mostPoints is what a line has at most: a day at a second has more than a picture can show.
const mostPoints = 1200

// rateLine are a counter's rates from reading to reading, broken where readings are missing.
func rateLine(s series.Series, name string, begin, end time.Time) plot.Line {
	thin := thinner{line: plot.Line{Name: name}, together: end.Sub(begin).Seconds() * 2 / mostPoints}
	var last series.Change
	add := func() {
		if last.Seconds() > 0 {
			at, y := last.To.Sub(begin).Seconds(), last.Amount/last.Seconds()
			text := fmt.Sprintf("%s s: %s %s a second", number.Rate(at), number.Rate(y), name)
			thin.add(plot.Point{X: at, Y: max(1, y), Text: text}) // a logarithmic scale has no nought
		}
	}
	for change, err := range s.Changes(begin, end) {
		switch {
		case err != nil:
			add()
			thin.gap(change.To.Sub(begin).Seconds())
			last = series.Change{}
		case last.Seconds() > 0 && change.Seconds() < aSession/2 && last.Seconds()+change.Seconds() < 1.5*aSession:
			last.To, last.Amount = change.To, last.Amount+change.Amount
		default:
			add()
			last = change
		}
	}
	add()
	thin.close()
	return thin.line
}

// aSession tells what it did about every so many seconds, and at its end: what comes a few milliseconds after another reading,
// as at the end of a load, was done since the one before.
const aSession = 1.0

// thinner makes a line of more points than can be shown: of each stretch stay the lowest and the highest, in the order in
// which they came, so that no peak is lost.
type thinner struct {
	line      plot.Line
	together  float64 // how long a stretch is
	low, high plot.Point
	begin     float64 // of the stretch
	open      bool
}

func (t *thinner) add(p plot.Point) {
	if t.open && p.X-t.begin >= t.together {
		t.close()
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

// gap breaks the line.
func (t *thinner) gap(at float64) {
	t.close()
	t.line.Points = append(t.line.Points, plot.Point{X: at, Y: math.NaN()})
}

// close ends a stretch.
func (t *thinner) close() {
	if !t.open {
		return
	}
	t.open = false
	first, second := t.low, t.high
	if second.X < first.X {
		first, second = second, first
	}
	t.line.Points = append(t.line.Points, first)
	if first != second {
		t.line.Points = append(t.line.Points, second)
	}
}
