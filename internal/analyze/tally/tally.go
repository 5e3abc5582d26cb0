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

	"github.com/realiops/realiops/internal/analyze/counts"
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

// finish makes the run from the collected records.
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
	b.run.Top = append(b.joinTops(), b.wal.top(b.run.Header.Target.Flavor)...)
	b.run.TakeOffBackground(mostVariants)
	came := func(name string) bool { return len(b.periods[name]) > 0 || b.totalled[name] }
	b.run.Uncollected, b.run.Unpublished = b.answers.Lacking(b.metrics, came), b.answers.Without(b.metrics, came)
	b.run.Notes = b.notes.all()
	return b.run
}

// counters returns the metrics announced as counters, and those with periods, by name.
func (b *builder) counters() []runfile.Metric {
	var counters []runfile.Metric
	for _, m := range b.metrics {
		inPeriods := m.Type.Statistic() != ""
		counted := m.Type == runfile.Counter && !isAnatomy(m.Name)
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
