package published

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// Digitized holds the loads whose charts were read.
type Digitized struct {
	Source struct {
		Repository, Commit, Licence, Files string
	}
	Method string
	Runs   []DigitizedLoad
}

// DigitizedLoad is a load whose charts were read.
type DigitizedLoad struct {
	Run, Engine, Instance, Storage string
	Readme                         struct {
		WriteSum float64 `json:"write_sum"`
		ReadSum  float64 `json:"read_sum"`
	}
	Digitized struct {
		WALRecords      float64 `json:"wal_records"`
		WriteThroughput float64 `json:"WriteThroughput_bytes"`
		VolumeWrites    float64 `json:"VolumeWriteIOPs"`
		VolumeReads     float64 `json:"VolumeReadIOPs"`
		Transmitted     float64 `json:"StorageNetworkTransmit_bytes"`
	}
	Checked struct {
		VolumeWrites []step `json:"VolumeWriteIOPs_steps"`
		VolumeReads  []step `json:"VolumeReadIOPs_steps"`
	}
}

// step is a stretch in which a metric had the same value every five minutes.
type step struct {
	Minutes float64
	Value   float64 `json:"per_5_min"`
}

// Name returns the load's.
func (l DigitizedLoad) Name() string { return l.Run[:len("20060102")] }

// ReadDigitized reads the source.
func ReadDigitized(t testing.TB, file string) (d Digitized) {
	t.Helper()
	read(t, file, &d)
	return d
}

const chartError = 0.02 // as its reader says

// DigitizedRecords returns the run file of these loads: totals, without known times, and for the one with steps
// also these, from an invented hour.
func DigitizedRecords(d Digitized) []runfile.Record {
	run := theirs("published-digitized", "senzing", "aurora", "17.5",
		"Published by Senzing under "+d.Source.Licence+" ("+d.Source.Repository+
			") as charts, which somebody read: sums over whole loads, give or take 2 %. "+
			"Two of them ran on Aurora PostgreSQL 14.9. When the loads began and ended is not known")
	run.Start = day(d.Runs[0].Name())
	run.Target.Cloud = &runfile.Cloud{Provider: "aws", Engine: "aurora-postgresql", Storage: d.Runs[0].Storage}
	names := map[string]bool{}
	var records []runfile.Record
	for _, l := range d.Runs {
		run.Plan.Loads = append(run.Plan.Loads, runfile.Load{Name: l.Name(), Method: runfile.Observed})
		values := map[string]float64{
			cloudwatch + "/WriteIOPS": l.Digitized.WALRecords, cloudwatch +
				"/WriteThroughput": l.Digitized.WriteThroughput,
			cloudwatch + "/VolumeWriteIOPs": l.Digitized.VolumeWrites, cloudwatch +
				"/VolumeReadIOPs": l.Digitized.VolumeReads,
			cloudwatch + "/ReadIOPS": secondsInMinute * l.Readme.ReadSum,
		}
		if l.Digitized.Transmitted > 0 {
			values[cloudwatch+"/StorageNetworkTransmitThroughput"] = l.Digitized.Transmitted
		}
		for name := range values {
			names[name] = true
		}
		origin := runfile.Origin{
			Load: l.Name(), Repetition: 1, Probe: cloudwatch, Place: d.Source.Repository, File: "results/" + l.Run +
				"/images/database-metrics-core-*.png and README.md",
			Commit: d.Source.Commit, Author: "Senzing", Licence: d.Source.Licence, How: runfile.Digitized,
			Error: chartError, Note: l.Engine + " on " + l.Instance + "; ReadIOPS is the sum of the README, times 60",
		}
		records = append(records, origin, runfile.Total{Load: l.Name(), Repetition: 1, Probe: cloudwatch,
			Values: values})
	}
	return slices.Concat([]runfile.Record{run}, announced("aurora", names), records,
		[]runfile.Record{runfile.Ended{At: run.Start, Status: runfile.Complete}})
}

// StepRecords returns the five-minute values of the load with steps, as in its charts,
// under a load of the same length.
func StepRecords(d Digitized) []runfile.Record {
	l := d.Runs[0]
	run := theirs("published-steps", "senzing", "aurora", "17.5",
		"Published by Senzing under "+d.Source.Licence+" ("+d.Source.Repository+
			") as a chart, which somebody read, give or take 2 %: VolumeWriteIOPs and "+
			"VolumeReadIOPs of one load each five minutes. Its day is that of the run's name; the hours are made up")
	run.Plan.Loads = []runfile.Load{{Name: l.Name(), Method: runfile.Observed}}
	run.Start = day(l.Name())
	periods, end := l.steps("VolumeWriteIOPs", run.Start, l.Checked.VolumeWrites)
	reads, _ := l.steps("VolumeReadIOPs", run.Start, l.Checked.VolumeReads)
	event := func(at time.Time, e runfile.Event) runfile.Record {
		return runfile.LoadEvent{At: at, Load: l.Name(), Repetition: 1, Event: e}
	}
	origin := runfile.Origin{
		Load: l.Name(), Repetition: 1, Probe: cloudwatch, Place: d.Source.Repository, File: "results/" + l.Run +
			"/images/database-metrics-core-*.png",
		Commit: d.Source.Commit, Author: "Senzing", Licence: d.Source.Licence, How: runfile.Digitized, Error: chartError,
	}
	total := runfile.Total{
		Load: l.Name(), Repetition: 1, Probe: cloudwatch, Values: map[string]float64{
			cloudwatch + "/WriteIOPS": l.Digitized.WALRecords},
	}
	names := map[string]bool{cloudwatch + "/VolumeWriteIOPs": true, cloudwatch + "/VolumeReadIOPs": true, cloudwatch +
		"/WriteIOPS": true}
	const before = 15 * time.Minute // from the first step to the load
	return slices.Concat([]runfile.Record{run}, announced("aurora", names),
		[]runfile.Record{origin, event(run.Start.Add(before), runfile.Begin), total},
		periods, reads, []runfile.Record{event(end, runfile.End), runfile.Ended{At: end, Status: runfile.Complete}})
}

