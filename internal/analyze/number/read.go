package number

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Units maps the units accepted after a number, in lower case, to their size in the requested unit. The empty one is
// for a number without a unit.
type Units map[string]float64

// Counted returns the units of counts.
func Counted() Units { return Units{"": 1, "k": 1e3, "m": 1e6, "g": 1e9} }

// Bytes returns the units of bytes, relative to a unit of each bytes: with each 10^6, MB is 1.
func Bytes(each float64) Units {
	all := Units{"b": 1 / each}
	for i, letter := range []string{"k", "m", "g", "t", "p"} {
		decimal, binary := 1.0, 1.0
		for range i + 1 {
			decimal, binary = decimal*1000, binary*1024
		}
		all[letter], all[letter+"b"] = decimal/each, decimal/each
		all[letter+"i"], all[letter+"ib"] = binary/each, binary/each
	}
	return all
}

// With returns u and others, which take precedence.
func (u Units) With(others Units) Units {
	all := maps.Clone(u)
	maps.Copy(all, others)
	return all
}

// String lists the units for an error.
func (u Units) String() string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(u)), func(name string) bool { return name == "" })
	return strings.Join(names, ", ")
}

var (
	written   = regexp.MustCompile(`^([+-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)$`)
	thousands = regexp.MustCompile(`^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$`)
	// elsewhere matches 3.000, which much of the world writes for 3,000.
	elsewhere = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}\.000$`)
	bits      = regexp.MustCompile(`^[KkMGTP]b|[kKmMgG]bps$`)
)

var (
	errNone = errors.New("it is not a number")
	// ErrRange is the error for a number that overflows.
	ErrRange = errors.New("it is too large")
)

// Read parses a number as people write it: 3000, 3,000, 3k, 1.5e6, each with a unit. Ambiguous text is an error that
// says so.
func Read(text string, units Units) (float64, error) {
	parts := written.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return 0, errNone
	}
	digits, unit := parts[1], parts[2]
	if strings.Contains(digits, ",") && !thousands.MatchString(digits) {
		return 0, fmt.Errorf("commas separate thousands, as in 3,000; write %s with a point or without commas", digits)
	}
	if elsewhere.MatchString(digits) {
		whole := strings.TrimSuffix(digits, ".000")
		return 0, fmt.Errorf("%s or %s,000? Write %s or %s000", whole, whole, whole, whole)
	}
	each, known := units[strings.ToLower(unit)]
	if bits.MatchString(unit) {
		return 0, fmt.Errorf("%s may be bits; write it in bytes, with an upper-case B", unit)
	}
	if !known && unit == "" {
		return 0, fmt.Errorf("%s of what? Units are %s", digits, units)
	}
	if !known {
		return 0, fmt.Errorf("unknown unit %q; use %s", unit, units)
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(digits, ",", ""), 64)
	if err != nil { // the digits form a number
		return 0, ErrRange
	}
	return v * each, nil
}
