package collect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// service is a source like AWS's: its values come late and too low, and are corrected later.
type service struct {
	metrics []runfile.Metric
	says    func(metric string, period runfile.Stretch, age time.Duration) (value float64, there bool)
	gaps    []runfile.Gap
	err     error
	asked   []runfile.Stretch
}

func (s *service) Name() string              { return "cloudwatch" }
func (s *service) Metrics() []runfile.Metric { return s.metrics }

func (s *service) Backfill(_ context.Context, from, to time.Time, keep func(runfile.Record) error) error {
	s.asked = append(s.asked, runfile.Stretch{From: from, To: to})
	now := time.Now()
	for _, g := range s.gaps {
		if err := keep(g); err != nil {
			return err
		}
	}
	for _, m := range s.metrics {
		length := time.Duration(m.Period) * time.Second
		for at := from.Truncate(length); at.Before(to); at = at.Add(length) {
			value, there := s.says(m.Name, runfile.Stretch{From: at, To: at.Add(length)}, now.Sub(at.Add(length)))
			if !there {
				continue
			}
			p := runfile.Period{From: at, To: at.Add(length), Probe: s.Name(), Metric: m.Name, Statistic: "Average",
				Value: value, Fetched: now}
			if err := keep(p); err != nil {
				return err
			}
		}
	}
	return s.err
}

const (
	quick = "cloudwatch/WriteIOPS"
	slow  = "cloudwatch/VolumeWriteIOPs"
)

func metrics() []runfile.Metric {
	return []runfile.Metric{{Name: quick, Type: runfile.Rate, Period: 60}, {Name: slow, Type: runfile.CountPerPeriod,
		Period: 300}}
}

// truth returns a period's final value: the minute of its begin.
func truth(period runfile.Stretch) float64 { return float64(period.From.Unix() / 60 % 10000) }

// minutes returns a moment of the run, which lasts ten minutes from a boundary of both periods (2000-01-01).
func minutes(n float64) time.Time {
	return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n * float64(time.Minute)))
}

// collecting collects the ten minutes before now, in synctest's time.
func collecting(t *testing.T, f *File, sources ...probe.Backfiller) (*Collector, *[]runfile.Record) {
	t.Helper()
	records := &[]runfile.Record{}
	return &Collector{
		Sources: sources, Rules: DefaultRules(), File: f, Now: time.Now,
		Record: func(r runfile.Record) error { *records = append(*records, r); return nil },
		Wait: func(ctx context.Context, d time.Duration) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(d):
				return nil
			}
		},
	}, records
}

// fileWith returns a run of ten minutes with these records.
func fileWith(records ...runfile.Record) *File {
	f := &File{announced: map[string]bool{}}
	f.take(runfile.Run{Schema: runfile.Schema})
	for _, m := range metrics() {
		f.take(m)
	}
	f.take(runfile.LoadEvent{At: minutes(0), Event: runfile.Begin})
	f.take(runfile.LoadEvent{At: minutes(10), Event: runfile.End})
	for _, r := range records {
		f.take(r)
	}
	return f
}

// lines formats records: metric, minute of the begin, value, and whether it is open.
func lines(records []runfile.Record) (all []string) {
	for _, r := range records {
		switch r := r.(type) {
		case runfile.Period:
			line := fmt.Sprintf("%s %v %v", r.Metric, r.From.Sub(minutes(0)).Minutes(), r.Value)
			if r.Unsettled {
				line += " open"
			}
			all = append(all, line)
		case runfile.Gap:
			all = append(all, fmt.Sprintf("%s %s: %s", r.Metric, r.Reason, r.Detail))
		}
	}
	slices.Sort(all)
	return all
}

// whole returns the lines of a completely known run.
func whole() (all []string) {
	for i := range 10 {
		all = append(all, fmt.Sprintf("%s %d %v", quick, i, truth(runfile.Stretch{From: minutes(float64(i))})))
	}
	for i := range 2 {
		all = append(all, fmt.Sprintf("%s %d %v", slow, 5*i, truth(runfile.Stretch{From: minutes(float64(5 * i))})))
	}
	slices.Sort(all)
	return all
}

// late publishes a minute late, too low, and the true value after ten.
func late(_ string, period runfile.Stretch, age time.Duration) (float64, bool) {
	switch {
	case age < time.Minute:
		return 0, false
	case age < 10*time.Minute:
		return truth(period) - 5, true
	default:
		return truth(period), true
	}
}

func TestReadsAgainUntilTwoReadingsAgree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(minutes(10))) // the run has just ended
		s := &service{metrics: metrics(), says: late}
		c, records := collecting(t, fileWith(), s)
		told := 0
		c.Tell = func(p Progress) {
			told++
			if p.Metrics != 2 || p.Source != "cloudwatch" {
				t.Errorf("told %+v", p)
			}
		}
		outcome, err := c.Run(t.Context())
		if diff := cmp.Diff(whole(), lines(*records)); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
		if want := (Outcome{Metrics: 2, Settled: 2, Periods: 12}); outcome != want {
			t.Errorf("got %+v, want %+v", outcome, want)
		}
		// Immediately, when the last period is ripe, and two minutes later, since the second reading differed.
		if want := 3; len(s.asked) != want || told == 0 {
			t.Errorf("asked %d times (%v), want %d; told %d times", len(s.asked), s.asked, want, told)
		}
	})
}

