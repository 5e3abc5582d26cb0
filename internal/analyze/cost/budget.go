package cost

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/typo"
)

// Budget is the largest allowed value of a count.
type Budget struct {
	Name string  `json:"name"`
	Max  float64 `json:"max"` // relative to a base: set when judged
	Per  string  `json:"per"` // run, or transaction
	Text string  `json:"text"`
	// OverBase is the amount by which the count may exceed the base's; nil: Max is absolute.
	OverBase *Allowance `json:"over_base"`
}

// Allowance is the excess over its base that a count is allowed.
type Allowance struct {
	Percent float64 `json:"percent"`
	Amount  float64 `json:"amount"`
}

// from returns the largest allowed value for a base.
func (a Allowance) from(base float64) float64 { return base + base*a.Percent/100 + a.Amount }

// Units of a budget.
const (
	PerRun         = "run"
	PerTransaction = "transaction"
)

// ParseBudgets parses a list such as own_wal_bytes=24KiB,own_wal_records=base,wal_bytes=base+3%,rows=1/tx: k is 1,000
// and Ki 1,024.
func ParseBudgets(list string) (all []Budget, err error) {
	for text := range strings.SplitSeq(list, ",") {
		b, err := parseBudget(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

// suggestion suggests the name that was mistyped, or lists all.
func suggestion(typed string, names []string) string {
	if like := typo.Closest(typed, names, 1); len(like) > 0 {
		return "did you mean " + like[0] + "?"
	}
	return "use one of " + strings.Join(names, ", ")
}

func parseBudget(text string) (Budget, error) {
	name, amount, found := strings.Cut(text, "=")
	if !found {
		return Budget{}, fmt.Errorf("invalid budget %q; want NAME=MOST, such as commits=3, own_wal_bytes=24KiB or "+
			"own_wal_bytes=base+3%%", text)
	}
	b := Budget{Name: strings.TrimSpace(name), Per: PerRun, Text: text}
	if names := Names(); !slices.Contains(names, b.Name) {
		return b, fmt.Errorf("no count is named %q; %s", b.Name, suggestion(b.Name, names))
	}
	amount, found = strings.CutSuffix(strings.TrimSpace(amount), "/tx")
	if found {
		b.Per = PerTransaction
	}
	amount = strings.TrimSpace(amount)
	var err error
	if more, ofBase := strings.CutPrefix(amount, "base"); ofBase {
		b.OverBase, err = parseAllowance(strings.TrimSpace(more), unitsOf(b.Name))
	} else {
		b.Max, err = parseAmount(amount, unitsOf(b.Name))
	}
	if err != nil {
		return b, fmt.Errorf("%s: %w", text, err)
	}
	return b, nil
}

// parseAllowance parses what follows the word base: nothing, +3% or +24KiB.
func parseAllowance(text string, units number.Units) (*Allowance, error) {
	more, plus := strings.CutPrefix(text, "+")
	if text == "" {
		return &Allowance{}, nil
	}
	if !plus {
		return nil, fmt.Errorf("invalid %q after base; want base, base+3%% or base+24KiB", text)
	}
	if digits, percent := strings.CutSuffix(more, "%"); percent {
		v, err := parseAmount(digits, number.Units{"": 1})
		return &Allowance{Percent: v}, err
	}
	v, err := parseAmount(more, units)
	return &Allowance{Amount: v}, err
}

// mostCounted is more than an operation can make a server count.
const mostCounted = 1e18

// unitsOf returns the units of a count's amount: B and its multiples only of bytes.
func unitsOf(name string) number.Units {
	units := number.Bytes(1).With(number.Counted())
	if !strings.HasSuffix(name, "_bytes") {
		maps.DeleteFunc(units, func(unit string, _ float64) bool { return strings.HasSuffix(unit, "b") })
	}
	return units
}

func parseAmount(text string, units number.Units) (float64, error) {
	v, err := number.Read(text, units)
	if err != nil || !(v >= 0 && v <= mostCounted) {
		return 0, fmt.Errorf("invalid amount %q; want a number up to 10^18, with k, M, G, Ki, Mi or Gi", text)
	}
	return v, nil
}

// amount formats a count, with decimals only if it is not whole, as a median may be.
func amount(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(number.Grouped(v, 2), "0"), ".")
}

// spread formats the median of repetitions, and their range.
func spread(runs []float64) string {
	low, high := slices.Min(runs), slices.Max(runs)
	if low == high {
		return amount(low)
	}
	return amount(low) + " to " + amount(high)
}
