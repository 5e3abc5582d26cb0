package command

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
)

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
		return errors.New("GiB, or a number with its unit: 500, 500GB, 2TB or 2TiB")
	}
	*g = Gibibytes(v)
	return nil
}

func (g *Gibibytes) String() string { return strconv.FormatFloat(float64(*g), 'g', -1, 64) }

func (g *Gibibytes) Type() string { return "amount" }
