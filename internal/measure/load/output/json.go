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
