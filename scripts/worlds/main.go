// Command worlds scores the method of package attribution on worlds with known truth, and prints the scores.
//
//	worlds [-wild N] [-reads N] [-storage N] [-meters N] [-two-loads N] [-observed N] [-clean N] [-nonlinear N] [-threes N]
//	       [-plans N] [-calibration N] [-changed] [-workers N] [-seed N] [-keep DIRECTORY] [-failures]
//
// -clean, -nonlinear and -threes draw that many more meters of kinds that are rare among the wild ones. -plans
// scores the program's purpose in each built-in plan. -calibration prints how often intervals hold the truth.
// -changed judges each run again with its loads renamed, in other units, and with a load split in two. It
// exits with 1 if a target is missed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/test/worlds"
	"github.com/realiops/realiops/internal/test/worlds/score"
)

// metersPerWorld watch one world together: many rules for the price of one run.
const metersPerWorld = 25

type options struct {
	meters, twoLoads, observed, wild, reads, storage int
	workers, plans, calibration                      int
	seed                                             uint64
	keep                                             string
	failures, changed                                bool
	kinds                                            map[string]*int // meters by the name of their kind
}

// percent is the garbage collector's target: a world takes little memory, and judging it makes much garbage.
const percent = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	o := options{kinds: map[string]*int{}}
	flag.IntVar(&o.meters, "meters", 4000, "meters in worlds of the plan identify")
	flag.IntVar(&o.twoLoads, "two-loads", 1000, "meters in worlds of two loads")
	flag.IntVar(&o.observed, "observed", 4000,
		"meters in worlds that were observed for minutes, without loads of ours, and as many in such as "+
			"were for 12 hours")
	flag.IntVar(&o.wild, "wild", 10000, "meters in worlds whose physics are their own")
	flag.IntVar(&o.reads, "reads", 4000,
		"meters in worlds whose physics are their own and whose loads read, update and delete as well")
	flag.IntVar(&o.storage, "storage", 4000,
		"meters in worlds whose physics are their own and whose storage is no plain disk")
	for _, kind := range score.Kinds() {
		o.kinds[kind.Name] = flag.Int(kind.Name, 0, "meters more of this kind, in worlds whose physics are their own")
	}
	flag.IntVar(&o.plans, "plans", 0,
		"worlds for each plan that ships, with meters of what the program is for, and of nothing else")
	flag.IntVar(&o.calibration, "calibration", 0,
		"meters in worlds whose physics are their own, judged with intervals of each level, and of nothing else")
	flag.BoolVar(&o.changed, "changed", false, "judge each run of loads again after changes that must change no verdict")
	flag.IntVar(&o.workers, "workers", 2, "worlds that are judged at once")
	flag.Uint64Var(&o.seed, "seed", 1, "of the first world")
	flag.StringVar(&o.keep, "keep", "", "directory to leave the run files in")
	flag.BoolVar(&o.failures, "failures", false,
		"list every meter about which the method is wrong or falls short, with its rule")
	flag.Parse()
	if err := run(os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "worlds:", err)
		os.Exit(1)
	}
}

// draw is a set of worlds that is scored separately, with its own seeds and so its own files.
type draw struct {
	place  uint64
	world  func(seed uint64, meters int) worlds.World
	meters int
	table  func([]score.Case) []score.Figure
	list   func(io.Writer, []score.Case) // lists its errors
	loads  bool                          // of ours, not observed
}

// Positions after those of kinds.
const (
	ofReads   = 100
	ofStorage = 101
)

func (o options) draws() []draw {
	all := []draw{
		{3, worlds.NewWild, o.wild, score.WildTable, score.WriteWrong, true},
		{ofReads, worlds.NewReading, o.reads, score.ReadsTable, score.WriteWrong, true},
		{ofStorage, worlds.NewStorage, o.storage, score.StorageTable, score.WriteWrong, true},
		{0, designed(worlds.Full), o.meters, score.FullTable, score.WriteFailures, true},
		{1, designed(worlds.TwoLoads), o.twoLoads, score.TwoLoadsTable, score.WriteFailures, true},
		{2, worlds.NewObserved, o.observed, score.ObservedTable, score.WriteWrong, false},
		{4, worlds.NewDay, o.observed, score.DayTable, score.WriteWrong, false},
	}
	for i, kind := range score.Kinds() {
		all = append(all, draw{5 + uint64(i), kind.Draw, *o.kinds[kind.Name], kind.Table, score.WriteWrong, true})
	}
	return all
}

