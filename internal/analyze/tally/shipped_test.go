package tally_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

var update = flag.Bool("update", false, "write the shipped run file anew from its source")

const (
	shippedRun    = "../../../testdata/runs/loads-pg17.jsonl"
	shippedSource = "../../../testdata/runs/sources/loads-pg17.json"
)

// row is one repetition in the source of the shipped run: the growth of everything.
type row struct {
	Load   string  `json:"load"`
	Rep    int     `json:"rep"` // from 0
	Wall   float64 `json:"wall"`
	Tx     int64   `json:"tx"`
	Rows   int64   `json:"rows"`
	Entry  int64   `json:"entries"`
	Stmts  int64   `json:"statements"`
	Commit int64   `json:"commits"`

	WALRecords float64 `json:"wal_records"`
	WALFPI     float64 `json:"wal_fpi"`
	LSN        float64 `json:"lsn"`
	WALWrite   float64 `json:"wal_write"`
	WALSync    float64 `json:"wal_sync"`
	IOWrites   float64 `json:"io_writes"`
	IOExtends  float64 `json:"io_extends"`
	IOFsyncs   float64 `json:"io_fsyncs"`
	Ckpt       float64 `json:"ckpt_buffers"`
	BgClean    float64 `json:"bg_clean"`
	DevWrites  float64 `json:"dev_writes"`
	DevMerge   float64 `json:"dev_merge"`
	DevFlush   float64 `json:"dev_flush"`
	DevBytes   float64 `json:"dev_bytes"`
	Inserted   float64 `json:"tup_inserted"`
	XactCommit float64 `json:"xact_commit"`
}

// grew returns the row by metric, under the probes' names.
func (r row) grew() map[string]map[string]float64 {
	return map[string]map[string]float64{
		"pgstat": {
			"pgstat.wal/wal_records": r.WALRecords, "pgstat.wal/wal_fpi": r.WALFPI, "pgstat.lsn/insert": r.LSN,
			"pgstat.wal/wal_write": r.WALWrite, "pgstat.wal/wal_sync": r.WALSync,
			"pgstat.io/writes": r.IOWrites, "pgstat.io/extends": r.IOExtends, "pgstat.io/fsyncs": r.IOFsyncs,
			"pgstat.checkpointer/buffers_written": r.Ckpt, "pgstat.bgwriter/buffers_clean": r.BgClean,
			"pgstat.database/tup_inserted": r.Inserted, "pgstat.database/xact_commit": r.XactCommit,
		},
		"block": {
			"block/writes": r.DevWrites, "block/writes_merged": r.DevMerge, "block/flushes": r.DevFlush,
			"block/write_bytes": r.DevBytes,
		},
	}
}

