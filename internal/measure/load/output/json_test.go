package output_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/output"
)

func document(t *testing.T, r output.Report) string {
	t.Helper()
	var b strings.Builder
	if err := r.JSON(&b); err != nil {
		t.Fatal(err)
	}
	if !json.Valid([]byte(b.String())) {
		t.Error("not JSON")
	}
	return b.String()
}

// compact removes the white space between the tokens.
func compact(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestJSON(t *testing.T) {
	r := plain()
	r.Result.Elapsed = 4e9
	r.Result.Latency = durations(1000, 3000)
	r.Result.Scripts[0].Totals = engine.Totals{}
	r.Result.Scripts[0].Commands = []engine.CommandResult{{Line: 3, Text: "select '<>'", Retries: 1}}
	r.Result.Aborted = []error{errors.New("client 1\naborted")}
	r.Status = output.Interrupted
	for _, expression := range []string{"tps<30", "max>4ms"} {
		g, err := output.ParseGate(expression)
		if err != nil {
			t.Fatal(err)
		}
		r.Gates = append(r.Gates, g.Judge(r))
	}
	nothing := `{"transactions": 0, "statements": 0, "rows": 0, "bytes_sent": 0, "bytes_received": 0,
		"per_second": {"transactions": 0, "statements": 0, "rows": 0, "bytes_sent": 0, "bytes_received": 0},
		"failed": {"total": 0, "serialization": 0, "deadlock": 0, "other": 0},
		"skipped": 0, "late": null, "retried": 0, "retries": 0, "latency_seconds": null, "lag_seconds": null}`
	want := `{"schema": "realiops.load/1", "status": "interrupted", "program": "v1.2.3", "server": "17.11",
		"asked": {"mode": "simple", "clients": 4, "threads": 4, "transactions_per_client": null, "duration_seconds": 2,
			"warmup_seconds": 0, "rate": null, "latency_limit_seconds": null, "max_tries": 1, "reconnect": false, "scale": 1, "random_seed": 7},
		"began": "2026-01-02T03:04:05Z", "elapsed_seconds": 4, "connecting_seconds": 0.0015, "connections": 4, "client_poller": "io_uring",
		"client_processor_seconds": 0.25, "rate": null,
		"totals": {"transactions": 100, "statements": 300, "rows": 200, "bytes_sent": 4000, "bytes_received": 6000,
			"per_second": {"transactions": 25, "statements": 75, "rows": 50, "bytes_sent": 1000, "bytes_received": 1500},
			"failed": {"total": 1, "serialization": 1, "deadlock": 0, "other": 0},
			"skipped": 0, "late": null, "retried": 0, "retries": 0,
			"latency_seconds": {"count": 2, "mean": 0.002, "stddev": 0.001, "min": 0.001, "p50": 0.001, "p90": 0.003, "p95": 0.003,
				"p99": 0.003, "p99_9": 0.003, "max": 0.003},
			"lag_seconds": null},
		"scripts": [{"name": "insert.sql", "weight": 1, "totals": ` + nothing + `,
			"commands": [{"line": 3, "text": "select '<>'", "latency_seconds": null, "failures": 0, "retries": 1}]}],
		"faults": [], "aborted": ["client 1 aborted"], "warnings": [],
		"fail_if": [{"expression": "tps<30", "value": 25, "failed": true}, {"expression": "max>4ms", "value": 0.003, "failed": false}]}`
	if diff := cmp.Diff(compact(t, want), compact(t, document(t, r))); diff != "" {
		t.Error(diff)
	}
}

// Every other field has a value if the load has one.
func TestJSONOfEverything(t *testing.T) {
	var got struct {
		Asked struct {
			Rate     float64
			Limit    float64 `json:"latency_limit_seconds"`
			MaxTries int     `json:"max_tries"`
			Warmup   float64 `json:"warmup_seconds"`
		}
		Rate   map[string]float64
		Totals struct {
			Late    int
			Skipped int
			Lag     struct{ Mean float64 } `json:"lag_seconds"`
		}
		Faults []struct {
			Kind, Code, First string
			Count             int
		}
		Warnings []string
	}
	if err := json.Unmarshal([]byte(document(t, everything())), &got); err != nil {
		t.Fatal(err)
	}
	want := got
	want.Asked.Rate, want.Asked.Limit, want.Asked.MaxTries, want.Asked.Warmup = 10, 0.0035, 4, 3
	want.Rate = map[string]float64{"target": 10, "achieved": 8, "share": 0.8}
	want.Totals.Late, want.Totals.Skipped, want.Totals.Lag.Mean = 6, 17, 0.001
	want.Warnings = []string{} // 80 of 100 is two deviations
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(got.Faults) != 2 || got.Faults[1].Kind != "canceled" || got.Faults[1].Code != "57014" ||
		got.Faults[1].Count != 2 {
		t.Errorf("faults %+v", got.Faults)
	}
}

func TestJSONWithoutABound(t *testing.T) {
	r := plain()
	r.Asked.Unlimited = true
	if got := document(t, r); !strings.Contains(got, `"max_tries": null`) {
		t.Error(got)
	}
}