func TestAsksAgainOnlyForOpenPeriods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(minutes(10)))
		s := &service{metrics: metrics(), says: func(metric string, period runfile.Stretch, age time.Duration) (float64, bool) {
			return late(metric, period, age+5*time.Minute) // right after five minutes
		}}
		c, records := collecting(t, fileWith(), s)
		_, err := c.Run(t.Context())
		if diff := cmp.Diff(whole(), lines(*records)); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
		all := runfile.Stretch{From: minutes(0), To: minutes(10)}
		if diff := cmp.Diff([]runfile.Stretch{all, all, {From: minutes(5), To: minutes(10)}}, s.asked); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOneReadingIsEnoughAfterHours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(minutes(10 + 3*24*60)))
		s := &service{metrics: metrics(), says: late}
		c, records := collecting(t, fileWith(), s)
		began := time.Now()
		_, err := c.Run(t.Context())
		if diff := cmp.Diff(whole(), lines(*records)); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
		if len(s.asked) != 1 || time.Since(began) > 0 {
			t.Errorf("asked %d times in %v", len(s.asked), time.Since(began))
		}
	})
}

func TestUnsettledPeriodsAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(minutes(10)))
		s := &service{metrics: metrics(), says: func(metric string, period runfile.Stretch, age time.Duration) (float64, bool) {
			if metric == slow && period.From.Equal(minutes(5)) {
				return age.Minutes(), true
			}
			return late(metric, period, age)
		}}
		c, records := collecting(t, fileWith(), s)
		began := time.Now()
		outcome, err := c.Run(t.Context())
		if err != nil || outcome.Unsettled != 1 || outcome.Settled != 1 {
			t.Errorf("%+v, %v", outcome, err)
		}
		if took := time.Since(began); took > c.Rules.Patience {
			t.Errorf("waited for %v", took)
		}
		open := slices.DeleteFunc(lines(*records), func(line string) bool { return slices.Contains(whole(), line) })
		if len(open) != 1 || open[0][len(open[0])-4:] != "open" {
			t.Errorf("besides what settled there is %q", open)
		}
	})
}

func TestMissingPeriodsAreWaitedForAndThenSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(minutes(10)))
		s := &service{metrics: metrics(), says: func(metric string, period runfile.Stretch, age time.Duration) (float64, bool) {
			if metric == slow || period.From.Equal(minutes(3)) {
				return 0, false
			}
			return late(metric, period, age)
		}}
		c, records := collecting(t, fileWith(), s)
		_, err := c.Run(t.Context())
		got := slices.DeleteFunc(lines(*records), func(line string) bool { return slices.Contains(whole(), line) })
		want := []string{
			slow + " unsupported: no data for the time of the run",
			quick + " late: 1 of its 10 periods never came, the first at 2000-01-01T00:03:00Z",
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
		again, more := collecting(t, fileWith(*records...),
			&service{metrics: metrics(), says: func(string, runfile.Stretch, time.Duration) (float64, bool) {
				t.Error("asked again for what was given up")
				return 0, false
			}})
		if _, err := again.Run(t.Context()); err != nil || len(*more) > 0 {
			t.Errorf("a second collection recorded %v, %v", lines(*more), err)
		}
	})
}

// An interrupted collection loses nothing, and the next one continues it.
func TestInterruptedAndGoneOnWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(minutes(10)))
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		time.AfterFunc(3*time.Minute, func() { cancel(enough) })
		s := &service{metrics: metrics(), says: late}
		c, first := collecting(t, fileWith(), s)
		outcome, err := c.Run(ctx)
		if !errors.Is(err, enough) || outcome.Unsettled != len(*first) || len(*first) == 0 {
			t.Errorf("%+v, %v, recorded %v", outcome, err, lines(*first))
		}
		time.Sleep(30 * time.Minute)
		c, second := collecting(t, fileWith(*first...), s)
		if _, err := c.Run(t.Context()); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(whole(), lines(*second)); diff != "" {
			t.Error(diff)
		}
		asked := len(s.asked)
		c, third := collecting(t, fileWith(slices.Concat(*first, *second)...), s)
		if _, err := c.Run(t.Context()); err != nil || len(*third) > 0 || len(s.asked) != asked {
			t.Errorf("a third collection recorded %v and asked %d times, %v", lines(*third), len(s.asked)-asked, err)
		}
	})
}

// named is a service by another name.
type named struct {
	*service
	name string
}

func (n named) Name() string { return n.name }

func TestASourceThatFailsDoesNotStopTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(minutes(10)))
		broken := &service{says: late, err: errors.New("expired token"), metrics: []runfile.Metric{
			{Name: "insights/x", Period: 60, Type: runfile.Rate}}}
		good := &service{metrics: metrics(), says: late}
		c, records := collecting(t, fileWith(), named{broken, "insights"}, good)
		_, err := c.Run(t.Context())
		if err == nil || err.Error() != "collect from insights: expired token" {
			t.Errorf("got %v", err)
		}
		if len(broken.asked) != 1 {
			t.Errorf("the broken source was asked %d times", len(broken.asked))
		}
		got := slices.DeleteFunc(lines(*records), func(line string) bool { return line[:8] == "insights" })
		if diff := cmp.Diff(whole(), got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRefusedMetricsAreNotAwaitedOrSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(minutes(10)))
		s := &service{
			metrics: metrics(), says: func(string, runfile.Stretch, time.Duration) (float64, bool) { return 0, false },
			gaps: []runfile.Gap{{Probe: "cloudwatch", Reason: runfile.Permission, Detail: "not allowed"}},
		}
		c, records := collecting(t, fileWith(), s)
		outcome, err := c.Run(t.Context())
		if diff := cmp.Diff([]string{" permission: not allowed"}, lines(*records)); diff != "" || len(s.asked) != 1 ||
			outcome.Settled != 0 {
			t.Errorf("asked %d times, %d are settled %s", len(s.asked), outcome.Settled, diff)
		}
		if err == nil || err.Error() != "AWS did not answer for 2 of 2 metrics: not allowed" {
			t.Errorf("it ends with %v", err)
		}
		s.gaps, s.says = nil, late // the policy was mended since
		c, records = collecting(t, fileWith(*records...), s)
		if _, err := c.Run(t.Context()); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(whole(), lines(*records)); diff != "" {
			t.Error(diff)
		}
	})
}

// A metric that a source fails to return is asked for a few times, by this collection and the next,
// while the other metric settles.
func TestMissingMetricIsNotSettled(t *testing.T) {
	for _, reason := range []runfile.Reason{runfile.Failed, runfile.Throttled} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(minutes(90))) // long after the run, when one reading settles a period
			s := &service{
				metrics: metrics(),
				gaps:    []runfile.Gap{{Probe: "cloudwatch", Metric: slow, Reason: reason, Detail: "PartialData"}},
				says: func(metric string, p runfile.Stretch, _ time.Duration) (float64, bool) {
					return truth(p), metric == quick
				},
			}
			c, records := collecting(t, fileWith(), s)
			outcome, err := c.Run(t.Context())
			if err == nil || err.Error() != "AWS did not answer for 1 of 2 metrics: PartialData" ||
				outcome.Settled != 1 || len(s.asked) != mostAsks {
				t.Errorf("%s: %v, %d settled, asked %d times", reason, err, outcome.Settled, len(s.asked))
			}
			for _, r := range *records {
				if g, isGap := r.(runfile.Gap); isGap && g.Reason != reason {
					t.Errorf("%s is written down as %+v", reason, g)
				}
			}
			s.gaps, s.says = nil, late
			c, _ = collecting(t, fileWith(*records...), s)
			outcome, err = c.Run(t.Context())
			if err != nil || outcome.Settled != 2 || outcome.Periods != 2 { // ten minutes have two of it
				t.Errorf("%s: the next collection ends with %v, %+v", reason, err, outcome)
			}
		})
	}
}

// An answer without any data is recorded as such, and asked for again.
func TestAnEmptyAnswerIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(minutes(90)))
		s := &service{metrics: metrics(), says: func(string, runfile.Stretch, time.Duration) (float64, bool) { return 0, false }}
		c, records := collecting(t, fileWith(), s)
		outcome, err := c.Run(t.Context())
		unanswered, is := errors.AsType[*UnansweredError](err)
		if !is || unanswered.Metrics != 2 || outcome.Settled != 0 {
			t.Errorf("%v, %+v", err, outcome)
		}
		s.says = late
		c, _ = collecting(t, fileWith(*records...), s)
		if outcome, err = c.Run(t.Context()); err != nil || outcome.Settled != 2 {
			t.Errorf("the next collection ends with %v, %+v", err, outcome)
		}
	})
}

func TestTempoBringsThePeriodsOfAFasterClockHere(t *testing.T) {
	tempo := Tempo{Here: minutes(0), There: minutes(-24 * 60), Factor: 60}
	s := &service{metrics: metrics(), says: func(string, runfile.Stretch, time.Duration) (float64, bool) { return 7, true }}
	var got []runfile.Period
	err := tempo.Source(s).Backfill(t.Context(), minutes(0).Add(5*time.Second), minutes(0).Add(7*time.Second),
		func(r runfile.Record) error {
			got = append(got, r.(runfile.Period))
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	at := func(seconds int) time.Time { return minutes(0).Add(time.Duration(seconds) * time.Second) }
	period := func(metric string, from, to int, value float64) runfile.Period {
		return runfile.Period{From: at(from), To: at(to), Probe: "cloudwatch", Metric: metric, Statistic: "Average",
			Value: value, Fetched: got[0].Fetched}
	}
	want := []runfile.Period{period(quick, 5, 6, 420), period(quick, 6, 7, 420), period(slow, 5, 10, 7)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if p := tempo.Source(s).Metrics()[0].Period; p != 1 {
		t.Errorf("a minute there is %v s here", p)
	}
}
