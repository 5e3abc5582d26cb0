package number_test

import (
	"math"
	"testing"

	"github.com/realiops/realiops/internal/analyze/number"
)

func TestReadNumbers(t *testing.T) {
	mega := number.Bytes(1e6).With(number.Units{"": 1})
	for _, c := range []struct {
		text  string
		units number.Units
		want  float64
	}{
		{"3000", number.Counted(), 3000}, {"3,000", number.Counted(), 3000},
		{"1,234,567.5", number.Counted(), 1234567.5},
		{"3k", number.Counted(), 3000}, {"1.5K", number.Counted(), 1500}, {"2.43G", number.Counted(), 2.43e9},
		{"2 M", number.Counted(), 2e6},
		{"1e3", number.Counted(), 1000}, {"1E-3", number.Counted(), 0.001}, {".5", number.Counted(), 0.5},
		{"12.500", number.Counted(), 12.5},
		{"0.000", number.Counted(), 0}, {"120MiB", mega, 125.829120}, {"120mib", mega, 125.829120},
		{"1.2GB", mega, 1200}, {"7", mega, 7},
		{"64k", number.Bytes(1024), 62.5}, {"64KiB", number.Bytes(1024), 64}, {"2TiB", number.Bytes(1 << 30), 2048},
		{"1e3GiB", number.Bytes(1 << 30), 1000},
	} {
		if got, err := number.Read(c.text, c.units); err != nil || math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%s: %g, %v, want %g", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"", "k", "nan", "inf", "0x10", "3_000", "1,5", "3,00", "1,2,3", "12,34,567", "3.000",
		"12.000", "3.000.000", "1e", "5 x", "--5", "1e999", "8Kb", "100Mb", "800Mbps"} {
		if got, err := number.Read(text, mega.With(number.Counted())); err == nil {
			t.Errorf("%q is read as %g", text, got)
		}
	}
}
