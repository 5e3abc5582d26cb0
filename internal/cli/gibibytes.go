package cli

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// gibibytes is an amount of data in GiB. With a unit behind it, as consoles and invoices have them, it is turned into that:
// a TB is 10^12 bytes, and a TiB 2^40.
type gibibytes float64

// mostGiB is more than anybody keeps in one database.
const mostGiB = 1e9

func (g *gibibytes) Set(text string) error {
	units := map[string]float64{
		"": 1, "GIB": 1, "TIB": 1 << 10, "PIB": 1 << 20, "MIB": 1.0 / (1 << 10),
		"MB": 1e6 / (1 << 30), "GB": 1e9 / (1 << 30), "TB": 1e12 / (1 << 30), "PB": 1e15 / (1 << 30),
	}
	number := strings.TrimRight(strings.ToUpper(strings.ReplaceAll(text, ",", "")), "BGIKMPT ")
	unit, known := units[strings.TrimSpace(strings.ToUpper(strings.ReplaceAll(text, ",", ""))[len(number):])]
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !known || math.Signbit(v) || !(v*unit <= math.MaxFloat64) {
		return errors.New("GiB, or a number with its unit: 500, 500GB, 2TB or 2TiB")
	}
	*g = gibibytes(v * unit)
	return nil
}

func (g *gibibytes) String() string { return strconv.FormatFloat(float64(*g), 'g', -1, 64) }

func (g *gibibytes) Type() string { return "amount" }
