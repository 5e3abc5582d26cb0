package output

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/realiops/realiops/internal/measure/load/engine"
)

// Schema names the version of the JSON report. Fields may be added to it, but not removed or changed.
const Schema = "realiops.load/1"

// document is the JSON report, described field by field in docs/load.md. A pointer is null if the figure was not
// measured or does not apply. As in all JSON of this program, units are seconds and bytes, and nothing is rounded.
type document struct {
	Schema  string `json:"schema"`
	Status  Status `json:"status"`
	Program string `json:"program"`
	Server  string `json:"server"`

	Asked asked `json:"asked"`

	Began       time.Time `json:"began"`
	Elapsed     float64   `json:"elapsed_seconds"`
	Connecting  float64   `json:"connecting_seconds"`
	Connections int64     `json:"connections"`
	Poller      string    `json:"client_poller"`
	Processor   float64   `json:"client_processor_seconds"`

	Rate    *rate    `json:"rate"`
	Totals  totals   `json:"totals"`
	Scripts []script `json:"scripts"`

	Faults   []fault   `json:"faults"`
	Aborted  []string  `json:"aborted"`
	Warnings []string  `json:"warnings"`
	FailIf   []verdict `json:"fail_if"`
}

type asked struct {
	Mode         engine.Mode `json:"mode"`
	Clients      int         `json:"clients"`
	Threads      int         `json:"threads"`
	Transactions *int        `json:"transactions_per_client"`
	Duration     *float64    `json:"duration_seconds"`
	Warmup       float64     `json:"warmup_seconds"`
	Rate         *float64    `json:"rate"`
	Limit        *float64    `json:"latency_limit_seconds"`
	MaxTries     *int        `json:"max_tries"`
	Reconnect    bool        `json:"reconnect"`
	Scale        int         `json:"scale"`
	Seed         uint64      `json:"random_seed"`
}

type rate struct {
	Target   float64 `json:"target"`
	Achieved float64 `json:"achieved"`
	Share    float64 `json:"share"`
}

type totals struct {
	Transactions int64 `json:"transactions"`
	Statements   int64 `json:"statements"`
	Rows         int64 `json:"rows"`
	Sent         int64 `json:"bytes_sent"`
	Received     int64 `json:"bytes_received"`

	PerSecond *perSecond `json:"per_second"`

	Failed  failed `json:"failed"`
	Skipped int64  `json:"skipped"`
	Late    *int64 `json:"late"`
	Retried int64  `json:"retried"`
	Retries int64  `json:"retries"`

	Latency *durations `json:"latency_seconds"`
	Lag     *durations `json:"lag_seconds"`
}

type perSecond struct {
	Transactions float64 `json:"transactions"`
	Statements   float64 `json:"statements"`
	Rows         float64 `json:"rows"`
	Sent         float64 `json:"bytes_sent"`
	Received     float64 `json:"bytes_received"`
}

type failed struct {
	Total         int64 `json:"total"`
	Serialization int64 `json:"serialization"`
	Deadlock      int64 `json:"deadlock"`
	Other         int64 `json:"other"`
}

// durations holds seconds.
type durations struct {
	Count  int64    `json:"count"`
	Mean   float64  `json:"mean"`
	Stddev float64  `json:"stddev"`
	Min    float64  `json:"min"`
	P50    *float64 `json:"p50"`
	P90    *float64 `json:"p90"`
	P95    *float64 `json:"p95"`
	P99    *float64 `json:"p99"`
	P999   *float64 `json:"p99_9"`
	Max    float64  `json:"max"`
}

type script struct {
	Name     string    `json:"name"`
	Weight   int       `json:"weight"`
	Totals   totals    `json:"totals"`
	Commands []command `json:"commands"`
}

type command struct {
	Line     int        `json:"line"`
	Text     string     `json:"text"`
	Latency  *durations `json:"latency_seconds"`
	Failures int64      `json:"failures"`
	Retries  int64      `json:"retries"`
}

type fault struct {
	Kind  string  `json:"kind"`
	Code  *string `json:"code"`
	Count int64   `json:"count"`
	First string  `json:"first"`
}

type verdict struct {
	Expression string   `json:"expression"`
	Value      *float64 `json:"value"`
	Failed     bool     `json:"failed"`
}

