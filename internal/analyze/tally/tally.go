package tally

import (
	"errors"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// times returns a part of some work.
func times(w counts.Work, part float64) counts.Work {
	for _, n := range []*int64{
		&w.Transactions, &w.Statements, &w.Rows, &w.Updated, &w.Deleted, &w.Returned, &w.Lookups, &w.Failures,
		&w.Retries, &w.Late,
	} {
		*n = int64(math.Round(part * float64(*n)))
	}
	return w
}

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

// FromFile reads a run file, compressed or not, as FromRun does.
func FromFile(path string, options ...Option) (*counts.Run, error) {
	records, file, err := runfile.OpenRows(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return FromRun(runfile.Possible(records), options...)
}
