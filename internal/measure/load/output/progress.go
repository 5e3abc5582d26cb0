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
	Timestamp bool // seconds of the Unix epoch instead of those since the beginning

	began time.Time
}

// wholeEnough is the part of an interval from which on the last one is shown: pgbench shows no others.
const wholeEnough = 0.95

// Tick is what [engine.Options] takes; its first one begins with the load.
func (p *Progress) Tick(t engine.Tick) error {
	if p.began.IsZero() {
		p.began = t.From
	}
	if t.Last && float64(t.To.Sub(t.From)) < wholeEnough*float64(p.Asked.Every) {
		return nil
	}
	line := fmt.Sprintf("progress: %s s, %.1f tps, %s, %d failed", p.clock(t.To), speedOf(t), latencyOf(t), t.Failed())
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

func (p *Progress) clock(now time.Time) string {
	if p.Timestamp {
		return fmt.Sprintf("%d.%03d", now.Unix(), now.Nanosecond()/int(time.Millisecond))
	}
	return fmt.Sprintf("%.1f", now.Sub(p.began).Seconds())
}

func speedOf(t engine.Tick) float64 {
	if seconds := t.To.Sub(t.From).Seconds(); seconds > 0 {
		return float64(t.Transactions) / seconds
	}
	return 0
}

// latencyOf shows zeroes where no transaction ended, as pgbench does: what reads these lines expects the words.
func latencyOf(t engine.Tick) string {
	average, _ := mean(t.Latency)
	spread, _ := deviation(t.Latency)
	return fmt.Sprintf("lat %.3f ms stddev %.3f", average, spread)
}
