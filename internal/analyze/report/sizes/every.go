package sizes

import (
	"fmt"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report/words"
)

// everyOption returns a row for each option, including those that do not carry the load, in columns named like the
// fields of JSON.
func (s Size) everyOption() document.Table {
	t := document.Grid[SizeOption]{Of: s.Options}
	add := func(name string, of func(SizeOption) document.Cell) { t.Column(document.Wordy(name), of) }
	t.Wordy("volume", func(o SizeOption) string { return o.Volume })
	t.Wordy("title", func(o SizeOption) string { return o.Title })
	t.Wordy("provider", func(o SizeOption) string { return o.Provider })
	t.Wordy("standing", func(o SizeOption) string { return o.Standing })
	t.Wordy("why", func(o SizeOption) string { return o.Why })
	t.Wordy("tier", func(o SizeOption) string { return o.Tier })
	add("disks", func(o SizeOption) document.Cell { return words.Exact(float64(max(1, o.Disks))) })
	add("gib", func(o SizeOption) document.Cell { return bought(o.GiB) })
	add("iops", func(o SizeOption) document.Cell { return bought(o.IOPS) })
	add("mibps", func(o SizeOption) document.Cell { return bought(o.MiBps) })
	add("carries_iops", func(o SizeOption) document.Cell { return end(o.Carries, 0) })
	add("carries_mibps", func(o SizeOption) document.Cell { return end(o.Carries, 1) })
	t.Wordy("binding", func(o SizeOption) string { return o.Binding })
	add("monthly", func(o SizeOption) document.Cell { return optional(o.Monthly) })
	add("monthly_lo", func(o SizeOption) document.Cell { return end(o.Span, 0) })
	add("monthly_hi", func(o SizeOption) document.Cell { return end(o.Span, 1) })
	t.Wordy("currency", func(o SizeOption) string { return o.Currency })
	t.Wordy("region", func(o SizeOption) string { return o.Region })
	t.Wordy("prices_as_of", func(o SizeOption) string { return o.AsOf })
	t.Wordy("instance_carries", func(o SizeOption) string {
		if o.Instance == nil {
			return ""
		}
		return fmt.Sprint(o.Instance.Carries)
	})
	credits := func(name string, of func(SizeOption) *SizeCredits, value func(SizeCredits) *float64) {
		add(name, func(o SizeOption) document.Cell {
			if c := of(o); c != nil {
				return optional(value(*c))
			}
			return document.Words("")
		})
	}
	enough := func(o SizeOption) *SizeCredits { return o.Credits }
	bare := func(o SizeOption) *SizeCredits { return o.Bare }
	credits("credits_gib", enough, func(c SizeCredits) *float64 { return &c.GiB })
	credits("credits_monthly", enough, func(c SizeCredits) *float64 { return c.Monthly })
	t.Wordy("credits_prices_as_of", func(o SizeOption) string {
		if o.Credits == nil {
			return ""
		}
		return o.Credits.AsOf
	})
	credits("credits_lowest_percent", enough, func(c SizeCredits) *float64 { return &c.Lowest })
	credits("bare_gib", bare, func(c SizeCredits) *float64 { return &c.GiB })
	// while credits last there is no bare
	credits("bare_dry_at", bare, func(c SizeCredits) *float64 { return new(float64(*c.Dry)) })
	credits("bare_served_dry_operations", bare, func(c SizeCredits) *float64 { return &c.Served.Operations })
	credits("bare_served_dry_bytes", bare, func(c SizeCredits) *float64 { return &c.Served.Bytes })
	credits("bare_refill_seconds", bare, func(c SizeCredits) *float64 { return &c.Refills })
	return t.Table
}

// bought returns an amount; empty if zero.
func bought(v float64) document.Cell {
	if v == 0 {
		return document.Words("")
	}
	return words.Exact(v)
}

func optional(v *float64) document.Cell {
	if v == nil {
		return document.Words("")
	}
	return words.Exact(*v)
}

func end(span *[2]float64, i int) document.Cell {
	if span == nil {
		return document.Words("")
	}
	return words.Exact(span[i])
}
