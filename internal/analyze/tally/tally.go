package tally

import (
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// Option says what of a run file is read.
type Option int

// WithoutLatencies leaves out how long transactions took, for who does not show it: to add that up takes as long as
// half of all else.
const WithoutLatencies Option = 1

// FromRun reads the records of a run file to their end. A torn tail is no error: what came before it is there, and
// Torn says so.
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

// finish pairs up what was gathered.
func (b *builder) finish() *counts.Run {
	observed, check := observer{b}, checks{b}
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
	if b.run.Observed != nil {
		b.run.Observed.Coarse.OfServer = b.run.OfServer
	}
	b.run.Top = append(b.joinTops(), b.wal.top(b.run.Header.Target.Flavor)...)
	b.run.TakeOffBackground(mostVariants)
	came := func(name string) bool { return len(b.periods[name]) > 0 || b.totalled[name] }
	b.run.Uncollected, b.run.Unpublished = b.answers.Lacking(b.metrics, came), b.answers.Without(b.metrics, came)
	b.run.Notes = b.notes.all()
	return b.run
}

// counters returns the metrics announced as such, and those that came in periods, by name.
func (b *builder) counters() []runfile.Metric {
	var counters []runfile.Metric
	for _, m := range b.metrics {
		inPeriods := m.Type.Statistic() != ""
		counted := m.Type == runfile.Counter && !ofAnatomy(m.Name)
		if counted || inPeriods && (len(b.periods[m.Name]) > 0 || b.totalled[m.Name]) {
			counters = append(counters, m)
		}
	}
	slices.SortFunc(counters, func(a, b runfile.Metric) int { return strings.Compare(a.Name, b.Name) })
	for _, metric := range slices.Sorted(maps.Keys(b.probes)) {
		if _, announced := b.metrics[metric]; !announced {
			b.notes.add("metric-unannounced", metric+" was read but never announced, and was left out")
		}
	}
	return counters
}

// FromFile reads a run file, compressed or not, as FromRun does.
func FromFile(path string, options ...Option) (*counts.Run, error) {
	records, file, err := runfile.OpenRows(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return FromRun(runfile.Possible(records), options...)
}
