package tally

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/gaps"
	"github.com/realiops/realiops/internal/analyze/latency"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/tally/sieve"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// collector gathers the records of a file, in any order.
type collector struct {
	run      *counts.Run
	begun    bool
	readings map[string]*series.Readings  // by probe
	columns  map[*string][]*series.Column // of rows with these names
	probes   map[string]string            // by metric, read or missed
	metrics  map[string]runfile.Metric    // as first announced
	periods  map[string]map[periodKey]told

	sets      map[string]map[string]string // dimensions, by their text in keys
	totalled  map[string]bool              // metrics with totals
	answers   gaps.AWS
	thin      *sieve.Sieve              // of an observation; nil: all readings are kept
	setBack   map[string]counts.SetBack // by probe, of an observation
	disorder  error                     // lines of an observation are not in order
	backups   backups
	tops      map[topKey]runfile.Top
	wal       stretches       // outside our loads
	kept      int             // bytes, roughly, without readings
	loads     map[string]bool // loads that records mention
	attempts  []*attempt      // in order of first mention
	byKey     map[attemptKey]*attempt
	factors   map[string]runfile.Load   // of loads that are not in the plan
	latencies chan func(*latency.Adder) // each adds one latency
	untimed   bool                      // latencies are not needed
	notes     notebook

	handing sync.Mutex // held while a series is handed out, since metrics are analyzed in parallel
}

// builder makes a run of the collected records.
type builder struct {
	*collector
	places    map[string]int       // of each load in run.Loads
	stretched map[string][]stretch // by metric: its periods, in order
}

// attempt is everything that the file says about one repetition of a load.
type attempt struct {
	attemptKey
	begins, ends []time.Time
	failed       string
	others       *runfile.Others // the work of others, if too much to ignore
	vacuumed     *runfile.Autovacuum
	sessions     *int64 // sessions that connected meanwhile
	added        string // why it was run beyond the plan
	instance     string // the instance it ran on, if not the run's
	cold         *runfile.Cold
	followed     []string // the metrics with values for that instance
	clients      clientWork
	proof        *runfile.Proof
	wal          *runfile.WAL
	totals       []runfile.Total
}

type attemptKey struct {
	load       string
	repetition int
}

// topKey identifies a ranking, so that a later one replaces an earlier one.
type topKey struct {
	of   string
	from time.Time
}

func newCollector() *collector {
	return &collector{
		run: &counts.Run{}, readings: map[string]*series.Readings{}, columns: map[*string][]*series.Column{},
		probes: map[string]string{}, metrics: map[string]runfile.Metric{}, periods: map[string]map[periodKey]told{},
		sets: map[string]map[string]string{}, byKey: map[attemptKey]*attempt{},
		factors: map[string]runfile.Load{}, loads: map[string]bool{},
		tops: map[topKey]runfile.Top{}, totalled: map[string]bool{}, setBack: map[string]counts.SetBack{},
	}
}

func (c *collector) take(record runfile.Record) {
	c.kept += weight(record)
	switch r := record.(type) {
	case runfile.Run:
		c.run.Header, c.begun = r, true
		if r.Observed {
			c.thin = sieve.New(r)
		}
	case runfile.Metric:
		c.announce(r)
	case runfile.LoadEvent:
		c.event(r)
	case runfile.Work:
		a := c.attempt(r.Load, r.Repetition)
		a.clients.add(r)
		if in := &a.clients.latency; !c.untimed {
			c.latencies <- func(a *latency.Adder) { a.Add(in, r.Latency) }
		}
	case runfile.Proof:
		c.attempt(r.Load, r.Repetition).proof = &r
	case runfile.Reading:
		c.read(r)
	case runfile.Period:
		c.period(r)
	case runfile.Total:
		c.total(r)
	case runfile.Origin:
		c.origin(r)
	case runfile.WAL:
		c.takeWAL(r)
	case runfile.Top:
		c.tops[topKey{r.Of, r.From.UTC()}] = r
	case runfile.Row:
		c.readRow(r)
	case runfile.Gap:
		c.gap(r)
	case runfile.SettingChange:
		c.run.SettingChanges = append(c.run.SettingChanges, r)
	case runfile.Ended:
		c.run.Ended = &r
	}
}

func (c *collector) announce(m runfile.Metric) {
	first, known := c.metrics[m.Name]
	if known && (first.Type != m.Type || first.Unit != m.Unit) {
		c.notes.add("metric-contradictory", fmt.Sprintf(
			"%s is announced as a %s in %s and again as a %s in %s; the first is used", m.Name, first.Type,
			first.Unit, m.Type, m.Unit))
	}
	if !known {
		c.metrics[m.Name] = m
	}
}

func (c *collector) attempt(load string, repetition int) *attempt {
	key := attemptKey{load, repetition}
	a := c.byKey[key]
	if a == nil {
		a = &attempt{attemptKey: key}
		c.byKey[key], c.loads[load] = a, true
		c.attempts = append(c.attempts, a)
	}
	return a
}

func (c *collector) event(e runfile.LoadEvent) {
	switch a := c.attempt(e.Load, e.Repetition); e.Event {
	case runfile.Settle:
		a.added = e.Added
		if e.Factors != nil {
			c.factors[e.Load] = *e.Factors
		}
	case runfile.Begin:
		a.begins, a.instance, a.cold = append(a.begins, e.At), e.Instance, e.Cold
	case runfile.End:
		a.ends = append(a.ends, e.At)
		a.failed = cmp.Or(a.failed, e.Failed)
		a.others, a.vacuumed, a.sessions = e.Others, e.Autovacuum, e.Sessions
		c.run.OtherSessions += e.OtherSessions
	}
}

