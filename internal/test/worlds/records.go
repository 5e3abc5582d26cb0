package worlds

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// The probes of a world.
const (
	pgstat = "pgstat"
	block  = "block"
	meter  = "meter"
)

// start is when every world begins.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Records returns the world as the records of a run file.
func (w World) Records() []runfile.Record {
	p := &recorder{at: start, world: w, dice: newDice(^w.Seed), totals: map[string]map[string]float64{
		pgstat: {}, block: {}, meter: {}}}
	p.write(w.header())
	for _, m := range w.metrics() {
		p.write(m)
		probe, _, _ := strings.Cut(m.Name, "/")
		probe, _, _ = strings.Cut(probe, ".")
		if m.Type == runfile.Counter && !w.Wild() {
			p.add(probe, m.Name, math.Round(p.dice.between(1, 1e9))) // its value before the run
		}
	}
	if !p.sees(block) {
		p.write(runfile.Gap{At: p.at, Probe: block, Reason: runfile.NotLocal,
			Detail: "the server runs on another machine"})
	}
	switch {
	case w.Wild():
		p.wild()
	case w.observed:
		p.steps()
	default:
		for i, r := range w.repetitions {
			p.repetition(i, r)
		}
	}
	p.pass(time.Second)
	p.write(runfile.Ended{At: p.at, Status: runfile.Complete})
	return p.records
}

func (w World) header() runfile.Run {
	if w.observed {
		w.plan = runfile.Plan{Name: "observe", Loads: []runfile.Load{}}
	}
	flavor, version := "postgres", "17.11"
	if w.aurora {
		flavor = "aurora"
	}
	if w.Reads() && w.unrecorded[devReads] { // then PostgreSQL counts read calls, from 18 on
		version = "18.1"
	}
	return runfile.Run{
		Observed: w.observed,
		Schema:   runfile.Schema, ID: fmt.Sprintf("world-%d", w.Seed), Start: start, Version: "none", Plan: w.plan,
		Target: runfile.Target{
			Kind: "dsn", Flavor: flavor, Version: version, Settings: map[string]string{"fsync": "on"},
			Storage: runfile.Storage{FileSystem: "ext4", Device: "vdb"},
		},
		Host:       runfile.Host{OS: "linux", Arch: "amd64", CPUs: 2},
		Provenance: "drawn by chance, with hidden rules, to judge a method by (scripts/score)",
	}
}

// metrics returns the meters, and the metrics of the real probes that quantities are computed from.
func (w World) metrics() []runfile.Metric {
	counter := func(name, unit, help string) runfile.Metric {
		return runfile.Metric{Name: name, Unit: unit, Type: runfile.Counter, Help: help}
	}
	all := []runfile.Metric{
		counter("block/flushes", "operations", "flushes of the device's cache"),
		counter("block/write_bytes", "bytes", "bytes written to the device"),
		counter("block/writes", "operations", "write requests completed by the device, empty flushes among them"),
		counter("pgstat.io/writes", "operations", "writes of table and index pages to their files"),
		counter("pgstat.lsn/insert", "bytes", "insert position of the write-ahead log"),
		counter("pgstat.wal/wal_records", "records", "records in the write-ahead log"),
		counter("pgstat.wal/wal_sync", "operations", "syncs of the WAL's files"),
		counter("pgstat.wal/wal_write", "operations", "writes of the WAL to its files"),
	}
	if w.observed {
		for _, name := range observedMetrics() {
			all = append(all, counter(name, "operations", "what clients of ours would count"))
		}
	}
	if w.Reads() {
		for _, c := range w.countersOfReads() {
			all = append(all, counter(c.metric, c.unit, "what is read and changed"))
		}
	}
	for _, m := range w.Meters {
		announced := counter(m.Name, w.unit(m), "something")
		if m.kind != runfile.Counter {
			announced.Type, announced.Period = m.kind, w.period.Seconds()
		}
		all = append(all, announced)
	}
	return all
}

// unit returns a meter's unit: bytes for an observed one that counts bytes one to one.
func (w World) unit(m Meter) string {
	if w.observed && m.Rule.Sort == Single && m.Rule.Terms[0].PerUnit == 1 {
		if d, listed := counts.Named(m.Rule.quantity()); listed && d.Unit == "bytes" {
			return d.Unit
		}
	}
	return "operations"
}

// recorder writes the records of a world.
type recorder struct {
	at      time.Time
	world   World
	dice    *dice
	totals  map[string]map[string]float64 // of all counters, by probe
	records []runfile.Record
}

func (p *recorder) write(r runfile.Record) { p.records = append(p.records, r) }

func (p *recorder) pass(d time.Duration) { p.at = p.at.Add(d) }