const fiveMinutes = 5 * time.Minute

// steps returns the five-minute values of a metric's steps, rounded to five minutes.
func (l DigitizedLoad) steps(metric string, start time.Time, steps []step) (all []runfile.Record, end time.Time) {
	minutes, at := 0.0, start
	for _, s := range steps {
		minutes += s.Minutes
		for ; at.Sub(start)+fiveMinutes/2 < time.Duration(minutes*float64(time.Minute)); at = at.Add(fiveMinutes) {
			all = append(all, runfile.Period{
				From: at, To: at.Add(fiveMinutes), Probe: cloudwatch, Metric: cloudwatch + "/" + metric,
				Statistic: "Sum", Value: s.Value, Fetched: at.Add(fiveMinutes),
			})
		}
	}
	return all, at
}

func day(name string) time.Time {
	at, _ := time.Parse("20060102", name)
	return at
}

// theirs returns the head of a file of published figures.
func theirs(id, plan, flavor, version, provenance string) runfile.Run {
	return runfile.Run{
		Schema: runfile.Schema, ID: id, Version: "none", Target: runfile.Target{Kind: "dsn", Flavor: flavor,
			Version: version},
		Plan: runfile.Plan{Name: plan, Repetitions: 1}, Provenance: provenance,
	}
}

// ORD holds the figures that the Open Reaction Database published of its cluster.
type ORD struct {
	Source struct {
		Repository, Commit, Author, Licence string
		Files                               []string
	}
	Engine  struct{ Version string }
	Entries []Entry
}

// Entry is an entry of its diary.
type Entry struct {
	Date, Instance, How string
	Hours               float64  `json:"window_hours"`
	Objects             float64  `json:"objects_about"`
	VolumeWrites        *float64 `json:"VolumeWriteIOPs"`
	VolumeReads         float64  `json:"VolumeReadIOPs"`
}

// ReadORD reads the source.
func ReadORD(t testing.TB, file string) (o ORD) {
	t.Helper()
	read(t, file, &o)
	return o
}

// ORDRecords returns the run file of the one load with published volume metrics.
func ORDRecords(o ORD) []runfile.Record {
	const load = "orm-ingest"
	i := slices.IndexFunc(o.Entries, func(e Entry) bool { return e.Hours > 0 && e.VolumeWrites != nil })
	e := o.Entries[i]
	run := theirs("published-ord", "ord", "aurora", o.Engine.Version, fmt.Sprintf(
		"Published by %s (%s, %s): the sums of both volume metrics over %g hours of %s, which are figures and are "+
			"cited. Its day is known; the hours are made up",
		o.Source.Author, o.Source.Repository, o.Source.Licence, e.Hours, e.Date))
	run.Target.Cloud = &runfile.Cloud{Provider: "aws", Engine: "aurora-postgresql", Version: o.Engine.Version,
		Storage: "aurora"}
	run.Plan.Loads = []runfile.Load{{Name: load, Method: runfile.Observed}}
	run.Start, _ = time.Parse(time.DateOnly, e.Date)
	end := run.Start.Add(time.Duration(e.Hours * float64(time.Hour)))
	values := map[string]float64{cloudwatch + "/VolumeWriteIOPs": *e.VolumeWrites, cloudwatch +
		"/VolumeReadIOPs": e.VolumeReads, "published/orm_objects": e.Objects}
	names := map[string]bool{}
	for name := range values {
		names[name] = true
	}
	event := func(at time.Time, e runfile.Event) runfile.Record {
		return runfile.LoadEvent{At: at, Load: load, Repetition: 1, Event: e}
	}
	return slices.Concat([]runfile.Record{run}, announced("aurora", names), []runfile.Record{
		runfile.Origin{
			Load: load, Repetition: 1, Probe: cloudwatch, Place: o.Source.Repository, File: o.Source.Files[1],
			Commit: o.Source.Commit, Author: o.Source.Author,
			Licence: o.Source.Licence, How: runfile.Published, Note: e.How,
		},
		event(run.Start, runfile.Begin),
		runfile.Total{Load: load, Repetition: 1, Probe: cloudwatch, From: run.Start, To: end, Values: values},
		event(end, runfile.End), runfile.Ended{At: end, Status: runfile.Complete},
	})
}
