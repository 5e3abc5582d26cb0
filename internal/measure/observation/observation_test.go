package observation

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// counting is a source of many counters that includes the server's start time.
type counting struct {
	name    string
	names   []string
	started float64
	reads   float64
	anew    float64 // the reading at which it restarts; 0: none
}

const started = "server/started"

func newCounting(name string, counters int, began float64) *counting {
	c := &counting{name: name, started: began}
	for i := range counters {
		c.names = append(c.names, fmt.Sprintf("%s/counter_%03d", name, i))
	}
	return c
}

func (c *counting) Name() string { return c.name }

func (c *counting) Metrics() (all []runfile.Metric) {
	for _, name := range c.names {
		all = append(all, runfile.Metric{Name: name, Unit: "operations", Type: runfile.Counter})
	}
	return all
}

func (c *counting) Sample(context.Context) (probe.Sample, error) {
	if c.reads++; c.reads == c.anew {
		c.started++
	}
	values := map[string]float64{started: c.started}
	for i, name := range c.names {
		values[name] = c.reads * float64(i+1)
	}
	return probe.Sample{Values: values}, nil
}

// source returns a source for one start of a server.
func source(closed *int, samplers ...probe.Sampler) Source {
	return Source{Samplers: samplers, Close: func(context.Context) { *closed++ }}
}

// Hours of readings, in simulated time, do not grow memory.
func TestHoursTakeNoMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const hours = 4
		readings, closed := 0, 0
		o := Observation{
			Interval: time.Second, For: hours * time.Hour, Rarely: 5 * time.Minute, Started: started,
			Tell: func(string) {},
			Record: func(r runfile.Record) error {
				if r.Kind() == runfile.KindRead {
					readings++
				}
				return nil
			},
		}
		before := heap()
		if err := o.Run(t.Context(), source(&closed, newCounting("pgstat", 40, 1), newCounting("block", 40, 1))); err !=
			nil {
			t.Fatal(err)
		}
		if want := 2 * hours * 60 * 60; readings < want || readings > want+10 || closed != 1 {
			t.Errorf("%d readings, want %d and a few at the end; %d sources closed, want 1", readings, want, closed)
		}
		if grown := heap() - before; grown > 1<<20 {
			t.Errorf("%d bytes are left of %d hours", grown, hours)
		}
	})
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// After a restart the server is reopened as soon as possible, and nothing is compared across it. Rarely runs at the
// begin of each source and at the end.
func TestAnotherStartIsAnotherSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var resets, tries, asked, closed int
		var told []string
		first := newCounting("pgstat", 1, 1)
		first.anew = 10
		rarely := func(context.Context) []runfile.Record { asked++; return nil }
		one := source(&closed, first)
		one.Rarely = rarely
		o := Observation{
			Interval: time.Second, For: time.Minute, Rarely: time.Hour, Started: started, Tell: func(text string) {
				told = append(told, text)
			},
			Record: func(r runfile.Record) error {
				if gap, is := r.(runfile.Gap); is && gap.Reason == runfile.Reset && gap.Metric == "" {
					resets++
				}
				return nil
			},
			Open: func(context.Context) (Source, error) {
				if tries++; tries < 3 {
					return Source{}, errors.New("it is starting")
				}
				other := source(&closed, newCounting("pgstat", 1, 2))
				other.Rarely = rarely
				return other, nil
			},
		}
		if err := o.Run(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		got := [4]int{resets, tries, asked, closed}
		if want := [4]int{1, 3, 3, 2}; got != want {
			t.Errorf("resets, tries to open, rare questions, sources closed: %v, want %v", got, want)
		}
		want := []string{
			"The server was restarted or replaced: its counters start over here",
			"Cannot read the server; trying again: it is starting",
		}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

// An observation ends early when nothing is left to learn, on an interrupt, and when a record cannot be written.
func TestWhatEndsAnObservation(t *testing.T) {
	full := errors.New("the disk is full")
	check := func(name string, want time.Duration, failed error, change func(*Observation, context.CancelFunc)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				closed := 0
				o := Observation{
					Interval: time.Second, For: time.Hour, Rarely: time.Minute, Started: started, Tell: func(string) {},
					Record: func(runfile.Record) error { return nil },
				}
				change(&o, cancel)
				began := time.Now()
				one := source(&closed, newCounting("pgstat", 1, 1))
				one.Rarely = func(context.Context) []runfile.Record { return []runfile.Record{nil} }
				err := o.Run(ctx, one)
				if err != nil && runfile.OneLine(err.Error()) != failed.Error() {
					t.Errorf("it says %v", err)
				}
				if took := time.Since(began); took.Round(time.Second) != want || !errors.Is(err, failed) ||
					closed != 1 {
					t.Errorf("it took %v, want %v; error %v, want %v; %d sources closed", took, want, err,
						failed, closed)
				}
			})
		})
	}
	check("its time", time.Hour, nil, func(*Observation, context.CancelFunc) {})
	check("settled", 3*time.Minute, nil, func(o *Observation, _ context.CancelFunc) {
		looks := 0
		o.Settled = func(context.Context) (string, bool) { looks++; return "done", looks == 3 }
	})
	check("interrupt", 7*time.Second, nil, func(_ *Observation, cancel context.CancelFunc) {
		time.AfterFunc(7*time.Second, cancel)
	})
	check("full disk", 5*time.Second, full, func(o *Observation, _ context.CancelFunc) {
		var n atomic.Int32 // the probes' clock records, too
		o.Record = func(runfile.Record) error {
			if n.Add(1) > 6 {
				return full
			}
			return nil
		}
	})
}
