package counts

import (
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/analyze/latency"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Run is the content of a run file, load by load.
type Run struct {
	Header runfile.Run
	Ended  *runfile.Ended     // nil: the run was cut off
	Torn   *runfile.TornError // nil: the file ends with a whole line
	Loads  []Load             // in the order of the plan, then as they came
	// Counters are the metrics that can be counted over a stretch of time, by name: cumulative ones, and those that
	// came in periods of their source. Counts of repetitions go by their names.
	Counters []runfile.Metric
	Idle     Background
	Notes    []Note
	// Others are the repetitions that are used although others worked on the server meanwhile.
	Others []OthersWorked
	// OtherSessions are sessions that connected to an operation's database and were not its own.
	OtherSessions int64
	// SettingChanges are settings of the server that were found to be others than before, in order.
	SettingChanges []runfile.SettingChange
	// Uncollected says which metrics of AWS were not collected, and why; Unpublished which ones AWS does not have.
	// Empty: none.
	Uncollected, Unpublished string
	Origins                  []runfile.Origin // of figures that realiops did not read itself
	Observed                 *Observation     // nil: it put a load on the server
	// of statements, tables, indexes and what the WAL is about, as far as they were looked at
	Top      []Top
	Tops     []runfile.Top // as they were looked at, in no order
	ofServer bool          // see OfServer

	series func(metric string) series.Series
	levels func(metric string, preferred []string) []Level
	over   func(metric string) (*Run, View) // nil: it was made by Over
	whole  func(metric string) (amount float64, from, to time.Time, ok bool)
	share  func(load string, repetition int, from, to time.Time) (float64, bool)
}

// Load is one load of the plan and its repetitions.
type Load struct {
	runfile.Load
	Repetitions []Repetition // those that may be used, by number
	LeftOut     []LeftOut
	Waits       []Wait // nil where nobody told
}

// LeftOut is a repetition that must not be used, and why.
type LeftOut struct {
	Repetition int
	Why        string
}

// Repetition is one go of a load.
type Repetition struct {
	Number     int
	Begin, End time.Time
	// Seconds that the load ran, from the first client's start to the last one's end; of an idle load, from its first
	// reading to its last.
	Seconds    float64
	Work       Work
	Latency    *latency.Quantiles  // nil where none was recorded
	Counts     map[string]Count    // by metric
	Log        *Anatomy            // as it was read; nil in a run that did not try. See Load.Anatomy
	WAL        *runfile.WAL        // which tables and indexes it is about; nil in a run that did not ask
	Autovacuum *runfile.Autovacuum // what it did meanwhile; nil: nothing
	// Sessions is the number of sessions that connected to an operation's database meanwhile; nil: not counted.
	Sessions *int64
	// Variants are the same repetition with the background of one idle repetition subtracted instead of the mean of
	// all: their spread is the uncertainty due to the background.
	Variants []Repetition

	Quiet map[string]Count // of an idle repetition, by metric: before its end; nil: nobody read it then
}

// Work counts our own clients' work: the known side of everything.
type Work struct {
	Transactions int64
	Statements   int64
	Rows         int64 // that were inserted, updated or deleted
	Updated      int64
	Deleted      int64
	Returned     int64 // rows that statements answered with, or looked at to answer
	Lookups      int64 // descents of an index
	Failures     int64
	Retries      int64
	Late         int64
	Counted      int64 // rows that we counted one by one after the load, in the periods of a source that tells of these
}

func (w Work) times(part float64) Work {
	for _, n := range []*int64{
		&w.Transactions, &w.Statements, &w.Rows, &w.Updated, &w.Deleted, &w.Returned, &w.Lookups, &w.Failures,
		&w.Retries, &w.Late,
	} {
		*n = int64(math.Round(part * float64(*n)))
	}
	return w
}

// Count is a counter's growth caused by a repetition.
type Count struct {
	Amount  float64         // with the background taken off, where that is known
	Raw     float64         // as read
	Seconds float64         // between the two readings
	Error   float64         // standard deviation that its source gives for it, as of a chart that was read
	Missing *series.Missing // not nil: there is no count
}

// Count returns what a counter grew by in the repetition, with the background taken off. The error is a
// *series.Missing.
func (r Repetition) Count(metric string) (float64, error) {
	c, known := r.Counts[metric]
	switch {
	case !known:
		return 0, &series.Missing{Reason: NotRecorded, Detail: "this run did not read " + metric}
	case c.Missing != nil:
		return 0, c.Missing
	}
	return c.Amount, nil
}

// Lasted is Seconds, or why nobody knows them. The error is a *series.Missing.
func (r Repetition) Lasted() (float64, error) {
	if r.Seconds <= 0 {
		return 0, &series.Missing{Reason: NotRecorded, Detail: "nobody says how long it lasted"}
	}
	return r.Seconds, nil
}

// PerSecond returns the rate of something counted in the repetition. The error is a *series.Missing.
func (r Repetition) PerSecond(count float64, err error) (float64, error) {
	if err != nil {
		return 0, err
	}
	seconds, err := r.Lasted()
	return count / seconds, err
}

// NotRecorded is the reason for a count that the run did not even try to read.
const NotRecorded series.Reason = "not-recorded"

// Note is something about the file that whoever reads a report should know.
type Note struct {
	Code string // of one kind of note, for programs
	Text string
}

// Option says what of a run file is read.
type Option int

// WithoutLatencies leaves out how long transactions took, for who does not show it: to add that up takes as long as
// half of all else.
const WithoutLatencies Option = 1

// FromRun reads the records of a run file to their end. A torn tail is no error: what came before it is there, and
// Torn says so.
func FromRun(records iter.Seq2[runfile.Record, error], options ...Option) (*Run, error) {
	c := newCollector()
	c.untimed = slices.Contains(options, WithoutLatencies)
	if err := c.takeAll(records); err != nil {
		return nil, err
	}
	b := &builder{collector: c, places: map[string]int{}}
	return b.finish(), nil
}

func (c *collector) takeAll(records iter.Seq2[runfile.Record, error]) error {
	defer c.addLatencies()()
	taken := 0
	for record, err := range records {
		torn, isTorn := errors.AsType[*runfile.TornError](err)
		switch {
		case isTorn && c.begun:
			c.run.Torn = torn
		case err != nil:
			return err
		default:
			c.take(record)
		}
		const seldom = 256 // what is kept of so many records is little
		if taken++; taken%seldom == 0 || c.kept > mostHeld {
			if err := c.within(); err != nil {
				return err
			}
		}
	}
	if !c.begun {
		return runfile.ErrNotRunFile
	}
	return c.within()
}

// addLatencies has the latencies of loads added up while the file is read on: of a long run that takes as long as the
// rest. It gives what waits until all are added.
func (c *collector) addLatencies() (wait func()) {
	var adding sync.WaitGroup
	c.latencies = make(chan func(), 64)
	adding.Go(func() {
		for add := range c.latencies {
			add()
		}
	})
	return func() {
		close(c.latencies)
		adding.Wait()
	}
}

// Series returns what a metric read over the whole run; a metric that the run did not read has an empty one.
func (r *Run) Series(metric string) series.Series {
	if r.series == nil {
		return series.Series{}
	}
	return r.series(metric)
}

// Growth is a counter's growth over the whole run, including the time between repetitions.
type Growth struct{ Amount, Seconds float64 }

// Grew returns what a metric did from its first reading or period to its last; false where nothing tells.
func (r *Run) Grew(metric string) (Growth, bool) {
	if r.series == nil {
		return Growth{}, false
	}
	m, known := r.Counter(metric)
	if statistic, inPeriods := statistics()[m.Type]; known && inPeriods {
		if r.levels == nil {
			return Growth{}, false
		}
		return grewInPeriods(r.Rates(metric, statistic), m.Type == runfile.Rate)
	}
	c := r.series(metric).Grew()
	return Growth{c.Amount, c.Seconds()}, !c.From.IsZero()
}

// grewInPeriods adds periods up, of which each tells an amount, or a rate for each second of it.
func grewInPeriods(periods []Level, rates bool) (g Growth, known bool) {
	for _, p := range periods {
		amount, seconds := p.Value, p.To.Sub(p.From).Seconds()
		if rates {
			amount *= seconds
		}
		g.Amount, g.Seconds = g.Amount+amount, g.Seconds+seconds
	}
	return g, g.Seconds > 0
}

// Levels returns what a source with periods of its own said of a level, such as a balance of credits, in order: the
// minimum where there is one, for what is left of credits is asked about at its worst.
func (r *Run) Levels(metric string) []Level {
	return r.levels(metric, worst())
}

// Rates returns what it said of a rate, by a statistic of each period.
func (r *Run) Rates(metric, statistic string) []Level { return r.levels(metric, []string{statistic}) }

// FromFile reads a run file, compressed or not, as FromRun does.
func FromFile(path string, options ...Option) (*Run, error) {
	records, file, err := runfile.OpenRows(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return FromRun(runfile.Possible(records), options...)
}

// Load finds a load by its name.
func (r *Run) Load(name string) (Load, bool) {
	i := slices.IndexFunc(r.Loads, func(a Load) bool { return a.Name == name })
	if i < 0 {
		return Load{}, false
	}
	return r.Loads[i], true
}

// Counter finds a counter's description by its name.
func (r *Run) Counter(name string) (runfile.Metric, bool) {
	i, known := slices.BinarySearchFunc(r.Counters, name, func(m runfile.Metric, name string) int {
		return strings.Compare(m.Name, name)
	})
	if !known {
		return runfile.Metric{}, false
	}
	return r.Counters[i], true
}