func (p *recorder) repetition(i int, r work) {
	event := func(e runfile.Event) {
		p.write(runfile.LoadEvent{At: p.at, Load: r.load.Name, Repetition: r.repetition, Event: e})
		p.pass(time.Millisecond)
	}
	event(runfile.Settle)
	p.pass(300 * time.Millisecond)
	p.readBefore()
	first := p.at
	p.pass(time.Millisecond)
	event(runfile.Begin)
	if !r.idle() {
		p.write(runfile.Work{
			From: p.at, To: p.at.Add(seconds(r.seconds)), Load: r.load.Name, Repetition: r.repetition,
			Transactions: int64(r.done[metric.Commits]), Statements: int64(r.done[metric.Statements]),
			Rows: int64(r.done[metric.RowsWritten]),
		})
	}
	p.grow(i, r)
	p.tell(i, r, p.at)
	p.at = first.Add(seconds(r.between))
	p.readAfter(i)
	p.pass(time.Millisecond)
	event(runfile.End)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// grow adds a repetition to all counters.
func (p *recorder) grow(i int, r work) {
	p.add(pgstat, "pgstat.wal/wal_records", r.total(metric.WALRecords))
	p.add(pgstat, "pgstat.lsn/insert", r.total(metric.WALBytes))
	p.add(pgstat, "pgstat.wal/wal_write", p.blur(r.total(metric.WALWrites)))
	p.add(pgstat, "pgstat.wal/wal_sync", p.blur(r.total(metric.WALSyncs)))
	p.add(pgstat, "pgstat.io/writes", p.blur(r.total(metric.PagesWritten)))
	flushes := p.blur(r.total(metric.DeviceFlushes))
	p.add(block, "block/flushes", flushes)
	p.add(block, "block/writes", flushes+p.blur(r.total(metric.DeviceRequests)))
	p.add(block, "block/write_bytes", p.blur(r.total(metric.DeviceBytes)))
	for _, m := range p.world.Meters {
		if m.kind == runfile.Counter {
			p.add(meter, m.Name, math.Round(m.shown[i]))
		}
	}
}

// tell writes the periods of meters that overlap repetition i, whose load began at the given moment.
func (p *recorder) tell(i int, r work, began time.Time) {
	last, period := began.Add(seconds(r.between)), p.world.period
	for from := began.Truncate(period).Add(period); from.Add(period).Before(last); from = from.Add(period) {
		to := from.Add(period)
		underLoad := max(0, min(to.Sub(began).Seconds(), period.Seconds(),
			began.Add(seconds(r.seconds)).Sub(from).Seconds()))
		for _, m := range p.world.Meters {
			if m.kind == runfile.Counter || m.missing[i] || p.world.lost[i] == meter {
				continue
			}
			amount := m.besides[i]/r.between*period.Seconds() + (m.shown[i]-m.besides[i])/r.seconds*underLoad
			p.write(m.period(from, to, amount*p.dice.lognormal(unlike)))
		}
	}
}

// unlike is the variation between the seconds of one load: a constant value would mean that the source did not move.
const unlike = 0.003

func (m Meter) period(from, to time.Time, amount float64) runfile.Period {
	p := runfile.Period{From: from, To: to, Probe: meter, Metric: m.Name, Statistic: "Sum", Value: amount, Fetched: to}
	if m.kind == runfile.Rate {
		p.Statistic, p.Value = "Average", amount/to.Sub(from).Seconds()
	}
	return p
}

func (p *recorder) add(probe, metric string, amount float64) { p.totals[probe][metric] += amount }

func (p *recorder) blur(amount float64) float64 {
	return math.Round(amount * p.dice.lognormal(p.world.blurred))
}

func (p *recorder) readBefore() {
	for _, probe := range []string{block, pgstat, meter} {
		p.read(probe, maps.Clone(p.totals[probe]))
	}
}

// readAfter reads everything readable at the end of repetition i.
func (p *recorder) readAfter(i int) {
	for _, probe := range []string{block, pgstat, meter} {
		values := maps.Clone(p.totals[probe])
		if p.world.lost[i] == probe && p.sees(probe) {
			p.write(runfile.Gap{At: p.at, Probe: probe, Reason: runfile.Late, Detail: "no answer within a second"})
			continue
		}
		if probe == meter {
			p.hide(i, values)
		}
		p.read(probe, values)
	}
}

// hide removes the meters that are not read at the end of repetition i.
func (p *recorder) hide(i int, values map[string]float64) {
	for _, m := range p.world.Meters {
		if m.missing[i] && m.kind == runfile.Counter {
			delete(values, m.Name)
			p.write(runfile.Gap{At: p.at, Probe: meter, Metric: m.Name, Reason: runfile.Throttled, Code: "429"})
		}
	}
}

func (p *recorder) sees(probe string) bool {
	return probe != block || !p.world.remote && !p.world.unrecorded[metric.DeviceBytes]
}

func (p *recorder) read(probe string, values map[string]float64) {
	if !p.sees(probe) {
		return
	}
	p.write(runfile.Reading{At: p.at, Took: 0.001, Probe: probe, Values: values})
}
