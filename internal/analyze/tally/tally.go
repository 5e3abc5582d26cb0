package tally

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/latency"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Option selects what is read from a run file.
type Option int

// WithoutLatencies skips the latencies of transactions, which take half as long as everything else.
const WithoutLatencies Option = 1

// FromRun reads the records of a run file to their end. A torn tail is no error: the run holds what came before it, and
// Torn.
func FromRun(records iter.Seq2[runfile.Record, error], options ...Option) (*counts.Run, error) {
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
		switch torn, isTorn := errors.AsType[*runfile.TornError](err); {
		case isTorn && c.begun:
			c.run.Torn = torn
		case err != nil:
			return err
		default:
			c.take(record)
		}
		if c.disorder != nil {
			return c.disorder
		}
		const seldom = 256 // records whose kept part is small
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

// addLatencies adds up latencies while the file is being read, since that takes as long as the rest for a long run.
// wait blocks until all are added.
func (c *collector) addLatencies() (wait func()) {
	var adding sync.WaitGroup
	c.latencies = make(chan func(*latency.Adder), 64)
	adding.Go(func() {
		var adder latency.Adder
		for add := range c.latencies {
			add(&adder)
		}
	})
	return func() {
		close(c.latencies)
		adding.Wait()
	}
}

// finish makes the run from the collected records.
func (b *builder) finish() *counts.Run {
	observed, check := observer{b}, checks{b}
	b.run.Header.Target.Flavor = b.flavor()
	b.run.Source = newViewer(b)
	if b.thin != nil {
		observed.keepThin()
	}
	b.follow()
	b.run.Counters = b.counters()
	b.stretch()
	check.clocks()
	check.otherClocks()
	check.added()
	check.copied()
	b.buildLoads()
	check.capacity()
	check.still()
	if b.thin != nil {
		observed.observe()
	}
	b.run.OfServer = b.run.Followed()
	b.run.Top = append(b.joinTops(), b.wal.top(b.run.Header.Target.Flavor)...)
	b.run.TakeOffBackground(mostVariants)
	came := func(name string) bool {
		gauge := b.metrics[name].Type.Statistic() == "" && len(b.periods[name]) > 0
		return gauge || len(b.stretched[name]) > 0 || b.totalled[name]
	}
	b.run.Uncollected = b.answers.Lacking(b.run.Header, b.metrics, came)
	b.run.Unpublished = b.answers.Without(b.metrics, came)
	if b.thin == nil && b.run.Header.Provenance == "" { // what others published says itself what it lacks
		b.run.Uncollected = strings.TrimSpace(b.run.Uncollected + " " + b.sparse())
	}
	b.run.Notes = b.notes.all()
	return b.run
}

// flavor returns the target's flavor. If the file lacks it, the engine tells it, or metrics that only Aurora has: what
// PostgreSQL's counters mean depends on it.
func (b *builder) flavor() string {
	target := b.run.Header.Target
	onlyAurora := func(name string) bool {
		rows := metric.All().Of(name)
		return len(rows) == 1 && rows[0].On == "aurora"
	}
	switch cloud := target.Cloud; {
	case target.Flavor != "":
		return target.Flavor
	case cloud != nil && cloud.Aurora(), slices.ContainsFunc(slices.Collect(maps.Keys(b.metrics)), onlyAurora):
		return "aurora"
	case cloud != nil && cloud.Engine == "postgres":
		return "rds"
	default:
		return ""
	}
}

// counters returns the metrics announced as counters, and those with periods, by name.
func (b *builder) counters() []runfile.Metric {
	var counters []runfile.Metric
	for _, m := range b.metrics {
		inPeriods := m.Type.Statistic() != ""
		// the WAL's anatomy repeats parts of other metrics
		counted := m.Type == runfile.Counter && !strings.HasPrefix(m.Name, anatomyProbe)
		if counted || inPeriods && (len(b.periods[m.Name]) > 0 || b.totalled[m.Name]) {
			counters = append(counters, m)
		}
	}
	slices.SortFunc(counters, func(a, b runfile.Metric) int { return strings.Compare(a.Name, b.Name) })
	unannounced := slices.DeleteFunc(slices.Sorted(maps.Keys(b.probes)), func(metric string) bool {
		_, announced := b.metrics[metric]
		return announced
	})
	if len(unannounced) > 0 {
		b.run.Undescribed = "The file has readings but no description of " + printable.Listed(unannounced) +
			", so they are left out."
	}
	return counters
}

// FromFile reads a run file, compressed or not, like FromRun.
func FromFile(path string, options ...Option) (*counts.Run, error) {
	records, file, err := runfile.OpenRows(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return FromRun(runfile.Possible(records), options...)
}

// notebook keeps notes, and only the first of many of one kind, so that a file full of defects gives a short report.
type notebook struct {
	notes []counts.Note
	count map[string]int
	seen  map[counts.Note]bool
}

// notesOfAKind is the number of notes of one kind that are kept verbatim.
const notesOfAKind = 3

func (n *notebook) add(code, text string) {
	note := counts.Note{Code: code, Text: text}
	if n.seen[note] {
		return
	}
	if n.count == nil {
		n.count, n.seen = map[string]int{}, map[counts.Note]bool{}
	}
	n.count[code]++
	if n.count[code] <= notesOfAKind {
		n.notes = append(n.notes, note)
		n.seen[note] = true
	}
}

func (n *notebook) all() []counts.Note {
	for _, code := range slices.Sorted(maps.Keys(n.count)) {
		if more := n.count[code] - notesOfAKind; more > 0 {
			n.notes = append(n.notes, counts.Note{Code: code, Text: fmt.Sprintf("and %d more of this kind", more)})
		}
	}
	slices.SortStableFunc(n.notes, func(a, b counts.Note) int { return cmp.Compare(a.Code, b.Code) })
	return n.notes
}

// Levels returns the periods of a metric by the first of the preferred statistics that exists, and one set of
// dimensions, in order.
func (b *builder) Levels(metric string, preferred []string) (all []counts.Level) {
	periods := b.periods[metric]
	if len(periods) == 0 {
		return nil
	}
	dimensions, statistic := b.dimensions(runfile.Metric{Name: metric}), ""
	for _, name := range slices.Backward(preferred) {
		for key := range periods {
			if key.statistic == name && key.dimensions == dimensions {
				statistic = name
			}
		}
	}
	for key, told := range periods {
		if key.statistic == statistic && key.dimensions == dimensions {
			all = append(all, counts.Level{From: key.from, To: key.to, Value: told.value})
		}
	}
	slices.SortFunc(all, func(a, b counts.Level) int { return cmp.Or(a.From.Compare(b.From), a.To.Compare(b.To)) })
	return all
}

// steady is the factor within which an instance's size may vary and still count as constant.
const steady = 1.1

// capacity notes that a Serverless instance was scaled during the measurement: amounts stay comparable, rates do not.
func (k checks) capacity() {
	var units []float64
	for _, l := range k.run.Levels(metric.CloudWatchServerlessDatabaseCapacity) {
		throughout := func(a *attempt) bool {
			return a.clients.lines > 0 && !l.From.Before(a.clients.from) && !l.To.After(a.clients.to)
		}
		if slices.ContainsFunc(k.attempts, throughout) {
			units = append(units, l.Value)
		}
	}
	if len(units) == 0 {
		return
	}
	if least, most := slices.Min(units), slices.Max(units); most > steady*least {
		k.notes.add("capacity-changed", fmt.Sprintf(
			"The instance was scaled under load, from %.3g to %.3g capacity units: rates of different loads cannot "+
				"be compared, and a load may not have been steady", least, most))
	}
}

// unknownOf returns the background without one metric.
func unknownOf(b counts.Background, metric string) counts.Background {
	for _, of := range []*map[string]float64{&b.PerSecond, &b.Closing, &b.Deviation} {
		*of = maps.Clone(*of)
		delete(*of, metric)
	}
	return b
}

// mostVariants bounds the idle repetitions that are subtracted one by one: a few show how far the background varies.
const mostVariants = 10

// leastQuiet is the share of an idle load that two readings must span to show a rate.
const leastQuiet = 0.5

// quiet returns each counter's growth in an idle repetition before its end, which begins after the planned length.
func (b *builder) quiet(r counts.Repetition) (all map[string]counts.Count) {
	length := time.Duration(b.run.Header.Plan.LoadSeconds * float64(time.Second))
	end := r.Begin.Add(length)
	if length == 0 || !end.Before(r.End) {
		return nil
	}
	for name, count := range r.Counts {
		if m, known := b.run.Counter(name); count.Missing != nil || !known || m.Type != runfile.Counter {
			continue
		}
		change, err := b.Series(name).Delta(r.Begin, end)
		if seconds := change.Seconds(); err == nil && seconds > leastQuiet*length.Seconds() && seconds < count.Seconds {
			if all == nil {
				all = map[string]counts.Count{}
			}
			all[name] = counts.Count{Amount: change.Amount, Raw: change.Amount, Seconds: seconds}
		}
	}
	return all
}
