package score

import (
	"fmt"
	"io"
	"strings"

	"github.com/realiops/realiops/internal/test/worlds"
)

// Levels returns the confidence levels of the intervals that are checked.
func Levels() []float64 { return []float64{0.50, 0.80, 0.90, 0.95, 0.99} }

// Calibration is how often intervals of a level hold the true ratio of a meter whose single quantity was named: for
// counters with independent noise in worlds that lack nothing, and for all. Verdicts state no probability, so only
// intervals can be checked.
type Calibration struct {
	Level      float64
	Clean, All Figure
	// Wrong counts the verdicts at the level that contradict the truth.
	Wrong Figure
}

// Calibrated counts the cases of one level.
func Calibrated(level float64, cases []Case) Calibration {
	named := where(cases, sortIs(worlds.Single), measured)
	return Calibration{
		Level: level, Clean: seen("", where(named, Case.clean), Case.holds), All: seen("", named, Case.holds),
		Wrong: seen("", where(cases, Case.stated), wrong),
	}
}

// WriteCalibration prints a table in Markdown, and a diagram of observed against stated coverage.
func WriteCalibration(w io.Writer, all []Calibration) {
	fmt.Fprintln(w, "| stated | holds, clean meters | 95% interval | of | holds, all meters | 95% interval | of | "+
		"stated and wrong | 95% interval | of |\n|---|---|---|---|---|---|---|---|---|---|")
	for _, c := range all {
		fmt.Fprintf(w, "| %.0f%% | %s | %s | %s |\n", 100*c.Level, c.Clean.columns(), c.All.columns(), c.Wrong.columns())
	}
	fmt.Fprintln(w,
		"\n```text\nstated  0%        20        40        60        80       100   clean meters: | stated, # holds")
	for _, c := range all {
		fmt.Fprintf(w, "%4.0f%%  %s\n", 100*c.Level, c.bar())
	}
	fmt.Fprintln(w, "```")
}

func (f Figure) columns() string {
	low, high := f.Interval()
	return fmt.Sprintf("%.2f%% | %.2f to %.2f%% | %d", 100*f.Share(), 100*low, 100*high, f.Of)
}

// bar marks stated and observed coverage on a line of 50 characters.
func (c Calibration) bar() string {
	const width = 50
	line := []byte(strings.Repeat(".", width+1))
	line[int(width*c.Level+0.5)] = '|'
	if c.Clean.Of > 0 {
		line[int(width*c.Clean.Share()+0.5)] = '#'
	}
	return string(line)
}