// JSON writes the whole report as one document, even if the load ended early.
func (r Report) JSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false) // names of built-in scripts are in angle brackets
	if err := encoder.Encode(r.document()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func (r Report) document() document {
	d := document{
		Schema: Schema, Status: r.Status, Program: r.Asked.Program, Server: r.Asked.Server, Asked: r.Asked.json(),
		Began: r.Result.Began, Elapsed: r.seconds(), Connecting: r.Result.Connecting.Seconds(),
		Connections: r.Result.Connections, Poller: r.Result.Poller, Processor: r.Result.Processor.Seconds(),
		Totals: r.totals(r.Result.Totals), Scripts: []script{}, Faults: []fault{}, Aborted: []string{},
		Warnings: r.Warnings(), FailIf: []verdict{},
	}
	if share, known := r.achieved(); known {
		d.Rate = &rate{Target: r.Asked.Rate, Achieved: r.perSecond(r.Result.Transactions), Share: share}
	}
	for _, s := range r.Result.Scripts {
		d.Scripts = append(d.Scripts, r.script(s))
	}
	for _, f := range r.Result.Faults {
		d.Faults = append(d.Faults, fault{f.Kind.String(), orNull(f.Code, f.Code != ""), f.Count, line(f.First)})
	}
	for _, err := range r.Result.Aborted {
		d.Aborted = append(d.Aborted, line(err))
	}
	if d.Warnings == nil {
		d.Warnings = []string{}
	}
	for _, v := range r.Gates {
		if isOneOf(v.Gate.figure, times) {
			v.Value /= 1e3 // seconds
		}
		d.FailIf = append(d.FailIf, verdict{v.Gate.Text, orNull(v.Value, v.Known), v.Failed})
	}
	return d
}

// orNull returns a pointer to value, or nil if is is false.
func orNull[T any](value T, is bool) *T {
	if !is {
		return nil
	}
	return &value
}

func (a Asked) json() asked {
	a.Complete()
	return asked{
		Mode: a.Mode, Clients: a.Clients, Threads: a.Threads,
		Transactions: orNull(a.Transactions, a.Duration == 0),
		Duration:     orNull(a.Duration.Seconds(), a.Duration > 0), Warmup: a.Warmup.Seconds(),
		Rate: orNull(a.Rate, a.Rate > 0), Limit: orNull(a.LatencyLimit.Seconds(), a.LatencyLimit > 0),
		MaxTries: orNull(a.tries(), a.tries() > 0), Reconnect: a.Reconnect, Scale: a.Scale, Seed: a.Seed,
	}
}

func (r Report) totals(t engine.Totals) totals {
	d := totals{
		Transactions: t.Transactions, Statements: t.Statements, Rows: t.Rows, Sent: t.Sent, Received: t.Received,
		Failed:  failed{t.Failed(), t.Serialization, t.Deadlocks, t.Other},
		Skipped: t.Skipped, Late: orNull(t.Late, r.Asked.LatencyLimit > 0), Retried: t.Retried, Retries: t.Retries,
		Latency: spread(t.Latency), Lag: spread(t.Lag),
	}
	if r.seconds() > 0 {
		d.PerSecond = &perSecond{
			r.perSecond(t.Transactions), r.perSecond(t.Statements), r.perSecond(t.Rows), r.perSecond(t.Sent),
			r.perSecond(t.Received),
		}
	}
	return d
}

// spread returns nil if nothing was timed.
func spread(d engine.Durations) *durations {
	average, known := mean(d)
	if !known {
		return nil
	}
	at := func(percent float64) *float64 {
		value, known := atQuantile(d, percent)
		return orNull(value/1e3, known)
	}
	return &durations{
		Count: d.Count, Mean: average / 1e3, Stddev: deviation(d) / 1e3, Min: d.Least / 1e6,
		P50: at(50), P90: at(90), P95: at(95), P99: at(99), P999: at(99.9), Max: d.Most / 1e6,
	}
}

func (r Report) script(s engine.ScriptResult) script {
	d := script{Name: s.Name, Weight: s.Weight, Totals: r.totals(s.Totals), Commands: []command{}}
	for _, c := range s.Commands {
		d.Commands = append(d.Commands, command{c.Line, c.Text, spread(c.Latency), c.Failures, c.Retries})
	}
	return d
}
