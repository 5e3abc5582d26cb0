package words

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/plot"
	"github.com/realiops/realiops/internal/series"
)

// Panel returns the size of a picture that stands beside others.
func Panel() plot.Size { return plot.Size{Width: 360, Height: 190} }

func WritePNG(w io.Writer, p *plot.Picture) error {
	file, err := p.PNG()
	if err != nil {
		return err
	}
	if _, err := w.Write(file); err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	return nil
}

func Highest(lines []plot.Line) (most float64) {
	for _, l := range lines {
		for _, at := range l.Points {
			most = max(most, at.Y)
		}
	}
	return most
}

// RateLine returns a counter's rates between readings, broken where readings are missing.
func RateLine(s series.Series, name string, begin, end time.Time) plot.Line {
	thin := Thinner{Line: plot.Line{Name: name}, Together: end.Sub(begin).Seconds() * 2 / MostPoints}
	var last series.Change
	add := func() {
		if last.Seconds() > 0 {
			at, y := last.To.Sub(begin).Seconds(), last.Amount/last.Seconds()
			text := fmt.Sprintf("%s s: %s %s a second", number.Rate(at), number.Rate(y), name)
			thin.Add(plot.Point{X: at, Y: max(1, y), Text: text}) // a logarithmic scale has no zero
		}
	}
	for change, err := range s.Changes(begin, end) {
		switch {
		case err != nil:
			add()
			thin.Gap(change.To.Sub(begin).Seconds())
			last = series.Change{}
		case last.Seconds() > 0 && change.Seconds() < aSession/2 && last.Seconds()+change.Seconds() < 1.5*aSession:
			last.To, last.Amount = change.To, last.Amount+change.Amount
		default:
			add()
			last = change
		}
	}
	add()
	thin.Close()
	return thin.Line
}

// aSession is the interval, in seconds, at which a session reports its counts, and once at its end. Counts that come a
// few milliseconds after another reading, as at the end of a load, cover the work since the report before.
const aSession = 1.0

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
