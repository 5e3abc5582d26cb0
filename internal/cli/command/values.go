package command

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/printable"
)

var (
	spaced    = regexp.MustCompile(`\s*([=,/])\s*`)
	unitAlone = regexp.MustCompile(`(?i)^(%|[kmgtp]?i?b|[kmgtp])(/s)?$`)
)

// Figures splits NAME=NUMBER pairs at commas or spaces. A thousands separator belongs to the number,
// and so does a unit after a space.
func Figures(text string) (parts []string) {
	text = spaced.ReplaceAllString(text, "$1")
	for part := range strings.SplitSeq(strings.Join(strings.Fields(text), ","), ",") {
		switch last := len(parts) - 1; {
		case last >= 0 && startsLikeNumber(part) && !strings.Contains(part, "="):
			parts[last] += "," + part // number.Read rejects it if it is no thousands group
		case last >= 0 && unitAlone.MatchString(part):
			parts[last] += part
		default:
			parts = append(parts, part)
		}
	}
	return parts
}

// FiguresVar adds a flag of NAME=NUMBER pairs. If it is given again, its pairs are added, since the last alone would
// answer another question.
func FiguresVar(f *pflag.FlagSet, to *string, name, usage string) { f.Var((*figures)(to), name, usage) }

type figures string

func (p *figures) Set(text string) error {
	if *p != "" {
		text = string(*p) + "," + text
	}
	*p = figures(text)
	return nil
}

func (p *figures) String() string { return string(*p) }

func (p *figures) Type() string { return "string" }

// spelled is a flag's number as people write it: 3,000, 10k, and with the unit that the flag implies.
type spelled struct {
	pflag.Value
	units   number.Units
	percent bool // a number below 1 may be a share
}

func (s spelled) Set(text string) error {
	v, err := number.Read(text, s.units)
	if err == nil && v > 0 && v < 1 && s.percent && !strings.Contains(text, "%") {
		return unclear{fmt.Errorf("%g%% or %g%%? Write %g%% or %g%%", v, 100*v, v, 100*v)}
	}
	if plain := strconv.FormatFloat(v, 'f', -1, 64); err == nil {
		return s.Value.Set(plain)
	}
	if errors.Is(err, number.ErrRange) || !startsLikeNumber(text) {
		return s.Value.Set(text) // the flag describes what it takes
	}
	return unclear{err}
}

// unclear says why a number cannot be read, which is better than the general description of the flag.
type unclear struct{ error }

func startsLikeNumber(text string) bool {
	text = strings.TrimLeft(text, " +-.")
	return text != "" && text[0] >= '0' && text[0] <= '9'
}

// spellNumbers makes all numeric flags of a command accept numbers as people write them.
func spellNumbers(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains([]string{"int", "int64", "uint64", "float64", "number", "percent", "milliseconds"},
			f.Value.Type()) {
			return
		}
		if _, done := f.Value.(spelled); done {
			return
		}
		of, _ := pflag.UnquoteUsage(f)
		own := map[string]string{"percent": "%", "percentile": "%", "hours": "h", "milliseconds": "ms",
			"USD": "usd"}[of]
		f.Value = spelled{f.Value, number.Counted().With(number.Units{own: 1}), own == "%"}
	})
}

// Size is a number of bytes, as fio and PostgreSQL take it: 512M, 4G, 4GB or 4GiB, all in powers of 1024.
type Size int64

// sizeUnits are the powers of 1024, from 1 on.
const sizeUnits = " KMGT"

var sizeForm = regexp.MustCompile(`^(\d+)([KMGT]?)(I?B)?$`)

func (s *Size) Type() string { return "size" }

// String returns the shortest form that Set takes.
func (s *Size) String() string {
	n, unit := int64(*s), 0
	for unit < len(sizeUnits)-1 && n != 0 && n%1024 == 0 {
		n, unit = n/1024, unit+1
	}
	return strings.TrimSpace(strconv.FormatInt(n, 10) + sizeUnits[unit:unit+1])
}

