package observation

import (
	"context"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe/insights"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/runfile"
)

const (
	// digestsWithin bounds a request to Performance Insights, so that the last one fits into
	// the time after an interrupt.
	digestsWithin = 3 * time.Second
	// digestsStretch is the time that one ranking covers; then another begins. The service keeps only 7 days.
	digestsStretch = 24 * time.Hour
)

// digestsOf asks Performance Insights for the statements that did the most since its first call, if
// pg_stat_statements is missing or has no storage counts, as on Aurora.
func digestsOf(t *target.Target, facts postgres.Facts, now func() time.Time) func(context.Context,
	[]runfile.Record) []runfile.Record {
	if t.AWS.Account == nil || t.AWS.Cloud == nil || t.AWS.Cloud.Instance == "" {
		return unasked(t.AWS.Unknown(facts), facts.Flavor == postgres.FlavorAurora, now)
	}
	d := &digests{asked: insights.New(t.AWS.Account.Config(), *t.AWS.Cloud),
		aurora: t.AWS.Cloud.Aurora(), now: now}
	return d.look
}

// unasked returns a function that says once why statements are not asked for. An empty why
// means that the server is not AWS's.
func unasked(why string, aurora bool, now func() time.Time) func(context.Context, []runfile.Record) []runfile.Record {
	from := now()
	return func(_ context.Context, ranked []runfile.Record) []runfile.Record {
		if why == "" || !aurora && !slices.ContainsFunc(ranked, untold) {
			return nil
		}
		return []runfile.Record{runfile.Top{From: from, At: now(), Of: runfile.Digests, Missing: why}}
	}
}

type digests struct {
	asked  *insights.Probe
	aurora bool
	now    func() time.Time
	from   time.Time // zero: no request yet
	told   bool      // in this stretch
}

func (d *digests) look(ctx context.Context, ranked []runfile.Record) []runfile.Record {
	to := d.now().Truncate(time.Minute)
	if d.from.IsZero() {
		d.from = to.Add(time.Minute) // the first whole minute
	}
	if !d.from.Before(to) || !d.aurora && !slices.ContainsFunc(ranked, untold) {
		return nil
	}
	top, err := d.ask(ctx, to)
	if err != nil {
		if d.told || ctx.Err() != nil {
			return nil // a later record would replace an earlier, more informative one
		}
		top = runfile.Top{From: d.from, At: to, Of: runfile.Digests, Missing: err.Error()}
	} else {
		d.told = true
	}
	if to.Sub(d.from) >= digestsStretch {
		d.from, d.told = to, false
	}
	return []runfile.Record{top}
}

func (d *digests) ask(ctx context.Context, to time.Time) (runfile.Top, error) {
	if err := d.asked.CanRank(); err != nil {
		return runfile.Top{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, digestsWithin)
	defer cancel()
	return d.asked.Statements(ctx, d.from, to)
}

// untold reports whether r says that pg_stat_statements cannot be read.
func untold(r runfile.Record) bool {
	top, is := r.(runfile.Top)
	return is && top.Of == "statements" && top.Missing != ""
}
