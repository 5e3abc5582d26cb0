package published

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// SenzingLoad holds the published figures of one of Senzing's loads on Aurora.
type SenzingLoad struct {
	Name   string // the day, and a suffix for loads of one day
	Source struct {
		Repository, Licence, Directory string
		Files                          map[string]string // the commit of each
	}
	What   string
	Engine struct {
		Version       string
		InstanceClass string `json:"instance_class"`
		Storage       string
		Settings      map[string]string
	}
	Window struct {
		Start, End time.Time
		Cover      string
		Ratios     bool `json:"ratios_allowed"`
	}
	Database map[string]float64            `json:"pg_stat_database_delta"`
	Tables   map[string]map[string]float64 `json:"tables_delta"`
	IO       struct {
		Rows []ioRow
	} `json:"pg_stat_io"`
	Sums struct {
		Write, Read float64
	} `json:"cloudwatch_sums"` // of the averages over minutes
	Minutes struct {
		Time    []time.Time
		Metrics map[string][]float64
	} `json:"cloudwatch_minutes"`
}

// ioRow is a row of pg_stat_io; nil fields were empty.
type ioRow struct {
	Reads, Writes, Extends, Hits *float64
	ReadTime                     *float64 `json:"read_time"` // milliseconds
	ExtendTime                   *float64 `json:"extend_time"`
	Reset                        string   `json:"stats_reset"`
}

// Senzing reads all loads, the earliest first.
func Senzing(t testing.TB, directory string) (loads []SenzingLoad) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(directory, "senzing-*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no published loads under %s (%v)", directory, err)
	}
	for _, file := range files {
		var load SenzingLoad
		read(t, file, &load)
		load.Name = strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "senzing-"), ".json")
		loads = append(loads, load)
	}
	slices.SortFunc(loads, func(a, b SenzingLoad) int { return a.Window.Start.Compare(b.Window.Start) })
	return loads
}