// Set parses a size.
func (s *Size) Set(text string) error {
	parts := sizeForm.FindStringSubmatch(strings.ToUpper(strings.TrimSpace(text)))
	if parts == nil {
		return fmt.Errorf("want a size, such as 512M or 4G")
	}
	n, err := strconv.ParseInt(parts[1], 10, 64)
	unit := int64(1) << (10 * max(0, strings.Index(sizeUnits, parts[2])))
	if parts[2] == "" {
		unit = 1
	}
	if err != nil || n > math.MaxInt64/unit {
		return fmt.Errorf("too large")
	}
	if n == 0 {
		return fmt.Errorf("want a size above 0, such as 512M or 4G")
	}
	*s = Size(n * unit)
	return nil
}

// Gibibytes is an amount of data in GiB. A unit is converted, as consoles and invoices have them: a TB
// is 10^12 bytes, and a TiB 2^40.
type Gibibytes float64

// MostGiB is more than any database has.
const MostGiB = 1e9

func (g *Gibibytes) Set(text string) error {
	units := number.Bytes(1 << 30).With(number.Units{"": 1, "m": 1.0 / 1024, "g": 1, "t": 1024, "p": 1 << 20})
	v, err := number.Read(text, units)
	if err != nil || math.Signbit(v) || !(v <= math.MaxFloat64) {
		return errors.New("want GiB, or a number with its unit: 500, 500GB, 2TB or 2TiB")
	}
	*g = Gibibytes(v)
	return nil
}

func (g *Gibibytes) String() string { return strconv.FormatFloat(float64(*g), 'g', -1, 64) }

func (g *Gibibytes) Type() string { return "amount" }

var daysOrWeeks = regexp.MustCompile(`(\d+\.?\d*|\.\d+)([dw])`)

// ParseTime parses a duration as package time does, and also days and weeks: 90s, 36h, 7d, 1w2d12h.
func ParseTime(text string) (time.Duration, error) {
	return time.ParseDuration(daysOrWeeks.ReplaceAllStringFunc(text, func(part string) string {
		n, unit := part[:len(part)-1], part[len(part)-1]
		days, err := strconv.ParseFloat(n, 64)
		if err != nil {
			return part
		}
		if unit == 'w' {
			days *= 7
		}
		return strconv.FormatFloat(days*24, 'f', -1, 64) + "h"
	}))
}

// lengthFlag is a flag for a duration, parsed by [ParseTime].
type lengthFlag struct{ pflag.Value }

func (l lengthFlag) Set(text string) error {
	if d, err := ParseTime(text); err == nil {
		text = d.String()
	}
	return l.Value.Set(text)
}

// spellTimes makes all duration flags of a command use [ParseTime].
func spellTimes(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if _, done := f.Value.(lengthFlag); !done && f.Value.Type() == "duration" {
			f.Value = lengthFlag{f.Value}
		}
	})
}

// Stretch is a duration of days and weeks: 30d, 12w, 36h.
type Stretch time.Duration

// Longest bounds the stretch of a request.
const Longest = cloudwatch.Longest

func (s *Stretch) Set(text string) error {
	d, err := ParseTime(text)
	if err != nil || d < time.Minute || d > Longest {
		return fmt.Errorf("want 1m to 455d, such as 36h, 30d or 12w")
	}
	*s = Stretch(d)
	return nil
}

// OfHours returns the duration for a source of whole hours.
func (s Stretch) OfHours() (time.Duration, error) {
	if d := time.Duration(s); d >= time.Hour {
		return d, nil
	}
	return 0, fmt.Errorf("--for %s is too short: this reads whole hours, so ask for at least 1h",
		printable.Duration(time.Duration(s)))
}

func (s *Stretch) String() string { return fmt.Sprintf("%gd", time.Duration(*s).Hours()/24) }

func (s *Stretch) Type() string { return "time" }

const Day = 24 * time.Hour
