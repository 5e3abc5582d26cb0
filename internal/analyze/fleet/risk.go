package fleet

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/burst"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/runfile"
)

// first returns when credits may end; zero means by now.
func (c *Credits) first() time.Time {
	switch {
	case c.Early != nil:
		return *c.Early
	case c.Ends != nil:
		return *c.Ends
	}
	return time.Time{}
}

const (
	full     = 0.95 // share of a limit from which on it limits
	nearly   = 0.8
	nothing  = 1 // percent of credits: AWS shows no less before it throttles
	ahead    = 31 * 24
	lastDays = 7 * 24
)

// risk finds how close storage is to its limits.
func (a Ask) risk(d *Page, w work, held sizing.Held) Risk {
	r := Risk{Level: None, Of: held.Path.Binds}
	for _, rate := range w.means {
		if !known(rate) {
			continue
		}
		uses, by := held.Uses(rate)
		if uses > r.Uses {
			r.Uses, r.By = uses, string(by)
		}
		if uses >= full {
			r.Hours++
		}
	}
	r.Credits = a.credits(d, w, held)
	r.Level = r.level(held)
	return r
}

func (r Risk) level(held sizing.Held) Level {
	bursts := slices.ContainsFunc(held.Limits, func(l burst.Limit) bool { return l.Capacity > 0 })
	switch c := r.Credits; {
	case c != nil && c.Hours > 0:
		return Exhausted
	case r.Hours > 0 && !bursts:
		return Throttled
	case c != nil && (c.Ends != nil || c.Early != nil || c.Ended):
		return Ending
	case r.Hours > 0 && c == nil:
		return Near // whether credits suffice is unknown
	case r.Uses >= nearly && !bursts:
		return Near
	}
	return None
}

// credits returns the emptiest bucket. A balance of a bucket that the storage does not have is ignored: some exporters
// show zero for it.
func (a Ask) credits(d *Page, w work, held sizing.Held) *Credits {
	var all []Credits
	for _, b := range []struct{ metric, limit string }{ // the limit is one of a [sizing.Held]
		{"BurstBalance", "operations"}, {"EBSIOBalance%", "operations of the instance"},
		{"EBSByteBalance%", "bytes of the instance"},
	} {
		i := slices.IndexFunc(held.Limits, func(l burst.Limit) bool { return l.Name == b.limit && l.Capacity > 0 })
		values := w.values("cloudwatch/"+b.metric, runfile.Minimum)
		if i >= 0 {
			odd := ""
			if values, odd = held.Limits[i].Percent(values, asked(w.means, held, i)); odd != "" {
				d.lack("%s: %s", b.metric, odd)
			}
		}
		shown := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
		switch _, after := w.coverage().ends(); {
		case i < 0:
		case len(shown) > 0:
			last := len(values) - 1
			for math.IsNaN(values[last]) {
				last--
			}
			c := a.forecast(w, shownCredits(b.metric, shown), held, i, last+1)
			if end := min(after, w.hours-day); last+1 < end && c.Hours == 0 {
				d.lack("%s: no data since %s, so what is left of its credits is unknown", b.metric, w.at(last+1).Format(shortly))
				if b.metric == "BurstBalance" { // by its rule then
					c = a.forecast(w, w.playedCredits(held, i), held, i, after)
				}
			}
			all = append(all, c)
		case b.metric == "BurstBalance":
			all = append(all, a.forecast(w, w.playedCredits(held, i), held, i, after))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return new(slices.MinFunc(all, func(a, b Credits) int { return cmp.Compare(a.Lowest, b.Lowest) }))
}

// shownCredits returns the balance by the source's own metric.
func shownCredits(metric string, percents []float64) Credits {
	c := Credits{Metric: metric, Now: percents[len(percents)-1], Lowest: slices.Min(percents)}
	for _, v := range percents {
		if v < nothing {
			c.Hours++
		}
	}
	return c
}

// playedCredits simulates the balance by the provider's rule, from a full bucket.
func (w work) playedCredits(held sizing.Held, limit int) Credits {
	l := hourly(held.Limits[limit])
	outcome, err := burst.Play(held.Demands(w.knownMeans(0), time.Hour.Seconds()), len(w.knownMeans(0)),
		[]burst.Limit{l})
	if err != nil {
		return Credits{Now: 100, Lowest: 100}
	}
	fate := outcome.Limits[0]
	return Credits{Now: 100 * fate.Left / l.Capacity, Lowest: 100 * fate.Lowest / l.Capacity, Hours: fate.Dry}
}

// forecast sets when credits end, given their balance before an hour.
func (a Ask) forecast(w work, c Credits, held sizing.Held, limit, hour int) Credits {
	left := held.Limits[limit].Filled(c.Now)
	c.Ends, c.Early = w.runsOut(held, left, 1, hour), w.runsOut(held, left, 1+a.Headroom/100, hour)
	for _, end := range []**time.Time{&c.Ends, &c.Early} {
		if *end != nil && ((*end).Before(w.at(w.hours)) || (*end).Before(a.Now)) {
			*end, c.Ended = nil, true
		}
	}
	return c
}

// hourly converts a limit from seconds to hours; credits stay the same.
func hourly(l burst.Limit) burst.Limit {
	l.Base, l.Burst = l.Base*time.Hour.Seconds(), l.Burst*time.Hour.Seconds()
	return l
}

// runsOut returns when a bucket is empty if the last seven days repeat, scaled by factor, from an hour on; nil if not
// within 31 days, or if the hour is too long ago.
func (w work) runsOut(held sizing.Held, l burst.Limit, factor float64, hour int) *time.Time {
	_, after := w.coverage().ends()
	if min(after, hour) < w.hours-day {
		return nil
	}
	lately := w.knownMeans(after - lastDays)
	if len(lately) == 0 {
		return nil
	}
	for i := range lately {
		lately[i] = lately[i].Times(factor)
	}
	outcome, err := burst.Play(held.Demands(lately, time.Hour.Seconds()), ahead, []burst.Limit{hourly(l)})
	if err != nil || outcome.Limits[0].FirstDry < 0 {
		return nil
	}
	return new(w.at(hour + outcome.Limits[0].FirstDry))
}
