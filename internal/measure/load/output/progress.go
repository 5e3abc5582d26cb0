package output

import (
	"fmt"
	"io"
	"time"

	"github.com/realiops/realiops/internal/measure/load/engine"
)

// Progress writes pgbench's progress lines.
type Progress struct {
	W         io.Writer // standard error
	Asked     Asked
	Timestamp bool // seconds of the Unix epoch instead of the load

	began time.Time
}

// wholeEnough is the part of the last interval from which it is shown, as in pgbench.
const wholeEnough = 0.95

// Tick is the function for [engine.Options]. The first tick begins with the load.
func (p *Progress) Tick(t engine.Tick) error {
	if p.began.IsZero() {
		p.began = t.From
	}
	if t.Last && float64(t.To.Sub(t.From)) < wholeEnough*float64(p.Asked.Every) {
		return nil
	}
	clock := fmt.Sprintf("%.1f", t.To.Sub(p.began).Seconds())
	if p.Timestamp {
		clock = fmt.Sprintf("%d.%03d", t.To.Unix(), t.To.Nanosecond()/int(time.Millisecond))
	}
	speed := 0.0
	if seconds := t.To.Sub(t.From).Seconds(); seconds > 0 {
		speed = float64(t.Transactions) / seconds
	}
	// Like pgbench, write zeros if no transaction ended: parsers expect the words.
	average, _ := mean(t.Latency)
	line := fmt.Sprintf("progress: %s s, %.1f tps, lat %.3f ms stddev %.3f, %d failed", clock, speed, average,
		deviation(t.Latency), t.Failed())
	if p.Asked.Rate > 0 {
		lag, _ := mean(t.Lag)
		line += fmt.Sprintf(", lag %.3f ms", lag)
	}
	if p.Asked.maySkip() {
		line += fmt.Sprintf(", %d skipped", t.Skipped)
	}
	if p.Asked.mayRetry() {
		line += fmt.Sprintf(", %d retried, %d retries", t.Retried, t.Retries)
	}
	if t.Warmup {
		line += ", warming up"
	}
	if _, err := fmt.Fprintln(p.W, line); err != nil {
		return fmt.Errorf("write progress: %w", err)
	}
	return nil
}
