// Command worlds scores the method of package attribution on worlds whose truth is known, and prints what it reaches.
//
//	worlds [-wild N] [-meters N] [-two-arms N] [-observed N] [-workers N] [-seed N] [-keep DIRECTORY] [-failures]
//
// It ends with 1 where a target is not reached.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/test/worlds"
	"github.com/realiops/realiops/internal/test/worlds/score"
)

// metersPerWorld watch one world together: many rules for the price of one run.
const metersPerWorld = 25

type options struct {
	meters, twoArms, observed, wild int
	workers                         int
	seed                            uint64
	keep                            string
	failures                        bool
}

var errMissed = errors.New("a target is not reached")

func main() {
	o := options{}
	flag.IntVar(&o.meters, "meters", 4000, "meters in worlds of the plan identify")
	flag.IntVar(&o.twoArms, "two-arms", 1000, "meters in worlds of two loads")
	flag.IntVar(&o.observed, "observed", 4000, "meters in worlds that were observed for minutes, without loads of ours, and as many in such as were for a day")
	flag.IntVar(&o.wild, "wild", 10000, "meters in worlds whose physics are their own")
	flag.IntVar(&o.workers, "workers", 2, "worlds that are judged at once")
	flag.Uint64Var(&o.seed, "seed", 1, "of the first world")
	flag.StringVar(&o.keep, "keep", "", "directory to leave the run files in")
	flag.BoolVar(&o.failures, "failures", false, "list every meter about which the method is wrong or falls short, with its rule")
	flag.Parse()
	if err := run(os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "worlds:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, o options) error {
	directory := o.keep
	if directory == "" {
		made, err := os.MkdirTemp("", "realiops-worlds-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(made)
		directory = made
	}
	wild, err := o.judged(worlds.NewWild, o.seed+3<<32, o.wild, o.keep)
	if err != nil {
		return err
	}
	full, err := o.judged(designed(worlds.Full), o.seed, o.meters, directory)
	if err != nil {
		return err
	}
	// The worlds of two arms have seeds, and so files, of their own.
	two, err := o.judged(designed(worlds.TwoArms), o.seed+1<<32, o.twoArms, directory)
	if err != nil {
		return err
	}
	observed, err := o.judged(worlds.NewObserved, o.seed+2<<32, o.observed, directory)
	if err != nil {
		return err
	}
	days, err := o.judged(worlds.NewDay, o.seed+4<<32, o.observed, directory)
	if err != nil {
		return err
	}
	if o.failures {
		score.WriteWrong(out, wild)
		score.WriteFailures(out, full)
		score.WriteFailures(out, two)
		score.WriteWrong(out, observed)
		score.WriteWrong(out, days)
	}
	return report(out, slices.Concat(score.WildTable(wild), score.Table(full, two), score.ObservedTable(observed), score.DayTable(days)))
}

func report(out io.Writer, figures []score.Figure) error {
	score.Write(out, figures)
	for _, f := range figures {
		if !f.Passes() {
			return errMissed
		}
	}
	return nil
}

// byDefault judges as realiops analyze does.
func byDefault(run *drivers.Run) attribution.Verdicts {
	return attribution.Judge(run, attribution.Options{})
}

// designed draws worlds that run a plan.
func designed(design worlds.Design) func(uint64, int) worlds.World {
	return func(seed uint64, meters int) worlds.World { return worlds.New(seed, design, meters) }
}

// judged has worlds judged two at a time, in the order of their seeds.
func (o options) judged(draw func(seed uint64, meters int) worlds.World, seed uint64, meters int, directory string) ([]score.Case, error) {
	n := (meters + metersPerWorld - 1) / metersPerWorld
	cases, errs := make([][]score.Case, n), make([]error, n)
	var wait sync.WaitGroup
	for first := range o.workers {
		wait.Go(func() {
			for i := first; i < n; i += o.workers {
				world := draw(seed+uint64(i), metersPerWorld)
				cases[i], errs[i] = score.Judged(byDefault, world, directory)
			}
		})
	}
	wait.Wait()
	var all []score.Case
	for _, c := range cases {
		all = append(all, c...)
	}
	return all, errors.Join(errs...)
}
