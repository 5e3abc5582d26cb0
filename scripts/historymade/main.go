// Command historymade invents servers, and writes their exporters' values of each minute, as OpenMetrics files of a
// day, and run files with the same counters. scripts/bench-history imports the former into a Prometheus, and
// compares its answers with the latter.
//
//	historymade DIRECTORY SERVERS DAYS
//	historymade DIRECTORY traps
//
// The second invents about sixty databases whose stores are odd in some way: traps.txt, has.csv and
// expected.csv, for scripts/bench-history traps. expected.csv has the work of each server's worst hour, by
// arithmetic: requests and MiB a second.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/realiops/realiops/internal/measure/history"
	"github.com/realiops/realiops/internal/measure/history/prometheus"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "historymade:", err)
		os.Exit(1)
	}
}

var begin = time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)

func run(args []string) error {
	if len(args) == 2 && args[1] == "traps" {
		return plantTraps(args[0])
	}
	if len(args) != 3 {
		return errors.New("usage: historymade DIRECTORY SERVERS DAYS, or historymade DIRECTORY traps")
	}
	servers, err := strconv.Atoi(args[1])
	days, failed := strconv.Atoi(args[2])
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	var all []server
	for i := range servers {
		all = append(all, made(i, days*24*60))
	}
	for day := range days {
		if err := plant(filepath.Join(args[0], fmt.Sprintf("day-%02d.txt", day+1)), all, day*24*60,
			(day+1)*24*60); err != nil {
			return err
		}
	}
	return tell(args[0], all)
}

// names returns our names of the metrics, in the order of a moment's values.
func names() []string {
	return []string{"pgstat.cluster/xact_commit", "pgstat.cluster/tup_inserted", "pgstat.cluster/tup_updated",
		"pgstat.checkpointer/buffers_written", "pgstat.wal/wal_records", "pgstat.wal/wal_bytes", "pgstat.wal/wal_sync",
		metric.BlockReads, metric.BlockWrites, metric.BlockReadBytes, metric.BlockWriteBytes, metric.BlockFlushes}
}

// rowOf returns how exporters show a metric of PostgreSQL 16.
func rowOf(ours string) prometheus.Row {
	for _, row := range prometheus.Mapping() {
		if row.Ours == ours && row.Exporter != prometheus.PgExporter {
			return row
		}
	}
	panic("nobody exports " + ours)
}

// server is a server, with its counters minute by minute.
type server struct {
	name   string
	values [][]float64
}

// made returns a server with its own costs: in turn it loads many rows in few transactions, inserts and updates
// single rows, reads, and is nearly idle, each for some hours.
func made(i, minutes int) server {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	between := func(least, most float64) float64 { return least * math.Pow(most/least, r.Float64()) }
	perRow, perRecord, share := between(1, 4), between(60, 200), between(1, 3)
	pace := between(2, 60) // commits a second
	s := server{name: fmt.Sprintf("db-%02d", i+1)}
	now := make([]float64, len(names()))
	for j := range now {
		now[j] = math.Round(between(1e6, 1e9))
	}
	owed, mode, much := 0.0, 0, 1.0
	for minute := range minutes + 1 {
		s.values = append(s.values, append([]float64{}, now...))
		if minute%90 == 0 {
			mode, much = r.IntN(4), between(0.3, 3)
		}
		commits := math.Round(60 * pace * much * between(0.9, 1.1))
		rows, updates, reads := commits, 0.0, between(1, 20)
		switch mode {
		case 0: // many rows in few transactions
			commits = math.Ceil(commits / 20)
			rows = commits * 1000
		case 1:
			rows, updates = 0, commits
		case 2:
			rows, reads = commits/20, commits*between(2, 3)
		case 3:
			commits, rows = between(1, 30), between(1, 30)
		}
		records := math.Round((rows + updates) * perRow)
		bytes := math.Round(records * perRecord)
		syncs := math.Ceil(commits / share)
		owed += bytes / 2 / 8192
		pages := 0.0
		if minute%5 == 0 {
			pages, owed = math.Floor(owed), 0
		}
		writes := syncs + pages + math.Floor(bytes/(1<<20))
		for j, more := range []float64{commits, rows, updates, pages, records, bytes, syncs, reads, writes + syncs,
			reads * 8192, bytes + syncs*4096 + pages*8192, syncs} {
			now[j] += math.Round(more)
		}
	}
	return s
}

func plant(path string, all []server, from, to int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(file, 1<<20)
	for j, ours := range names() {
		row := rowOf(ours)
		for _, s := range all {
			labels := `instance="` + s.name + `:9187"`
			switch {
			case row.Exporter == prometheus.NodeExporter:
				labels = `instance="` + s.name + `:9100",device="nvme1n1"`
			case row.Sum != "":
				labels += "," + row.Sum + `="app"`
			}
			for minute := from; minute < to; minute++ {
				fmt.Fprintf(w, "%s{%s} %.0f %d\n", row.Name, labels, s.values[minute][j],
					begin.Add(time.Duration(minute)*time.Minute).Unix())
			}
		}
	}
	fmt.Fprintln(w, "# EOF")
	return errors.Join(w.Flush(), file.Close())
}

// tell writes the run files, and what is expected of the hours.
func tell(dir string, all []server) error {
	head := runfile.Run{Schema: runfile.Schema, ID: "made", Target: runfile.Target{Kind: "history", Flavor: "postgres"}}
	expected, has := "database,requests,mibps\n", "database,volume,gib,iops\n"
	for i, s := range all {
		if err := history.Write(filepath.Join(dir, s.name+".jsonl.zst"), head, s.told()); err != nil {
			return err
		}
		requests, mibps := s.worst()
		expected += fmt.Sprintf("%s,%g,%g\n", s.name, requests, mibps)
		has += fmt.Sprintf("%s,%s\n", s.name, []string{"gp2,200,", "io1,500,6000"}[i%2])
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, "expected.csv"), []byte(expected), 0o600),
		os.WriteFile(filepath.Join(dir, "has.csv"), []byte(has), 0o600))
}

// told returns what a source tells that loses nothing.
func (s server) told() history.Data {
	t := history.Data{Interval: time.Minute}
	for _, ours := range names() {
		t.Metrics = append(t.Metrics, metric.All().Row(ours).Announced())
	}
	for minute, values := range s.values[:len(s.values)-1] {
		at := begin.Add(time.Duration(minute) * time.Minute)
		byExporter := map[string]map[string]float64{}
		for j, ours := range names() {
			exporter := rowOf(ours).Exporter
			if byExporter[exporter] == nil {
				byExporter[exporter] = map[string]float64{}
			}
			byExporter[exporter][ours] = values[j]
		}
		for _, exporter := range []string{prometheus.CloudNativePG, prometheus.NodeExporter,
			prometheus.PostgresExporter} {
			t.Readings = append(t.Readings, runfile.Reading{At: at, Probe: exporter, Values: byExporter[exporter]})
		}
	}
	return t
}

// worst returns the highest hour of the disk, from whole hour to whole hour: requests, flushes among them, and MiB a
// second.
func (s server) worst() (requests, mibps float64) {
	const reads, writes, readBytes, writeBytes = 7, 8, 9, 10
	for end := 60; end < len(s.values)-1; end += 60 {
		from, to := s.values[end-60], s.values[end]
		requests = max(requests, (to[reads]-from[reads]+to[writes]-from[writes])/3600)
		mibps = max(mibps, (to[readBytes]-from[readBytes]+to[writeBytes]-from[writeBytes])/3600/(1<<20))
	}
	return requests, mibps
}
