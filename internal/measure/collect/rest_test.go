package collect

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// TestRestIsAskedFor: the hour of rest is part of the request, because sources with long periods
// show work up to a period later.
func TestRestIsAskedFor(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for rest, want := range map[float64]runfile.Stretch{
		0:    {From: noon, To: noon.Add(time.Minute)},
		3600: {From: noon.Add(-time.Hour), To: noon.Add(61 * time.Minute)},
	} {
		f := &File{announced: map[string]bool{}}
		f.take(runfile.Run{Plan: runfile.Plan{RestSeconds: rest}})
		f.take(runfile.LoadEvent{At: noon, Load: "bulk", Repetition: 1, Event: runfile.Begin})
		f.take(runfile.LoadEvent{At: noon.Add(time.Minute), Load: "bulk", Repetition: 1, Event: runfile.End})
		if got := f.spanOf(nil); got != want {
			t.Errorf("with %g s of rest it is asked from %v to %v, want %v to %v", rest, got.From, got.To,
				want.From, want.To)
		}
	}
}

// TestRestIsWaitedFor: a collection that begins during the rest lasts until the rest has
// settled, beyond its patience.
func TestRestIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(minutes(10)))
		f := fileWith()
		f.Header.Plan.RestSeconds = 3600
		s := &service{metrics: metrics(), says: late}
		c, records := collecting(t, f, s)
		began := time.Now()
		outcome, err := c.Run(t.Context())
		if want := (Outcome{Metrics: 2, Settled: 2, Periods: 130 + 26}); err != nil || outcome != want ||
			len(*records) != want.Periods {
			t.Errorf("%+v, %v: want %+v, of an hour before and after ten minutes", outcome, err, want)
		}
		if took := time.Since(began); took < time.Hour || took > time.Hour+c.Rules.Ripe+c.Rules.Apart {
			t.Errorf("it took %v", took)
		}
		if len(s.asked) > 3 {
			t.Errorf("it asked %d times", len(s.asked))
		}
	})
}