func read(t testing.TB, file string, into any) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(content, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// Each minute's average is a rate per second, so their sum times this is a number of operations.
const secondsInMinute = 60

// The two loads that differ in one thing, and the tables of each record.
const (
	hnsw      = "20260828-loadonly-hnsw"
	plain     = "20260828-loadonly"
	tableOfIt = "dsrc_record"
)

// again returns the days with the same records. Their vectors differ slightly, which counts as noise.
func again() []string { return []string{"20260826", "20260827"} }

// SenzingRecords returns the run file of all loads.
func SenzingRecords(loads []SenzingLoad) []runfile.Record {
	first := loads[0]
	run := runfile.Run{
		Schema: runfile.Schema, ID: "published-senzing", Start: first.Window.Start, Version: "none",
		Target: runfile.Target{
			Kind: "dsn", Flavor: "aurora", Version: first.Engine.Version, Settings: first.Engine.Settings,
			Cloud: &runfile.Cloud{Provider: "aws", Engine: "aurora-postgresql", Version: first.Engine.Version,
				Storage: first.Engine.Storage},
		},
		Plan: runfile.Plan{Name: "senzing", Repetitions: 1},
		Provenance: "Published by Senzing under " + first.Source.Licence + " (" + first.Source.Repository +
			"), and not read by realiops: " +
			"deltas of pg_stat views, and sums of CloudWatch's averages over minutes, times 60. Each load ran on a " +
			"cluster of its own. The file " +
			"names the commit of each figure (docs/evidence.md)",
	}
	records := []runfile.Record{}
	names := map[string]bool{metric.StatWALRecords: true}
	for _, l := range loads {
		run.Plan.Loads = append(run.Plan.Loads, l.load(loads))
		records = append(records, l.records()...)
		for _, t := range l.totals() {
			for name := range t.Values {
				names[name] = true
			}
		}
		for name := range l.Minutes.Metrics {
			names[cloudwatch+"/"+name] = true
		}
	}
	gap := runfile.Gap{
		At: first.Window.Start, Probe: pgstat, Metric: metric.StatWALRecords, Reason: runfile.Unsupported,
		Detail: "Aurora refuses pg_stat_wal: the function behind the view raises an error",
	}
	last := loads[len(loads)-1].Window.End
	return slices.Concat([]runfile.Record{run}, announced("aurora", names), []runfile.Record{gap}, records,
		[]runfile.Record{runfile.Ended{At: last, Status: runfile.Complete}})
}

// load returns the load for the plan; for one of a pair, with its difference from the other.
func (l SenzingLoad) load(loads []SenzingLoad) runfile.Load {
	load := runfile.Load{Name: l.Name, Method: runfile.Observed}
	i := slices.IndexFunc(loads, func(o SenzingLoad) bool { return o.Name == plain })
	if slices.Contains(again(), l.Name) {
		load.Like = plain
	}
	if l.Name == hnsw && i >= 0 {
		load.Like, load.But = plain, "two HNSW indexes (m=16), made before the load"
		for _, table := range []string{"name_embedding", "semantic_value"} { // with vectors; each row makes an entry
			load.MoreEntries += int64(l.Tables[table]["ins"])
		}
	}
	return load
}

const (
	pgstat     = "pgstat"
	cloudwatch = "cloudwatch"
)

func (l SenzingLoad) records() (all []runfile.Record) {
	for _, o := range l.origins() {
		all = append(all, o)
	}
	cloud := runfile.Cloud{Provider: "aws", Class: l.Engine.InstanceClass, Storage: l.Engine.Storage,
		Version: l.Engine.Version}
	all = append(all, runfile.LoadEvent{At: l.Window.Start, Load: l.Name, Repetition: 1, Event: runfile.Begin,
		Cloud: &cloud})
	for _, t := range l.totals() {
		all = append(all, t)
	}
	for _, name := range slices.Sorted(maps.Keys(l.Minutes.Metrics)) {
		for i, value := range l.Minutes.Metrics[name] {
			from := l.Minutes.Time[i]
			all = append(all, runfile.Period{
				From: from, To: from.Add(time.Minute), Probe: cloudwatch, Metric: cloudwatch + "/" + name,
				Statistic: "Average", Value: value, Fetched: l.Window.End,
			})
		}
	}
	return append(all, runfile.Proof{At: l.Window.End, Load: l.Name, Repetition: 1, Rows: l.recordsSaid(),
		Counter: insertedInto(tableOfIt)},
		runfile.LoadEvent{At: l.Window.End, Load: l.Name, Repetition: 1, Event: runfile.End})
}

// recordsSaid returns the number of records in the load's name: bulk load of 25 million.
func (l SenzingLoad) recordsSaid() int64 {
	said := regexp.MustCompile(`bulk load of (\d+) million`).FindStringSubmatch(l.What)
	if said == nil {
		return 0
	}
	millions, _ := strconv.ParseInt(said[1], 10, 64)
	return millions * 1_000_000
}

func insertedInto(table string) string { return "pgstat.tables." + table + "/n_tup_ins" }

// totals returns the deltas of its window, the view that counts since the server's start,
// and the sums over all minutes.
func (l SenzingLoad) totals() []runfile.Total {
	of := func(probe string, from, to time.Time, values map[string]float64) runfile.Total {
		return runfile.Total{Load: l.Name, Repetition: 1, Probe: probe, From: from, To: to, Values: values}
	}
	deltas := map[string]float64{insertedInto(tableOfIt): l.Tables[tableOfIt]["ins"]}
	for name, value := range l.Database {
		name, milliseconds := strings.CutSuffix(name, "_ms")
		if milliseconds {
			value /= 1000
		}
		if row := "pgstat.database/" + name; metric.All().Row(row).Kind != "" {
			deltas[row] = value
		}
	}
	sums := map[string]float64{cloudwatch + "/WriteIOPS": secondsInMinute * l.Sums.Write, cloudwatch +
		"/ReadIOPS": secondsInMinute * l.Sums.Read}
	reset, _ := time.Parse("2006-01-02 15:04:05.999999-07", l.IO.Rows[0].Reset)
	all := []runfile.Total{
		of(pgstat, l.Window.Start, l.Window.End, deltas),
		of(pgstat, reset, l.Window.End, l.ioSums()),
		of(cloudwatch, time.Time{}, time.Time{}, sums),
	}
	if bytes := l.Minutes.Metrics["WriteThroughput"]; len(bytes) > 0 {
		sum := 0.0
		for _, b := range bytes {
			sum += b
		}
		all = append(all, of(cloudwatch, time.Time{}, time.Time{},
			map[string]float64{cloudwatch + "/WriteThroughput": secondsInMinute * sum}))
	}
	return all
}

func (l SenzingLoad) ioSums() map[string]float64 {
	sums := map[string]float64{}
	add := func(name string, value *float64, scale float64) {
		if value != nil {
			sums["pgstat.io/"+name] += *value * scale
		}
	}
	for _, r := range l.IO.Rows {
		add("reads", r.Reads, 1)
		add("writes", r.Writes, 1)
		add("extends", r.Extends, 1)
		add("hits", r.Hits, 1)
		add("read_time", r.ReadTime, 1e-3)
		add("extend_time", r.ExtendTime, 1e-3)
	}
	return sums
}

// origins returns the files with the figures.
func (l SenzingLoad) origins() (all []runfile.Origin) {
	notes := map[string]string{
		"data/final-deltas.txt": l.Window.Cover,
		"data/pg_stat_io.csv":   "totals since the server's start",
		"README.md":             "sums of the averages over minutes of WriteIOPS and ReadIOPS of the writer, times 60",
		"data/rds_metrics.csv":  "each minute; WriteThroughput in all is the sum times 60",
	}
	for _, file := range slices.Sorted(maps.Keys(l.Source.Files)) {
		o := runfile.Origin{
			Load: l.Name, Repetition: 1, Probe: pgstat, Place: l.Source.Repository, File: l.Source.Directory + "/" +
				file, Commit: l.Source.Files[file],
			Author: "Senzing", Licence: l.Source.Licence, How: runfile.Published, Note: notes[file],
		}
		if !strings.Contains(file, "stat") && file != "data/final-deltas.txt" {
			o.Probe = cloudwatch
		}
		if file == "README.md" {
			o.How = runfile.Computed
		}
		all = append(all, o)
	}
	return all
}
