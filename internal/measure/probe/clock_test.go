package probe_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// fake is a sampler whose answers the test decides. Time is synctest's.
type fake struct {
	name   string
	sample func(ctx context.Context, call int) (probe.Sample, error)
	calls  int
}

func (f *fake) Name() string { return f.name }

func (f *fake) Metrics() []runfile.Metric {
	return []runfile.Metric{
		{Name: f.name + "/counter", Type: runfile.Counter},
		{Name: f.name + "/gauge", Type: runfile.Gauge},
	}
}

func (f *fake) Sample(ctx context.Context) (probe.Sample, error) {
	f.calls++
	return f.sample(ctx, f.calls)
}

// counting answers with the number of the call, after that time.
func counting(name string, takes time.Duration) *fake {
	return &fake{name: name, sample: func(ctx context.Context, call int) (probe.Sample, error) {
		select {
		case <-ctx.Done():
		case <-time.After(takes):
		}
		return value(name, float64(call)), ctx.Err()
	}}
}

func value(name string, v float64) probe.Sample {
	return probe.Sample{Values: map[string]float64{name + "/counter": v}}
}

// tape keeps the clock's records, each with its second since the start.
type tape struct {
	start time.Time
	lines []string
}

func newTape() *tape { return &tape{start: time.Now()} }

func (t *tape) sink(r runfile.Record) error {
	switch r := r.(type) {
	case runfile.Reading:
		t.add("%.2f %s took %.2f %v", r.At.Sub(t.start).Seconds(), r.Probe, r.Took, r.Values)
	case runfile.Gap:
		t.add("%.2f %s gap %s %s %s", r.At.Sub(t.start).Seconds(), r.Probe, r.Metric, r.Reason, r.Detail)
	}
	return nil
}

func (t *tape) add(format string, args ...any) {
	t.lines = append(t.lines, fmt.Sprintf(format, args...))
}

func (t *tape) check(tb testing.TB, want ...string) {
	tb.Helper()
	if diff := cmp.Diff(want, t.lines); diff != "" {
		tb.Errorf("recorded (-want +got):\n%s", diff)
	}
}

// during runs a clock with an interval of one second for that time, and fails if the clock fails.
func during(t *testing.T, tape *tape, length time.Duration, samplers ...probe.Sampler) {
	t.Helper()
	clock := probe.NewClock(time.Second, tape.sink, samplers...)
	clock.Start(t.Context())
	time.Sleep(length)
	if err := clock.Stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestClockReadsOnAGridAndDatesTheMiddleOfTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := newTape()
		during(t, tape, 2900*time.Millisecond, counting("a", 300*time.Millisecond))
		tape.check(t, "0.15 a took 0.30 map[a/counter:1]", "1.15 a took 0.30 map[a/counter:2]",
			"2.15 a took 0.30 map[a/counter:3]",
		)
	})
}

func TestClockDoesNotMakeUpForALateReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := newTape()
		slowOnce := &fake{name: "a", sample: func(_ context.Context, call int) (probe.Sample, error) {
			if call == 2 {
				time.Sleep(1500 * time.Millisecond)
			}
			return value("a", float64(call)), nil
		}}
		during(t, tape, 4500*time.Millisecond, slowOnce)
		tape.check(t, "0.00 a took 0.00 map[a/counter:1]",
			"1.75 a took 1.50 map[a/counter:2]", // due at 1, so 2 is left out
			"3.00 a took 0.00 map[a/counter:3]", "4.00 a took 0.00 map[a/counter:4]",
		)
	})
}

func TestClockGoesOnWhenAReadingTakesExactlyTheInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := newTape()
		during(t, tape, 2500*time.Millisecond, counting("a", time.Second))
		tape.check(t, "0.50 a took 1.00 map[a/counter:1]", "1.50 a took 1.00 map[a/counter:2]")
	})
}

func TestClockIsolatesASamplerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := newTape()
		release := make(chan struct{})
		deaf := &fake{name: "deaf", sample: func(_ context.Context, call int) (probe.Sample, error) {
			if call == 1 {
				<-release
			}
			return value("deaf", float64(call)), nil
		}}
		time.AfterFunc(4500*time.Millisecond, func() { close(release) })
		during(t, tape, 5500*time.Millisecond, deaf, counting("well", 20*time.Millisecond))
		tape.check(t, "0.01 well took 0.02 map[well/counter:1]", "1.01 well took 0.02 map[well/counter:2]",
			"2.01 well took 0.02 map[well/counter:3]",
			"1.10 deaf gap  late no answer within 2 s; the reading is still waiting", // once, while it hangs
			"3.01 well took 0.02 map[well/counter:4]", "4.01 well took 0.02 map[well/counter:5]",
			"5.00 deaf took 0.00 map[deaf/counter:2]", "5.01 well took 0.02 map[well/counter:6]",
		)
	})
}

func TestClockGivesEachCallADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := newTape()
		slow := &fake{name: "slow", sample: func(ctx context.Context, call int) (probe.Sample, error) {
			if call == 1 {
				<-ctx.Done()
				return probe.Sample{}, errors.New("connection closed")
			}
			return value("slow", float64(call)), nil
		}}
		during(t, tape, 2500*time.Millisecond, slow)
		tape.check(t, "1.00 slow gap  late no answer within 2 s: connection closed",
			"2.00 slow took 0.00 map[slow/counter:2]",
		)
	})
}

func TestClockSaysAGapOnceUntilItChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := newTape()
		refused := errors.New("connection refused")
		answers := []func() (probe.Sample, error){
			func() (probe.Sample, error) { return value("a", 1), nil },
			func() (probe.Sample, error) { return probe.Sample{}, refused },
			func() (probe.Sample, error) { return probe.Sample{}, refused },
			func() (probe.Sample, error) { return probe.Sample{}, fs.ErrPermission },
			func() (probe.Sample, error) { return value("a", 2), nil },
			func() (probe.Sample, error) { return probe.Sample{}, refused },
		}
		flaky := &fake{name: "a", sample: func(_ context.Context, call int) (probe.Sample, error) {
			return answers[call-1]()
		}}
		during(t, tape, 5500*time.Millisecond, flaky)
		tape.check(t, "0.00 a took 0.00 map[a/counter:1]", "1.00 a gap  error connection refused",
			"3.00 a gap  permission permission denied", "4.00 a took 0.00 map[a/counter:2]",
			"5.00 a gap  error connection refused",
		)
	})
}

func TestClockKeepsTheValuesBesideAGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := newTape()
		half := &fake{name: "a", sample: func(_ context.Context, call int) (probe.Sample, error) {
			s := value("a", float64(call))
			s.Gaps = []runfile.Gap{{Metric: "a/gauge", Reason: runfile.Unsupported, Detail: "too old"}}
			return s, nil
		}}
		during(t, tape, 1500*time.Millisecond, half)
		tape.check(t, "0.00 a gap a/gauge unsupported too old", "0.00 a took 0.00 map[a/counter:1]",
			"1.00 a took 0.00 map[a/counter:2]",
		)
	})
}

func TestClockSaysWhenACounterFalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := newTape()
		values := []float64{7, 0.5, 0.5}
		reset := &fake{name: "a", sample: func(_ context.Context, call int) (probe.Sample, error) {
			v := values[call-1]
			return probe.Sample{Values: map[string]float64{"a/counter": v, "a/gauge": v}}, nil
		}}
		during(t, tape, 2500*time.Millisecond, reset)
		tape.check(t, "0.00 a took 0.00 map[a/counter:7 a/gauge:7]",
			"1.00 a gap a/counter reset fell from 7 to 0.5", // and nothing about the gauge
			"1.00 a took 0.00 map[a/counter:0.5 a/gauge:0.5]", "2.00 a took 0.00 map[a/counter:0.5 a/gauge:0.5]",
		)
	})
}

func TestReadAllReadsEverySamplerOffTheGrid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := newTape()
		clock := probe.NewClock(time.Second, tape.sink, counting("a", 100*time.Millisecond),
			counting("b", 200*time.Millisecond))
		clock.Start(t.Context())
		time.Sleep(500 * time.Millisecond)
		if err := clock.ReadAll(t.Context()); err != nil {
			t.Fatalf("edge: %v", err)
		}
		if waited := time.Since(tape.start); waited != 700*time.Millisecond {
			t.Errorf("the edge was over after %v, want 0.7 s: the slower of two that begin at 0.5", waited)
		}
		time.Sleep(600 * time.Millisecond)
		clock.Stop()
		tape.check(t, "0.05 a took 0.10 map[a/counter:1]", "0.10 b took 0.20 map[b/counter:1]",
			"0.55 a took 0.10 map[a/counter:2]", "0.60 b took 0.20 map[b/counter:2]",
			"1.05 a took 0.10 map[a/counter:3]", "1.10 b took 0.20 map[b/counter:3]",
		)
	})
}

func TestReadAllReadsAgainAfterAReadingUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := newTape()
		clock := probe.NewClock(time.Second, tape.sink, counting("a", 400*time.Millisecond))
		clock.Start(t.Context())
		time.Sleep(200 * time.Millisecond) // in the middle of the first reading
		if err := clock.ReadAll(t.Context()); err != nil {
			t.Fatalf("edge: %v", err)
		}
		clock.Stop()
		tape.check(t, "0.20 a took 0.40 map[a/counter:1]", "0.60 a took 0.40 map[a/counter:2]")
	})
}

func TestReadAllDoesNotWaitForASamplerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := newTape()
		release := make(chan struct{})
		defer close(release)
		deaf := &fake{name: "deaf", sample: func(context.Context, int) (probe.Sample, error) {
			<-release
			return probe.Sample{}, nil
		}}
		clock := probe.NewClock(time.Minute, tape.sink, deaf)
		clock.Start(t.Context())
		for i, longest := range []time.Duration{2200 * time.Millisecond, 0, 0} {
			began := time.Now()
			if err := clock.ReadAll(t.Context()); err != nil {
				t.Errorf("edge %d: %v", i, err)
			}
			if took := time.Since(began); took > longest {
				t.Errorf("edge %d took %v, want at most %v", i, took, longest)
			}
		}
		clock.Stop()
		tape.check(t, "1.10 deaf gap  late no answer within 2 s; the reading is still waiting")
	})
}

func TestReadAllSaysWhyItCouldNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := probe.NewClock(time.Second, newTape().sink, counting("a", time.Second))
		clock.Start(t.Context())
		interrupted, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("interrupted"))
		if err := clock.ReadAll(interrupted); err == nil || err.Error() != "interrupted" {
			t.Errorf("edge after an interrupt: %v", err)
		}
		clock.Stop()
		if err := clock.ReadAll(t.Context()); !errors.Is(err, probe.ErrStopped) {
			t.Errorf("edge after the stop: %v", err)
		}
	})
}

func TestNothingIsRecordedAfterASinkError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written int
		full := func(runfile.Record) error {
			written++
			return syscall.ENOSPC
		}
		gapAndValue := &fake{name: "a", sample: func(context.Context, int) (probe.Sample, error) {
			s := value("a", 1)
			s.Gaps = []runfile.Gap{{Metric: "a/gauge", Reason: runfile.Unsupported, Detail: "too old"}}
			return s, nil
		}}
		clock := probe.NewClock(time.Second, full, gapAndValue)
		clock.Start(t.Context())
		time.Sleep(5 * time.Second)
		if err := clock.Stop(); !errors.Is(err, syscall.ENOSPC) || written != 1 {
			t.Errorf("%d records were handed to the sink: %v", written, err)
		}
	})
}

func TestSinkErrorStopsTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written int
		full := func(runfile.Record) error {
			if written++; written == 3 {
				return syscall.ENOSPC
			}
			return nil
		}
		clock := probe.NewClock(time.Second, full, counting("a", 0), counting("b", 0))
		clock.Start(t.Context())
		time.Sleep(5 * time.Second)
		select {
		case <-clock.Done():
		default:
			t.Error("the clock still runs")
		}
		if written != 3 {
			t.Errorf("%d records were handed to the sink, want none after the third", written)
		}
		if err := clock.ReadAll(t.Context()); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("edge: %v", err)
		}
		if err := clock.Stop(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("stop: %v", err)
		}
	})
}

func TestStopDoesNotWaitForASamplerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		tape := newTape()
		deaf := &fake{name: "deaf", sample: func(context.Context, int) (probe.Sample, error) {
			<-release
			return probe.Sample{}, nil
		}}
		during(t, tape, time.Second, deaf)
		if took := time.Since(tape.start); took > 1200*time.Millisecond {
			t.Errorf("it took %v to stop", took-time.Second)
		}
		tape.check(t) // stopping the clock leaves no gap
	})
}

// lagging is a sampler whose counters need a second.
type lagging struct{ *fake }

func (lagging) WaitForCounters(ctx context.Context) error {
	time.Sleep(time.Second)
	return errors.New("still moving")
}

func TestWaitForCountersWaitsForThoseThatLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		clock := probe.NewClock(time.Second, newTape().sink, counting("a", 0), lagging{counting("b", 0)},
			lagging{counting("c", 0)})
		err := clock.WaitForCounters(t.Context())
		if err == nil || err.Error() != "still moving\nstill moving" || time.Since(began) != time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

func TestMetricsOfAllSamplers(t *testing.T) {
	clock := probe.NewClock(time.Second, nil, counting("a", 0), counting("b", 0))
	want := []runfile.Metric{
		{Name: "a/counter", Type: runfile.Counter}, {Name: "a/gauge", Type: runfile.Gauge},
		{Name: "b/counter", Type: runfile.Counter}, {Name: "b/gauge", Type: runfile.Gauge},
	}
	if diff := cmp.Diff(want, clock.Metrics()); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}
