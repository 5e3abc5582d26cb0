package output

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/realiops/realiops/internal/measure/load/engine"
)

// Report is a finished load.
type Report struct {
	Asked  Asked
	Result engine.Result
	Status Status
	Gates  []Verdict // in the order of the flags
}

// Status is the end state of a load.
type Status string

// The end states. All but the first leave partial figures.
const (
	Complete    Status = "complete"
	Interrupted Status = "interrupted" // by the user
	Aborted     Status = "aborted"     // some client gave up
)

// attempted counts the transactions that were done, failed or skipped.
func attempted(t engine.Totals) int64 { return t.Transactions + t.Skipped + t.Failed() }

func (r Report) seconds() float64 { return r.Result.Elapsed.Seconds() }

// perSecond returns a rate over the whole run, or 0 for a run that took no time.
func (r Report) perSecond(count int64) float64 {
	if r.seconds() <= 0 {
		return 0
	}
	return float64(count) / r.seconds()
}

// achieved returns the share of the requested rate that was reached. It is unknown without a rate.
func (r Report) achieved() (share float64, known bool) {
	if r.Asked.Rate <= 0 || r.seconds() <= 0 {
		return 0, false
	}
	return r.perSecond(r.Result.Transactions) / r.Asked.Rate, true
}

// percent returns part of whole in percent, or 0 if whole is 0.
func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// Asked holds the settings of a load that its output depends on.
type Asked struct {
	engine.Options

	Program string // our version
	Server  string // the server's

	Scale           int
	PartitionMethod string // of pgbench_accounts: "" without partitions
	Partitions      int

	ShowProgress     bool // -P: like -R and -L, it makes pgbench show the deviation
	FailuresDetailed bool
}

// tries returns pgbench's --max-tries, in which 0 means no limit.
func (a Asked) tries() int {
	if a.Unlimited {
		return 0
	}
	return max(a.MaxTries, 1)
}

func (a Asked) mayRetry() bool { return a.tries() != 1 }

func (a Asked) maySkip() bool { return a.Rate > 0 && a.LatencyLimit > 0 }

// timed reports whether pgbench averages the transactions' latencies, instead of dividing the run's length.
func (a Asked) timed() bool { return a.Rate > 0 || a.LatencyLimit > 0 || a.ShowProgress }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

type quantile struct {
	name    string
	percent float64
}

// quantiles lists the quantiles in the order of the report. The largest is the exact maximum.
func quantiles() []quantile {
	return []quantile{{"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"p99.9", 99.9}, {"max", 100}}
}

// atQuantile returns milliseconds, from the shortest to the longest time recorded: the histogram has whole microseconds
// up to an hour.
func atQuantile(d engine.Durations, percent float64) (value float64, known bool) {
	if d.Histogram == nil || d.Count == 0 {
		return 0, false
	}
	if percent == 100 {
		return d.Most / 1000, true
	}
	return max(d.Least, min(float64(d.Histogram.ValueAtQuantile(percent)), d.Most)) / 1000, true
}

// mean returns milliseconds.
func mean(d engine.Durations) (value float64, known bool) {
	if d.Count == 0 {
		return 0, false
	}
	return d.Sum / float64(d.Count) / 1000, true
}

// deviation returns pgbench's standard deviation, of the population, in milliseconds.
func deviation(d engine.Durations) float64 {
	average, known := mean(d)
	if !known {
		return 0
	}
	variance := d.Sum2/float64(d.Count)/1e6 - average*average
	return math.Sqrt(max(variance, 0))
}

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