func run(out io.Writer, o options) error {
	if o.plans > 0 {
		return score.WritePlans(out, byDefault, o.seed, o.plans)
	}
	if o.calibration > 0 {
		return o.calibrate(out)
	}
	var figures []score.Figure
	var pairs []score.Pair
	for _, d := range o.draws() {
		if d.meters == 0 {
			continue
		}
		cases, changed, err := o.judged(d)
		if err != nil {
			return err
		}
		if o.failures {
			d.list(out, cases)
		}
		figures = append(figures, d.table(cases)...)
		pairs = append(pairs, changed...)
	}
	if o.changed {
		if o.failures {
			score.WriteChanged(out, pairs)
		}
		figures = append(figures, score.ChangeTable(pairs)...)
	}
	score.Write(out, figures)
	if slices.ContainsFunc(figures, func(f score.Figure) bool { return !f.Passes() }) {
		return errors.New("a target is not reached")
	}
	return nil
}

// byDefault judges as realiops report does.
func byDefault(run *counts.Run) attribution.Verdicts {
	return attribution.Judge(run, attribution.Options{})
}

// ofMeters judges as realiops report does, but only the scored metrics: a third of a
// world's metrics are its server's.
func ofMeters(run *counts.Run) attribution.Verdicts {
	meters := slices.DeleteFunc(run.MetricNames(), func(name string) bool { return !strings.HasPrefix(name, "meter/") })
	return attribution.Judge(run, attribution.Options{Asked: meters})
}

// calibrate prints how often intervals hold the truth.
func (o options) calibrate(out io.Writer) error {
	var all []score.Calibration
	for _, level := range score.Levels() {
		method := func(run *counts.Run) attribution.Verdicts {
			return attribution.Judge(run, attribution.Options{Level: level})
		}
		cases, err := each(o.workers, (o.calibration+metersPerWorld-1)/metersPerWorld,
			func(i int) ([]score.Case, error) {
				return score.Judged(method, worlds.NewWild(o.seed+3<<32+uint64(i), metersPerWorld), "")
			})
		if err != nil {
			return err
		}
		all = append(all, score.Calibrated(level, cases))
	}
	score.WriteCalibration(out, all)
	return nil
}

// designed draws worlds that run a plan.
func designed(design worlds.Design) func(uint64, int) worlds.World {
	return func(seed uint64, meters int) worlds.World { return worlds.New(seed, design, meters) }
}

// scored is a judged world; pairs are of its run after changes that must change no verdict.
type scored struct {
	cases []score.Case
	pairs []score.Pair
}

// judged judges the worlds of a draw.
func (o options) judged(d draw) (cases []score.Case, pairs []score.Pair, err error) {
	all, err := each(o.workers, (d.meters+metersPerWorld-1)/metersPerWorld, func(i int) ([]scored, error) {
		world := d.world(o.seed+d.place<<32+uint64(i), metersPerWorld)
		defer world.Forget()
		var s scored
		var err error
		if s.cases, err = score.Judged(ofMeters, world, o.keep); err == nil && o.changed && d.loads {
			s.pairs, err = score.Pairs(ofMeters, s.cases)
		}
		return []scored{s}, err
	})
	for _, s := range all {
		cases, pairs = append(cases, s.cases...), append(pairs, s.pairs...)
	}
	return cases, pairs, err
}

// each runs tasks, some in parallel, and returns their results in order.
func each[T any](workers, tasks int, do func(i int) ([]T, error)) ([]T, error) {
	given, errs := make([][]T, tasks), make([]error, tasks)
	var wait sync.WaitGroup
	for first := range workers {
		wait.Go(func() {
			for i := first; i < tasks; i += workers {
				given[i], errs[i] = do(i)
			}
		})
	}
	wait.Wait()
	return slices.Concat(given...), errors.Join(errs...)
}
