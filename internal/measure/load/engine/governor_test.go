package engine

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

func TestGovernor(t *testing.T) {
	check := func(name string, shares []float64, want []int) {
		t.Run(name, func(t *testing.T) {
			g := governor{threads: 1, most: 6}
			var got []int
			used, now := time.Duration(0), time.Duration(0)
			for _, share := range shares {
				used += time.Duration(share * float64(governEvery))
				now += governEvery
				got = append(got, g.next(used, now))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v threads, not %v", got, want)
			}
		})
	}
	check("waits", []float64{0.1, 0.5, 0.8}, []int{1, 1, 1})
	check("needs all there are", []float64{0.9, 1.9, 3.9, 5.9}, []int{2, 4, 6, 6})
	check("needs two", []float64{1, 1.2, 1.2, 0.9, 1.2}, []int{2, 2, 2, 2, 2})
	check("is done with the work", []float64{1, 2, 2.2, 0.9, 0.2, 0.2}, []int{2, 4, 4, 3, 2, 1})
}

func TestGovernorPutsBack(t *testing.T) {
	b := newBench(t, "select 1")
	before := runtime.GOMAXPROCS(0)
	o := b.options("select 1;")
	o.Duration, o.Every, o.Tick = 300*time.Millisecond, 50*time.Millisecond, func(Tick) error {
		if n := runtime.GOMAXPROCS(0); n > before {
			t.Errorf("%d threads of %d", n, before)
		}
		return nil
	}
	b.run(o)
	if after := runtime.GOMAXPROCS(0); after != before {
		t.Errorf("GOMAXPROCS was %d and is %d", before, after)
	}
}
