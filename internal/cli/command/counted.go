package command

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/number"
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
