package command

import (
	"errors"
	"math"
	"strconv"

	"github.com/realiops/realiops/internal/analyze/number"
)

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
