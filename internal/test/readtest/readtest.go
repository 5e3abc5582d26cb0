// Package readtest makes runs of loads that read and change rows, from measurements before realiops had such loads.
package readtest

import (
	"embed"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

//go:embed reads-pg17.json reads-pg18.json
var files embed.FS

// Load holds the counters of a load that reads or changes rows on PostgreSQL 17 or 18, measured before
// realiops had such loads: one repetition of some seconds on two cores, data on its own loop device,
// shared_buffers 64 MB, tables 381 MB.
type Load struct {
	Load       string  `json:"load"`
	Seconds    float64 `json:"t"`
	Tx         float64 `json:"tx"`
	Hits       float64 `json:"blks_hit"`
	Misses     float64 `json:"blks_read"`
	Calls      float64 `json:"io_reads"`
	Asked      float64 `json:"io_rbytes"`
	Returned   float64 `json:"tup_returned"`
	Fetched    float64 `json:"tup_fetched"`
	Updated    float64 `json:"tup_updated"`
	Deleted    float64 `json:"tup_deleted"`
	TempBytes  float64 `json:"temp_bytes"`
	Written    float64 `json:"io_writes"`
	Records    float64 `json:"wal_records"`
	Images     float64 `json:"wal_fpi"`
	WAL        float64 `json:"wal_bytes"`
	DevReads   float64 `json:"dev_reads"`
	DevRead    float64 `json:"dev_rbytes"`
	DevWrites  float64 `json:"dev_writes"`
	DevFlushes float64 `json:"dev_flush"`
	DevWritten float64 `json:"dev_wbytes"`
}

// grown returns the growth of a run file's metrics. On 18 a read in pg_stat_io is a call, before that a page.
func (l Load) grown(further map[string]func(Load) float64) map[string]float64 {
	all := map[string]float64{
		"pgstat.database/blks_hit": l.Hits, "pgstat.database/blks_read": l.Misses,
		"pgstat.database/tup_fetched":  l.Fetched,
		"pgstat.database/tup_returned": l.Returned, "pgstat.database/temp_bytes": l.TempBytes,
		"pgstat.io/reads": l.Calls, "pgstat.io/read_bytes": l.Asked, "pgstat.io/writes": l.Written,
		"pgstat.wal/wal_records": l.Records, "pgstat.wal/wal_fpi": l.Images, "pgstat.lsn/insert": l.WAL,
		"block/reads": l.DevReads, "block/read_bytes": l.DevRead,
		"block/writes": l.DevWrites, "block/flushes": l.DevFlushes, "block/write_bytes": l.DevWritten,
	}
	for name, of := range further {
		all[name] = of(l)
	}
	return all
}

// Loads returns the loads measured on a major version, 17 or 18; idle ones come first.
func Loads(t testing.TB, version string) (all []Load) {
	t.Helper()
	text, err := files.ReadFile("reads-pg" + version + ".json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Records returns a run of the loads with three repetitions of each, two of them invented: the same within 2 %.
// further metrics are computed from the measured ones.
func Records(t testing.TB, version string, further map[string]func(Load) float64) []runfile.Record {
	t.Helper()
	w := writer{at: start, totals: map[string]float64{}}
	loads := Loads(t, version)
	for _, l := range loads {
		for name := range l.grown(further) {
			w.totals[name] = 0
		}
	}
	for number, factor := range []float64{1, 1.02, 0.98} {
		for _, l := range loads {
			w.repetition(l, number+1, factor, l.grown(further))
		}
	}
	return slices.Concat(w.head(version, loads), w.records,
		[]runfile.Record{runfile.Ended{At: w.at, Status: runfile.Complete}})
}

var start = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

type writer struct {
	at      time.Time
	totals  map[string]float64
	records []runfile.Record
}

func (w *writer) write(r runfile.Record) {
	w.records = append(w.records, r)
	w.at = w.at.Add(time.Millisecond)
}

func (w *writer) head(version string, loads []Load) []runfile.Record {
	run := runfile.Run{
		Schema: runfile.Schema, ID: "reads", Start: start, Version: "none",
		Target: runfile.Target{Kind: "embedded", Flavor: "postgres", Version: version + ".1",
			Settings: map[string]string{"fsync": "on"}},
		Plan: runfile.Plan{Name: "reads", Repetitions: 3, LoadSeconds: 4},
	}
	for _, l := range loads {
		load := runfile.Load{Name: l.Load, Method: l.Load, RowsPerTx: 1, Clients: 8}
		if l.idle() {
			load = runfile.Load{Name: l.Load}
		}
		run.Plan.Loads = append(run.Plan.Loads, load)
	}
	head := []runfile.Record{run}
	for _, name := range slices.Sorted(maps.Keys(w.totals)) {
		m := metric.All().Row(name).Announced()
		m.Name, m.Type, m.Period = name, runfile.Counter, 0
		head = append(head, m)
	}
	return head
}

func (w *writer) repetition(l Load, number int, factor float64, grown map[string]float64) {
	event := func(e runfile.Event) {
		w.write(runfile.LoadEvent{At: w.at, Load: l.Load, Repetition: number, Event: e})
	}
	read := func() {
		w.write(runfile.Reading{At: w.at, Took: 0.001, Probe: "pgstat", Values: maps.Clone(w.totals)})
	}
	event(runfile.Settle)
	read()
	event(runfile.Begin)
	if !l.idle() {
		of := func(n float64) int64 { return int64(math.Round(n * factor)) }
		w.write(runfile.Work{ // as far as the server's counters show it
			From: w.at, To: w.at.Add(time.Duration((l.Seconds - 0.1) * float64(time.Second))), Load: l.Load,
			Repetition:   number,
			Transactions: of(l.Tx), Statements: of(l.Tx), Rows: of(l.Updated + l.Deleted), Updated: of(l.Updated),
			Deleted: of(l.Deleted), Returned: of(l.Returned), Lookups: of(l.Tx),
		})
	}
	w.at = w.at.Add(time.Duration(l.Seconds * float64(time.Second)))
	for name, n := range grown {
		w.totals[name] += math.Round(n * factor)
	}
	read()
	event(runfile.End)
	w.at = w.at.Add(time.Second)
}

func (l Load) idle() bool { return l.Load == "idle" }
