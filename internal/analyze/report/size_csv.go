package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// sizeColumn is one column of a sizing as CSV: what it is called, and what it says of an option; empty: nothing.
type sizeColumn struct {
	name string
	of   func(SizeOption) string
}

// SizeCSV writes a line for each option, those that do not carry the load too, without rounding.
func SizeCSV(w io.Writer, s Size) error {
	columns := sizeColumns()
	header := make([]string, len(columns))
	for i, c := range columns {
		header[i] = c.name
	}
	lines := [][]string{header}
	for _, o := range s.Options {
		line := make([]string, len(columns))
		for i, c := range columns {
			line[i] = c.of(o)
		}
		lines = append(lines, line)
	}
	if err := csv.NewWriter(w).WriteAll(lines); err != nil {
		return fmt.Errorf("write the sizes: %w", err)
	}
	return nil
}

// sizeColumns are called as the fields of the JSON that they are of.
func sizeColumns() []sizeColumn {
	columns := []sizeColumn{
		{"volume", func(o SizeOption) string { return o.Volume }},
		{"title", func(o SizeOption) string { return o.Title }},
		{"provider", func(o SizeOption) string { return o.Provider }},
		{"why", func(o SizeOption) string { return o.Why }},
		{"tier", func(o SizeOption) string { return o.Tier }},
		{"gib", func(o SizeOption) string { return bought(o.GiB) }},
		{"iops", func(o SizeOption) string { return bought(o.IOPS) }},
		{"mibps", func(o SizeOption) string { return bought(o.MiBps) }},
		{"carries_iops", func(o SizeOption) string { return end(o.Carries, 0) }},
		{"carries_mibps", func(o SizeOption) string { return end(o.Carries, 1) }},
		{"binding", func(o SizeOption) string { return o.Binding }},
		{"monthly", func(o SizeOption) string { return optional(o.Monthly) }},
		{"monthly_lo", func(o SizeOption) string { return end(o.Span, 0) }},
		{"monthly_hi", func(o SizeOption) string { return end(o.Span, 1) }},
		{"currency", func(o SizeOption) string { return o.Currency }},
		{"instance_carries", func(o SizeOption) string {
			if o.Instance == nil {
				return ""
			}
			return strconv.FormatBool(o.Instance.Carries)
		}},
	}
	enough := func(o SizeOption) *SizeCredits { return o.Credits }
	bare := func(o SizeOption) *SizeCredits { return o.Bare }
	return append(columns,
		creditColumn("credits_gib", enough, func(c SizeCredits) string { return exactly(c.GiB) }),
		creditColumn("credits_monthly", enough, func(c SizeCredits) string { return optional(c.Monthly) }),
		creditColumn("credits_lowest_percent", enough, func(c SizeCredits) string { return exactly(c.Lowest) }),
		creditColumn("bare_gib", bare, func(c SizeCredits) string { return exactly(c.GiB) }),
		creditColumn("bare_dry_at", bare, func(c SizeCredits) string { return strconv.Itoa(*c.Dry) }), // where credits last there is no bare
		creditColumn("bare_served_dry_operations", bare, func(c SizeCredits) string { return exactly(c.Served.Operations) }),
		creditColumn("bare_served_dry_bytes", bare, func(c SizeCredits) string { return exactly(c.Served.Bytes) }),
		creditColumn("bare_refill_seconds", bare, func(c SizeCredits) string { return exactly(c.Refills) }),
	)
}

// creditColumn is of one of the sizes with credits, where there is one.
func creditColumn(name string, credits func(SizeOption) *SizeCredits, of func(SizeCredits) string) sizeColumn {
	return sizeColumn{name, func(o SizeOption) string {
		if c := credits(o); c != nil {
			return of(*c)
		}
		return ""
	}}
}

// bought writes an amount; nothing where none is bought.
func bought(v float64) string {
	if v == 0 {
		return ""
	}
	return exactly(v)
}

func optional(v *float64) string {
	if v == nil {
		return ""
	}
	return exactly(*v)
}

func end(span *[2]float64, i int) string {
	if span == nil {
		return ""
	}
	return exactly(span[i])
}