func (c *collector) read(r runfile.Reading) {
	if c.thin != nil {
		c.readRow(r.Row())
		return
	}
	for metric := range r.Values {
		c.belongs(metric, r.Probe)
	}
	c.of(r.Probe).Add(r.At, r.Values)
}

func (c *collector) readRow(r runfile.Row) {
	if c.thin != nil {
		c.run.Ended = nil // the run went on after that
		if by, moved := c.thin.Back(r); by > 0 {
			c.wentBack(r, by, moved)
			return
		}
		c.thin.Take(r)
		c.backups.take(r)
		return
	}
	c.keep(r)
}

// wentBack leaves out a reading of an observation that is earlier than the one before it, since the same seconds come
// twice. The next one that is kept was not as long after the last as their times say.
func (c *collector) wentBack(r runfile.Row, by time.Duration, moved bool) {
	last := r.At.Add(by)
	if moved {
		c.disorder = fmt.Errorf("a reading of %s at %s follows one at %s, and its counters are lower: lines of the file "+
			"were moved, or two files were joined", r.Probe, r.At.UTC().Format(toTheSecond), last.UTC().Format(toTheSecond))
		return
	}
	set := c.setBack[r.Probe]
	if !set.At.Equal(last) {
		c.of(r.Probe).AddGap("", series.Gap{At: last.Add(1), Reason: series.Reset, Detail: "the clock was set back"})
	}
	c.setBack[r.Probe] = counts.SetBack{At: last, By: max(set.By, by), Lost: set.Lost + 1}
}

const toTheSecond = "2006-01-02 15:04:05 MST"

// keep adds a reading to the series of its metrics.
func (c *collector) keep(r runfile.Row) {
	if len(r.Names) == 0 {
		c.of(r.Probe).Add(r.At, nil)
		return
	}
	columns, known := c.columns[&r.Names[0]]
	if !known {
		for _, metric := range r.Names {
			c.belongs(metric, r.Probe)
			columns = append(columns, c.of(r.Probe).Column(metric))
		}
		if len(c.columns) > mostShapes {
			clear(c.columns)
		}
		c.columns[&r.Names[0]] = columns
	}
	c.of(r.Probe).AddRow(r.At, columns, r.Values)
}

// mostShapes bounds the number of cached row shapes; files that read some metrics now and then have a few.
const mostShapes = 1000

func (c *collector) gap(g runfile.Gap) {
	if g.Metric != "" {
		c.belongs(g.Metric, g.Probe)
	}
	c.answers.Add(g)
	if g.Metric == "" && g.Reason == runfile.Reset && c.run.Header.Observed {
		c.notes.add("server-restarted", fmt.Sprintf("At %s: %s. Its counters start over there",
			g.At.UTC().Format(toTheSecond), g.Detail))
	}
	if g.Metric == "" && g.Reason == runfile.Late && c.run.Header.Observed &&
		strings.Contains(g.Detail, "stood still") {
		c.notes.add("stood-still", fmt.Sprintf("From %s on, %s", g.At.UTC().Format(toTheSecond), g.Detail))
	}
	c.of(g.Probe).AddGap(g.Metric, series.Gap{At: g.At, Reason: series.Reason(g.Reason), Code: g.Code, Detail: g.Detail})
}

// belongs records which probe a metric is from: the first that names it.
func (c *collector) belongs(metric, probe string) {
	first := cmp.Or(c.probes[metric], probe)
	c.probes[metric] = first
	if first != probe {
		c.notes.add("metric-contradictory", fmt.Sprintf("%s is read by %s and by %s; only the first was used", metric,
			first, probe))
	}
}

func (c *collector) of(probe string) *series.Readings {
	if c.readings[probe] == nil {
		c.readings[probe] = series.NewReadings()
	}
	return c.readings[probe]
}

// Series returns the readings of a metric. A metric that no record names belongs to the probe that its name begins
// with.
func (c *collector) Series(metric string) series.Series {
	probe, known := c.probes[metric]
	if !known {
		probe, _, _ = strings.Cut(metric, "/")
		probe, _, _ = strings.Cut(probe, ".")
	}
	if c.readings[probe] == nil {
		return series.Series{}
	}
	c.handing.Lock()
	defer c.handing.Unlock()
	return c.readings[probe].Series(metric)
}

// checks notes oddities of a run.
type checks struct{ *builder }

// vacuumed sums up autovacuum's writes in the used repetitions.
type vacuumed struct {
	repetitions int
	runfile.Autovacuum
}

func (v *vacuumed) add(wrote runfile.Autovacuum) {
	v.repetitions++
	v.Rows += wrote.Rows
	v.WALBytes += wrote.WALBytes
}

// text describes the writes; empty if there were none.
func (v vacuumed) text() string {
	if v.repetitions == 0 {
		return ""
	}
	text := "Autovacuum worked during " + printable.Counted(v.repetitions, "repetition")
	if v.Rows > 0 {
		text += " and wrote " + printable.Count(v.Rows) + " rows of statistics"
	}
	if v.WALBytes > 0 {
		text += " and " + number.Short(float64(v.WALBytes)/1e6, 3) + " MB of WAL"
	}
	return text + ". The counts include it."
}
