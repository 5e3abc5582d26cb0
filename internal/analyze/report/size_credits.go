package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/burst"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

func sizeCredits(b *sizing.Bursting) *SizeCredits {
	if b == nil {
		return nil
	}
	tier, _ := b.Order.Volume.Tier(b.Order.GiB)
	i := tightest(b.Outcome)
	fate, limit := b.Outcome.Limits[i], b.Limits[i]
	v := &SizeCredits{
		GiB: b.Order.GiB, Tier: tier.Name, Seconds: b.Outcome.Seconds, Throttled: b.Outcome.Throttled, Bucket: fate.Name, DrySecs: fate.Dry,
		Start: share(limit.Balance, fate), Lowest: share(fate.Lowest, fate), Left: share(fate.Left, fate), Refills: limit.Filled(0).Refills(),
		Served: SizeServed{fate.Served[burst.Operations], fate.Served[burst.Bytes]}, Curve: sizeCurve(b.Outcome),
	}
	if fate.FirstDry >= 0 {
		v.Dry = &fate.FirstDry
	}
	if b.Bill != nil {
		v.Monthly = &b.Bill.Total
	}
	return v
}

// tightest is the limit whose bucket was empty first, or else came nearest to it.
func tightest(o burst.Outcome) int {
	best := 0
	for i, f := range o.Limits {
		at, first := whenDry(f), whenDry(o.Limits[best])
		if at < first || at == first && share(f.Lowest, f) < share(o.Limits[best].Lowest, o.Limits[best]) {
			best = i
		}
	}
	return best
}

// whenDry is the second in which a bucket was first empty; of one that never was, after all seconds.
func whenDry(f burst.Fate) int {
	if f.FirstDry < 0 {
		return math.MaxInt
	}
	return f.FirstDry
}

// share is how much of a bucket so many credits are, in percent.
func share(credits float64, f burst.Fate) float64 {
	if f.Capacity == 0 {
		return 100
	}
	return 100 * credits / f.Capacity
}

func sizeCurve(o burst.Outcome) SizeCurve {
	var c SizeCurve
	for _, p := range o.Curve {
		c.Second = append(c.Second, p.Second)
		c.Demanded, c.Served = append(c.Demanded, p.Demanded[burst.Operations]), append(c.Served, p.Served[burst.Operations])
		c.DemandedMB, c.ServedMB = append(c.DemandedMB, p.Demanded[burst.Bytes]/megabyte), append(c.ServedMB, p.Served[burst.Bytes]/megabyte)
		least := 100.0
		for i, fate := range o.Limits {
			least = min(least, share(p.Credits[i], fate))
		}
		c.Balance = append(c.Balance, least)
	}
	return c
}

// bareGrid shows how long credits last on what only holds the data.
func (s Size) bareGrid() (title string, g *grid) {
	g = newGrid("volume", nil)
	var gib, whose, after, operations, megabytes, refill []string
	for _, o := range s.Options {
		c := o.Bare
		if c == nil {
			continue
		}
		g.rows = append(g.rows, []string{strings.TrimSpace(o.Title + " " + c.Tier)})
		whose = append(whose, s.whoseCredits(*c))
		gib, after = append(gib, grouped(c.GiB, 0)), append(after, hours(*c.Dry))
		operations, megabytes = append(operations, rate(c.Served.Operations)), append(megabytes, rate(c.Served.Bytes/megabyte))
		refill = append(refill, hours(int(c.Refills)))
	}
	if len(g.rows) == 0 {
		return "", nil
	}
	g.add("GiB", gib)
	if s.Sized.Instance != "" {
		g.add("credits\nof", whose)
	}
	g.add("empty\nafter", after)
	g.add("then\nIOPS", operations)
	g.add("and\nMB/s", megabytes)
	g.add("full again\nwithout load", refill)
	return "Where credits end, on what only holds the data" + s.startOf(), g
}

// whoseCredits names what has the bucket that is empty first.
func (s Size) whoseCredits(c SizeCredits) string {
	if strings.Contains(c.Bucket, "of the instance") {
		return s.machine()
	}
	return "volume"
}

// startOf says with how much of their credits the buckets begin, where that is not all.
func (s Size) startOf() string {
	var parts []string
	for _, b := range s.Sized.Balances {
		part := fmt.Sprintf("%s %% of the %s's credits", grouped(b.Percent, 0), b.Of)
		if b.Metric != "" {
			part += " (" + b.Metric + " at " + b.At.UTC().Format("2006-01-02 15:04") + ")"
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	return ", from " + strings.Join(parts, " and ") + " on"
}

// hours writes how long something takes.
func hours(seconds int) string {
	d := (time.Duration(seconds) * time.Second).Round(time.Minute)
	return fmt.Sprintf("%d:%02d h", int(d.Hours()), int(d.Minutes())%60)
}

// balances are those at the start that are not full buckets.
func balances(b sizing.Balance) []SizeBalance {
	all := []SizeBalance{}
	for _, f := range []struct {
		of string
		sizing.Filling
	}{{"volume", b.Volume}, {"instance", b.Operations}, {"instance", b.Bytes}} {
		v := SizeBalance{Of: f.of, Percent: f.Percent, Metric: f.Metric}
		if f.Metric != "" {
			v.At = &f.At
		}
		if (f.Percent < 100 || f.Metric != "") && !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}
