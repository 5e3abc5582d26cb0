package figure_test

import (
	"encoding/json"
	"testing"

	"github.com/realiops/realiops/internal/analyze/report/figure"
)

// TestNoMoreDigitsThanJustified: a figure is shown with the digits that its repetitions justify, and JSON has all.
func TestNoMoreDigitsThanJustified(t *testing.T) {
	check := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	rate := figure.Figure{Value: 1_974_500, Lowest: 1_777_050, Highest: 2_171_950, N: 3} // ±10%
	cell := rate.Cell(rate.Rate(1))
	check("rate", cell.Text+" "+cell.PlusMinus, "1,970,000 ±10%")
	check("in millions", rate.Rate(1e6), "2.0")
	check("ratio", rate.Times(1e-6).Ratio(), "1.97")
	if text, err := json.Marshal(rate); err != nil {
		t.Error(err)
	} else {
		check("JSON", string(text), `{"value":1974500,"lowest":1777050,"highest":2171950,"n":3}`)
	}
	one := figure.Figure{Value: 140_213.7, Lowest: 140_213.7, Highest: 140_213.7, N: 1} // its spread is unknown
	check("of one repetition", one.Rate(1)+" "+one.PlusMinus(), "140,000 ±?")
	check("ratio of one repetition", one.Times(1e-3).Ratio()+" "+one.Times(1e-2).Ratio(), "140 1,400")
	one.Highest = 340_213.7 // with less background
	check("of one repetition with much background", one.Rate(1), "140,000")
	steady := figure.Figure{Value: 1234, Lowest: 1234, Highest: 1234, N: 3}
	check("of equal repetitions", steady.Rate(1), "1,234")
}

// A rate whose repetitions differ by more than two times is a range.
func TestWideRateIsARange(t *testing.T) {
	check := func(f figure.Figure, want string) {
		t.Helper()
		f.N = 3
		if got := f.Between(); got != want {
			t.Errorf("%v: %s, want %s", f, got, want)
		}
	}
	check(figure.Figure{Value: 680, Lowest: 255, Highest: 894}, "260 to 890")
	check(figure.Figure{Value: 680, Lowest: 460, Highest: 894}, "680") // 894 < 2 x 460
	check(figure.Figure{Value: 120, Lowest: 0, Highest: 238}, "at most 240")
	check(figure.Figure{Value: 120, Lowest: -50, Highest: 238}, "at most 240")
}

// TestDigitsOfFactors: each end of a range has its own digits, and a factor has three at most.
func TestDigitsOfFactors(t *testing.T) {
	for _, c := range []struct {
		of         figure.Figure
		wide, size string
	}{
		{figure.Figure{Value: 200, Lowest: 4, Highest: 400}, "4.0 to 400", "200"},
		{figure.Figure{Value: 1900, Lowest: 130, Highest: 67_263}, "130 to 67,000", "1,900"},
		{figure.Figure{Value: 9119, Lowest: 9100, Highest: 9137}, "", "9,120"},
		{figure.Figure{Value: 8.034, Lowest: 8.034, Highest: 8.034}, "", "8.03"},
		{figure.Figure{Value: 1000, Lowest: 1000, Highest: 1000}, "", "1,000"},
	} {
		c.of.N = 3
		if wide, size := c.of.WideRatio(), c.of.Factor(); wide != c.wide || size != c.size {
			t.Errorf("%v: %q and %q, want %q and %q", c.of, wide, size, c.wide, c.size)
		}
	}
}
