//go:build unix

// Command longrun writes a long run file, to measure the cost of analyzing it: the loads of a plan, each for its part
// of the time, every series read each second.
//
//	longrun FILE HOURS SERIES [observed]
//
// With observed it is an observation, without planned loads, and longrun prints the memory that writing took.
package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/runfile"
)

func main() {
	if len(os.Args) < 4 || len(os.Args) > 5 || len(os.Args) == 5 && os.Args[4] != "observed" {
		fmt.Fprintln(os.Stderr, "usage: longrun FILE HOURS SERIES [observed]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3], len(os.Args) == 5); err != nil {
		fmt.Fprintln(os.Stderr, "longrun:", err)
		os.Exit(1)
	}
}

func run(path, hours, series string, observed bool) error {
	h, err := strconv.ParseFloat(hours, 64)
	if err != nil {
		return fmt.Errorf("hours: %w", err)
	}
	n, err := strconv.Atoi(series)
	if err != nil {
		return fmt.Errorf("series: %w", err)
	}
	file, err := runfile.Create(path)
	if err != nil {
		return err
	}
	w := writer{file: file, observed: observed, at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		random: rand.New(rand.NewPCG(1, 1))} //nolint:gosec // figures
	if err := w.run(h, n); err != nil {
		return err
	}
	if err := file.Close(); err != nil || !observed {
		return err
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return err
	}
	fmt.Println(usage.Maxrss * 1024 / 1e6) // MB, of kilobytes on Linux
	return nil
}

// writer writes second after second.
type writer struct {
	observed bool
	file     *runfile.Writer
	at       time.Time
	random   *rand.Rand
	series   []runfile.Metric
	values   map[string]map[string]float64 // the values of each series, by probe
	err      error                         // the first
}

// repetitions of each load, which are longer in a longer run.
const repetitions = 3

// needed are the series from which quantities are computed; the others are invented.
var needed = []string{
	"block/flushes", "block/write_bytes", "block/writes", "pgstat.io/writes", "pgstat.lsn/insert",
	"pgstat.wal/wal_records", "pgstat.wal/wal_sync", "pgstat.wal/wal_write",
}

func (w *writer) run(hours float64, series int) error {
	w.values = map[string]map[string]float64{"pgstat": {}, "block": {}}
	plan := experiment.Identify()
	plan.Repetitions = repetitions
	steps := len(plan.Loads) * plan.Repetitions
	plan.LoadSeconds = math.Floor(hours * 3600 / float64(steps))
	head := runfile.Run{
		Schema: runfile.Schema, ID: "long", Start: w.at, Version: "none", Plan: plan, Observed: w.observed,
		Target: runfile.Target{Kind: "dsn", Flavor: "postgres", Version: "17.11", Settings: map[string]string{
			"fsync": "on"}},
		Host:       runfile.Host{OS: "linux", Arch: "amd64", CPUs: 2},
		Provenance: "made up, to see what analyzing a long run costs",
	}
	if w.observed {
		head.Plan = runfile.Plan{Name: "observe", Loads: []runfile.Load{}}
	}
	w.write(head)
	for i := range series {
		name := fmt.Sprintf("pgstat.io/client_backend.relation.normal.writes_%03d", i)
		if i < len(needed) {
			name = needed[i]
		}
		m := runfile.Metric{Name: name, Unit: "operations", Type: runfile.Counter}
		w.series = append(w.series, m)
		w.values[probeOf(name)][name] = float64(w.random.IntN(1e9))
		w.write(m)
	}
	for i := range steps {
		w.repetition(plan.Loads[i%len(plan.Loads)], i/len(plan.Loads)+1, int(plan.LoadSeconds))
	}
	w.write(runfile.Ended{At: w.at, Status: runfile.Complete})
	return w.err
}

func (w *writer) write(r runfile.Record) {
	if _, ofLoad := r.(runfile.LoadEvent); w.observed && ofLoad {
		return
	}
	if err := w.file.Write(r); w.err == nil {
		w.err = err
	}
}

func probeOf(metric string) string {
	if metric[0] == 'b' {
		return "block"
	}
	return "pgstat"
}

// repetition is one repetition of a load, a second at a time.
func (w *writer) repetition(load runfile.Load, repetition, seconds int) {
	event := func(e runfile.Event) {
		w.write(runfile.LoadEvent{At: w.at, Load: load.Name, Repetition: repetition, Event: e})
		w.at = w.at.Add(time.Millisecond)
	}
	event(runfile.Settle)
	w.read()
	w.at = w.at.Add(time.Millisecond)
	event(runfile.Begin)
	for range max(1, seconds) {
		from := w.at
		w.at = w.at.Add(time.Second)
		rows := w.work(load, repetition, from)
		w.grow(load, rows)
		w.at = w.at.Add(time.Millisecond)
		w.read()
	}
	w.at = w.at.Add(time.Millisecond)
	event(runfile.End)
}

// work records a second of our own clients' work, with the latency of each transaction.
func (w *writer) work(load runfile.Load, repetition int, from time.Time) int64 {
	if load.Idle() {
		return 0
	}
	transactions := int64(1000 + w.random.IntN(100))
	latency := hdrhistogram.New(1, int64(time.Minute/time.Microsecond), 3)
	for range transactions {
		_ = latency.RecordValue(500 + w.random.Int64N(8000)) // within its bounds
	}
	encoded, err := latency.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if w.err == nil {
		w.err = err
	}
	rows := transactions * int64(load.RowsPerTx)
	if !w.observed {
		w.write(runfile.Work{
			From: from, To: w.at, Load: load.Name, Repetition: repetition,
			Transactions: transactions, Statements: transactions, Rows: rows, Latency: string(encoded),
		})
	}
	return rows
}

// grow adds a second to every series, each by its own mixture of rows and indexes.
func (w *writer) grow(load runfile.Load, rows int64) {
	for i, m := range w.series {
		byRow, byIndex, noise := float64(1+i%7), float64(i%5*load.Indexes), 1+0.02*w.random.NormFloat64()
		w.values[probeOf(m.Name)][m.Name] += float64(int64(float64(rows) * (byRow + byIndex) * noise))
	}
}

func (w *writer) read() {
	for _, probe := range []string{"block", "pgstat"} {
		w.write(runfile.Reading{At: w.at, Took: 0.004, Probe: probe, Values: w.values[probe]})
	}
}