// source reads the source of the shipped run, in the order of measurement.
func source(t *testing.T) []row {
	t.Helper()
	content, err := os.ReadFile(shippedSource)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	if err := json.Unmarshal(content, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestShippedRunIsItsSource makes the shipped run from its source and compares; -update writes it.
func TestShippedRunIsItsSource(t *testing.T) {
	runfiletest.IsMadeOf(t, shippedRun, asRun(source(t)), *update)
}

// midnight stands in for the unknown time of the measurement.
var midnight = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// asRun puts the rows end to end. Each begins and ends with a reading of everything, the sums of all rows before it.
func asRun(rows []row) []runfile.Record {
	at := midnight
	pass := func(d time.Duration) time.Time { at = at.Add(d); return at }
	records := []runfile.Record{header()}
	for _, m := range announced() {
		records = append(records, m)
	}
	totals := row{}.grew()
	totals["pgstat"]["pgstat.lsn/insert"] = 1 << 24 // start of a new cluster
	read := func() {
		for _, probe := range []string{"block", "pgstat"} {
			records = append(records, runfile.Reading{At: at, Took: 0.001, Probe: probe,
				Values: maps.Clone(totals[probe])})
		}
	}
	for _, r := range rows {
		event := func(e runfile.Event) {
			pass(10 * time.Millisecond)
			records = append(records, runfile.LoadEvent{At: at, Load: r.Load, Repetition: r.Rep + 1, Event: e})
		}
		event(runfile.Settle)
		pass(400 * time.Millisecond)
		read()
		event(runfile.Begin)
		from := pass(10 * time.Millisecond)
		to := pass(time.Duration(r.Wall * float64(time.Second)))
		if r.Tx > 0 {
			records = append(records, runfile.Work{
				From: from, To: to, Load: r.Load, Repetition: r.Rep + 1, Transactions: r.Tx, Statements: r.Stmts,
				Rows: r.Rows,
			})
		}
		for probe, metrics := range r.grew() {
			for metric, grown := range metrics {
				totals[probe][metric] += grown
			}
		}
		pass(200 * time.Millisecond)
		read()
		event(runfile.End)
	}
	return append(records, runfile.Ended{At: pass(time.Second), Status: runfile.Complete})
}

func header() runfile.Run {
	return runfile.Run{
		Schema: runfile.Schema, ID: "loads-pg17", Start: midnight, Version: "none",
		Target: runfile.Target{
			Kind: "dsn", Flavor: "postgres", Version: "17.11", Settings: map[string]string{"fsync": "on"},
			Storage: runfile.Storage{FileSystem: "ext4", Device: "loop"},
		},
		Host: runfile.Host{OS: "linux", Arch: "amd64", CPUs: 2},
		Plan: runfile.Plan{Name: "identify", Repetitions: 3, LoadSeconds: 5, Loads: []runfile.Load{
			{Name: "idle"},
			{Name: "bulk", Method: "insert-select", RowsPerTx: 1000},
			{Name: "bulk-indexed", Method: "insert-select", RowsPerTx: 1000, Indexes: 2},
			{Name: "copy", Method: "copy", RowsPerTx: 1000},
			{Name: "copy-indexed", Method: "copy", RowsPerTx: 1000, Indexes: 2},
			{Name: "single", Method: "insert", RowsPerTx: 1},
			{Name: "async", Method: "insert-async", RowsPerTx: 1},
			{Name: "multi", Method: "insert-many", RowsPerTx: 100},
			{Name: "wide", Method: "insert-values", RowsPerTx: 100, Indexes: 1},
		}},
		Provenance: "differences measured on PostgreSQL 17.11 before realiops could write run files, " +
			"laid end to end; " +
			"the times of day are made up (testdata/runs/README.md)",
	}
}

func announced() []runfile.Metric {
	counter := func(name, unit, help string) runfile.Metric {
		return runfile.Metric{Name: name, Unit: unit, Type: runfile.Counter, Help: help}
	}
	return []runfile.Metric{
		counter("block/flushes", "operations", "flushes of the device's cache"),
		counter("block/write_bytes", "bytes", "bytes written to the device"),
		counter("block/writes", "operations", "write requests completed by the device, empty flushes among them"),
		counter("block/writes_merged", "operations", "writes that were merged into a request already queued"),
		counter("pgstat.bgwriter/buffers_clean", "pages", "pages written by the background writer"),
		counter("pgstat.checkpointer/buffers_written", "pages", "pages written by checkpoints"),
		counter("pgstat.database/tup_inserted", "rows", "rows inserted into tables of the database"),
		counter("pgstat.database/xact_commit", "transactions", "transactions committed in the database"),
		counter("pgstat.io/extends", "operations", "extensions of table and index files"),
		counter("pgstat.io/fsyncs", "operations", "syncs of table and index files"),
		counter("pgstat.io/writes", "operations", "writes of table and index pages to their files"),
		counter("pgstat.lsn/insert", "bytes", "insert position of the write-ahead log"),
		counter("pgstat.wal/wal_fpi", "records", "full pages in the write-ahead log"),
		counter("pgstat.wal/wal_records", "records", "records in the write-ahead log"),
		counter("pgstat.wal/wal_sync", "operations", "syncs of the log's files"),
		counter("pgstat.wal/wal_write", "operations", "writes of the log to its files"),
	}
}
