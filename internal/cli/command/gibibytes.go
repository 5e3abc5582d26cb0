package command

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Gibibytes is an amount of data in GiB. With a unit behind it, as consoles and invoices have them, it is turned into that:
// a TB is 10^12 bytes, and a TiB 2^40.
type Gibibytes float64

// MostGiB is more than anybody keeps in one database.
const MostGiB = 1e9

func (g *Gibibytes) Set(text string) error {
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
	*g = Gibibytes(v * unit)
	return nil
}

func (g *Gibibytes) String() string { return strconv.FormatFloat(float64(*g), 'g', -1, 64) }

func (g *Gibibytes) Type() string { return "amount" }
