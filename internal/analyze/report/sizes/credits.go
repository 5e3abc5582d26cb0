package sizes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/burst"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
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
		GiB: b.Order.GiB, Tier: tier.Name, Seconds: b.Outcome.Seconds, Throttled: b.Outcome.Throttled,
		Bucket: fate.Name, DrySecs: fate.Dry,
		Start: share(limit.Balance, fate), Lowest: share(fate.Lowest, fate), Left: share(fate.Left, fate),
		Refills: limit.Filled(0).Refills(),
		Served:  SizeServed{fate.Served[burst.Operations], fate.Served[burst.Data]}, Curve: sizeCurve(b.Outcome),
	}
	if fate.FirstDry >= 0 {
		v.Dry = &fate.FirstDry
	}
	if b.Bill != nil {
		v.Monthly, v.AsOf = &b.Bill.Total, b.Bill.AsOf()
	}
	return v
}

// tightest returns the limit whose bucket was empty first, or else came nearest to it.
func tightest(o burst.Outcome) (best int) {
	for i, f := range o.Limits {
		at, first := whenDry(f), whenDry(o.Limits[best])
		if at < first || at == first && share(f.Lowest, f) < share(o.Limits[best].Lowest, o.Limits[best]) {
			best = i
		}
	}
	return best
}

// whenDry returns the second in which a bucket was first empty; if it never was, the largest int.
func whenDry(f burst.Fate) int {
	if f.FirstDry < 0 {
		return math.MaxInt
	}
	return f.FirstDry
}

func share(credits float64, f burst.Fate) float64 {
	if f.Capacity == 0 {
		return 100
	}
	return 100 * credits / f.Capacity
}

func sizeCurve(o burst.Outcome) (c SizeCurve) {
	for _, p := range o.Curve {
		c.Second = append(c.Second, p.Second)
		c.Demanded, c.Served = append(c.Demanded, p.Demanded[burst.Operations]),
			append(c.Served, p.Served[burst.Operations])
		c.DemandedMB, c.ServedMB = append(c.DemandedMB, p.Demanded[burst.Data]/number.Mega),
			append(c.ServedMB, p.Served[burst.Data]/number.Mega)
		least := 100.0
		for i, fate := range o.Limits {
			least = min(least, share(p.Credits[i], fate))
		}
		c.Balance = append(c.Balance, least)
	}
	return c
}

// enoughSection shows smaller sizes that suffice while their credits last.
func (s Size) enoughSection() document.Block {
	options := slices.DeleteFunc(slices.Clone(s.Options), func(o SizeOption) bool { return o.Credits == nil })
	if len(options) == 0 {
		return nil
	}
	t := document.Grid[SizeOption]{Of: options}
	t.Wordy("volume", func(o SizeOption) string { return o.Credits.sizeOf(o) })
	t.Numeric("GiB", func(o SizeOption) document.Cell { return whole(o.Credits.GiB) })
	t.Numeric("credits at the worst", func(o SizeOption) document.Cell { return percentCell(o.Credits.Lowest) })
	t.Numeric("credits at the end", func(o SizeOption) document.Cell { return percentCell(o.Credits.Left) })
	t.Numeric(s.Sized.Currency+" a month", func(o SizeOption) document.Cell { return words.Known(o.Credits.Monthly) })
	addDates(&t, func(o SizeOption) string { return o.Credits.AsOf })
	played := options[len(options)-1].Credits.Seconds
	title := fmt.Sprintf("Enough while credits last: this load, repeated for %s h",
		number.Grouped(float64(played)/hour, 0))
	return document.Titled(title, t.Table)
}

func percentCell(percent float64) document.Cell {
	return document.Number(number.Grouped(percent, 0)+"%", percent)
}

// sizeOf returns the volume with the name of the size that has the credits.
func (c SizeCredits) sizeOf(o SizeOption) string { return strings.TrimSpace(o.Title + " " + c.Tier) }

// bareSection shows how long credits last on the smallest size that holds the data.
func (s Size) bareSection() document.Block {
	options := slices.DeleteFunc(slices.Clone(s.Options), func(o SizeOption) bool { return o.Bare == nil })
	if len(options) == 0 {
		return nil
	}
	t := document.Grid[SizeOption]{Of: options}
	add := func(header string, of func(SizeCredits) document.Cell) {
		t.Numeric(header, func(o SizeOption) document.Cell { return of(*o.Bare) })
	}
	t.Wordy("volume", func(o SizeOption) string { return o.Bare.sizeOf(o) })
	add("GiB", func(c SizeCredits) document.Cell { return whole(c.GiB) })
	if s.Sized.Instance != "" {
		add("credits of", func(c SizeCredits) document.Cell {
			if strings.Contains(c.Bucket, "of the instance") {
				return document.Words(s.Sized.machine())
			}
			return document.Words("volume")
		})
	}
	add("empty after", func(c SizeCredits) document.Cell { return lasting(*c.Dry) })
	add("then IOPS", func(c SizeCredits) document.Cell { return words.Known(&c.Served.Operations) })
	add("and MB/s", func(c SizeCredits) document.Cell { return words.Known(new(c.Served.Bytes / number.Mega)) })
	add("full again without load", func(c SizeCredits) document.Cell { return lasting(int(c.Refills)) })
	return document.Titled("Where credits run out, on the smallest volume that holds the data"+s.Sized.startOf(), t.Table)
}

func lasting(seconds int) document.Cell { return document.Number(hours(seconds), float64(seconds)) }

// startOf says how full the credit buckets are at the start, if not full.
func (s Sized) startOf() string {
	var parts []string
	for _, b := range s.Balances {
		part := fmt.Sprintf("%s%% of the %s's credits", number.Grouped(b.Percent, 0), b.Of)
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

func hours(seconds int) string {
	d := (time.Duration(seconds) * time.Second).Round(time.Minute)
	return fmt.Sprintf("%d:%02d h", int(d.Hours()), int(d.Minutes())%60)
}

// balances returns the buckets that are not full at the start.
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

// hour is the unit of a curve's X axis, in seconds.
const hour = 3600

// addDates adds the dates of the prices in each total; in text, to save columns, the month of the oldest.
func addDates(t *document.Grid[SizeOption], asOf func(SizeOption) string) {
	of := func(in document.Format, dates func(string) string) {
		t.Column(document.Column{Header: "prices of", Words: true, In: in}, func(o SizeOption) document.Cell {
			return document.Words(cmp.Or(dates(asOf(o)), "-"))
		})
	}
	of(document.InText, func(dates string) string { return dates[:min(len(dates), len("2026-01"))] })
	of(document.OnPages, func(dates string) string { return dates })
}

func whole(v float64) document.Cell { return document.Number(number.Grouped(v, 0), v) }
