package report_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

var midnight = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func sec(s float64) time.Time { return midnight.Add(time.Duration(s * float64(time.Second))) }

// demoLoad is the work of one of the demo run's loads in 10 s, in its middle repetition. The first does a tenth less,
// the last a tenth more.
type demoLoad struct {
	runfile.Load
	rows, transactions, records, walBytes, walWrites, walSyncs float64
	writes, flushes, bytes                                     float64 // of the device
}

// demoLoads have figures that divide easily; demoLines has the report's lines for them.
func demoLoads() []demoLoad {
	return []demoLoad{
		{
			Load: runfile.Load{Name: "bulk", Method: "insert-select", RowsPerTx: 1000},
			rows: 100_000, transactions: 100, records: 103_000, walBytes: 8_000_000, walWrites: 300, walSyncs: 200,
			writes: 700, flushes: 200, bytes: 10_000_000,
		},
		{
			Load: runfile.Load{Name: "copy", Method: "copy", RowsPerTx: 1000},
			rows: 200_000, transactions: 200, records: 8_000, walBytes: 4_800_000, walWrites: 200, walSyncs: 80,
			writes: 320, flushes: 120, bytes: 6_000_000,
		},
	}
}

// The background of the demo run, per second: two requests of 4 KiB, and a flush that counts as a write.
const (
	idleWrites  = 3
	idleFlushes = 1
	idleBytes   = 8192
)

// demoEdge is the time in seconds between the load of the demo run and the readings around it.
const demoEdge = 0.5

// demo returns a run of idle, bulk and copy, three times each.
func demo() []runfile.Record {
	loads := append([]demoLoad{{Load: runfile.Load{Name: "idle"}}}, demoLoads()...)
	head := runfile.Run{
		Schema: runfile.Schema, ID: "demo", Start: midnight, Version: "v0",
		Target: runfile.Target{
			Kind: "embedded", Flavor: "postgres", Version: "17.11", Settings: map[string]string{"fsync": "on"},
			Storage: runfile.Storage{FileSystem: "ext4", Device: "vda"},
		},
		Host: runfile.Host{OS: "linux", Arch: "amd64", CPUs: 2},
		Plan: runfile.Plan{Name: "demo", Repetitions: 3, LoadSeconds: 10, Seed: 7},
	}
	for _, a := range loads {
		head.Plan.Loads = append(head.Plan.Loads, a.Load)
	}
	records := append([]runfile.Record{head}, demoMetrics()...)
	totals := demoLoad{}.grew(0, 0)
	at := 0.0
	for repetition := 1; repetition <= 3; repetition++ {
		for _, a := range loads {
			records = append(records, a.repetition(repetition, at, totals)...)
			at += 20
		}
	}
	return append(records, runfile.Ended{At: sec(at), Status: runfile.Complete})
}

// repetition returns one repetition of a load from second at on, and adds its growth to totals.
func (a demoLoad) repetition(n int, at float64, totals map[string]map[string]float64) []runfile.Record {
	var records []runfile.Record
	read := func(at float64) {
		for _, probe := range []string{"block", "pgstat"} {
			records = append(records, runfile.Reading{At: sec(at), Probe: probe, Values: maps.Clone(totals[probe])})
		}
	}
	event := func(at float64, e runfile.Event) {
		records = append(records, runfile.LoadEvent{At: sec(at), Load: a.Name, Repetition: n, Event: e})
	}
	scale := 0.8 + float64(n)/10
	from, to := at+1, at+11
	read(from - demoEdge)
	event(from-demoEdge/2, runfile.Begin)
	if a.rows > 0 {
		records = append(records, runfile.Work{
			From: sec(from), To: sec(to), Load: a.Name, Repetition: n, Rows: int64(a.rows * scale),
			Transactions: int64(a.transactions * scale), Statements: int64(a.transactions * scale),
		})
	}
	for probe, metrics := range a.grew(scale, to-from+2*demoEdge) {
		for metric, grown := range metrics {
			totals[probe][metric] += grown
		}
	}
	read(to + demoEdge)
	event(to+1, runfile.End)
	return records
}

func (a demoLoad) grew(scale, seconds float64) map[string]map[string]float64 {
	return map[string]map[string]float64{
		"pgstat": {
			"pgstat.database/tup_inserted": a.rows * scale, "pgstat.wal/wal_records": a.records * scale,
			"pgstat.lsn/insert": a.walBytes * scale, "pgstat.wal/wal_write": a.walWrites * scale,
			"pgstat.wal/wal_sync": a.walSyncs * scale, "pgstat.database/deadlocks": 0,
		},
		"block": {
			"block/writes": a.writes*scale + idleWrites*seconds, "block/flushes": a.flushes*scale + idleFlushes*seconds,
			"block/write_bytes": a.bytes*scale + idleBytes*seconds,
		},
	}
}

func demoMetrics() []runfile.Record {
	var records []runfile.Record
	units := map[string]string{
		"pgstat.database/tup_inserted": "rows", "pgstat.database/deadlocks": "deadlocks",
		"pgstat.wal/wal_records": "records",
		"pgstat.lsn/insert":      "bytes", "pgstat.wal/wal_write": "operations", "pgstat.wal/wal_sync": "operations",
		"block/writes": "operations", "block/flushes": "operations", "block/write_bytes": "bytes",
	}
	for _, name := range slices.Sorted(maps.Keys(units)) {
		records = append(records, runfile.Metric{Name: name, Unit: units[name], Type: runfile.Counter,
			Help: "help for " + name})
	}
	return records
}

// demoLines are the lines with figures of the demo run's report, by their beginning. They were computed by hand from
// demoLoads: rates are sums over 10 s, requests are writes - flushes, MB are a million bytes, and ±10% is because the
// repetitions go from 0.9 to 1.1.
func demoLines() map[string]string {
	return map[string]string{
		// load      rows        WAL records  requests  flushes   MB
		"bulk": "10,000 ±10% | 10,300 ±10% | 50 ±10% | 20 ±10% | 1.0 ±10%",
		"copy": "20,000 ±10% | 800 ±10% | 20 ±10% | 12 ±10% | 0.6 ±10%",
		"Read as \"IOPS\"": "Read as \"IOPS\", the WAL records would say 10,300 a second (bulk). The device " +
			"did 50 requests " +
			"a second, 1.0 MB/s. One device request stands for 40.0 WAL records (copy) to 206 (bulk), so no rule " +
			"of thumb converts one into the other.",
	}
}

func reportOf(t *testing.T, records []runfile.Record) report.Report {
	t.Helper()
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	return report.New(run, verdictsByHand())
}

func textOf(t *testing.T, r report.Report, width int) string {
	t.Helper()
	return written(t, documentOf(t, r), width)
}

func documentOf(t *testing.T, r report.Report) document.Document {
	t.Helper()
	return report.Document(&counts.Run{}, r, nil, nil)
}

func detailsOf(t *testing.T, r report.Report, width int) string {
	t.Helper()
	return written(t, document.Document{Blocks: report.Details(r)}, width)
}

func written(t *testing.T, d document.Document, width int) string {
	t.Helper()
	var out strings.Builder
	if err := document.Text(&out, d, width); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
