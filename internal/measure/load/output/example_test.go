package output_test

import (
	"errors"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/output"
	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/load/session"
)

// durations returns durations of the given lengths in microseconds.
func durations(microseconds ...int64) engine.Durations {
	d := engine.Durations{Histogram: hdrhistogram.New(1, int64(time.Hour/time.Microsecond), 3)}
	for i, us := range microseconds {
		v := float64(us)
		if i == 0 || v < d.Least {
			d.Least = v
		}
		d.Most = max(d.Most, v)
		d.Count++
		d.Sum += v
		d.Sum2 += v * v
		if err := d.Histogram.RecordValue(us); err != nil {
			panic(err)
		}
	}
	return d
}

// upTo returns 1 ms, 2 ms … n ms.
func upTo(n int64) []int64 {
	var all []int64
	for i := range n {
		all = append(all, 1000*(i+1))
	}
	return all
}

func weighted(name string, weight int) engine.Weighted {
	return engine.Weighted{Script: &script.Script{Name: name}, Weight: weight}
}

// plain is a load of one script for two seconds. Its 100 transactions took from 1 to 100 ms, and one failed.
func plain() output.Report {
	totals := engine.Totals{
		Transactions: 100, Statements: 300, Rows: 200, Sent: 4000, Received: 6000, Serialization: 1,
		Latency: durations(upTo(100)...),
	}
	return output.Report{
		Asked: output.Asked{
			Options: engine.Options{Scripts: []engine.Weighted{weighted("insert.sql", 1)}, Clients: 4, Threads: 8,
				Duration: 2 * time.Second, Seed: 7},
			Program: "v1.2.3", Server: "17.11", Scale: 1,
		},
		Result: engine.Result{
			Began: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Elapsed: 2020 * time.Millisecond,
			Connecting:  1500 * time.Microsecond,
			Connections: 4, Poller: "io_uring", Processor: 250 * time.Millisecond, Totals: totals,
			Record: engine.Record{Scripts: []engine.ScriptResult{{Name: "insert.sql", Weight: 1, Totals: totals}}},
		},
		Status: output.Complete,
	}
}

// everything has two scripts and every flag that adds a line.
func everything() output.Report {
	first := engine.Totals{
		Transactions: 60, Statements: 120, Rows: 600, Sent: 1000, Received: 500, Skipped: 2, Late: 6,
		Retried: 3, Retries: 5,
		Serialization: 2, Deadlocks: 1, Latency: durations(2000, 4000), Lag: durations(1000, 3000),
	}
	all := first
	all.Transactions, all.Statements, all.Rows, all.Sent, all.Received, all.Skipped = 80, 140, 600, 1200, 700, 17
	all.Latency, all.Lag = durations(2000, 4000, 1000, 5000), durations(1000, 3000, 0, 0)
	second := engine.Totals{Transactions: 20, Statements: 20, Sent: 200, Received: 200, Skipped: 15,
		Latency: durations(1000, 5000), Lag: durations(0, 0)}
	return output.Report{
		Asked: output.Asked{
			Options: engine.Options{
				Scripts: []engine.Weighted{weighted("a.sql", 3), weighted("b.sql", 1)},
				Clients: 2, Threads: 2, Mode: engine.Prepared, Duration: 10 * time.Second, Warmup: 3 * time.Second,
				Rate: 10, LatencyLimit: 3500 * time.Microsecond, MaxTries: 4, PerCommand: true,
			},
			Program: "v1.2.3", Server: "17.11", Scale: 5, PartitionMethod: "hash", Partitions: 4, FailuresDetailed: true,
		},
		Result: engine.Result{
			Elapsed: 10 * time.Second, Connecting: 20 * time.Millisecond, Totals: all,
			Record: engine.Record{
				Scripts: []engine.ScriptResult{
					{Name: "a.sql", Weight: 3, Totals: first, Commands: []engine.CommandResult{
						{Line: 1, Text: `\set x 1`, Latency: durations(1, 1)},
						{Line: 2, Text: "select 1;", Latency: durations(500, 1500), Failures: 3, Retries: 5},
					}},
					{Name: "b.sql", Weight: 1, Totals: second, Commands: []engine.CommandResult{
						{Line: 4, Text: "select 2;"}}},
				},
				Faults: []engine.Fault{
					{Kind: session.Serialization, Code: "40001", Count: 7, First: errors.New("could not serialize")},
					{Kind: session.Canceled, Code: "57014", Count: 2, First: errors.New("canceling\nstatement")},
				},
			},
		},
		Status: output.Complete,
	}
}
