package number

import (
	"math"
	"testing"
)

func TestNumbersAreRoundedToWhatIsRead(t *testing.T) {
	check := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	check(Rate(1914568.4), "1,914,568")
	check(Rate(9.96), "10")
	check(Rate(9.94), "9.9")
	check(Rate(0.0412), "0.04")
	check(Rate(0), "0")
	check(Rate(math.Copysign(0.0, -1)), "0")
	check(Grouped(-0.04, 1), "0.0")
	check(Grouped(-1234567.25, 1), "-1,234,567.2")
	check(Grouped(999.5, 0), "1,000")
	check(Grouped(100, 0), "100")
	check(Grouped(math.Inf(-1), 2), "-∞")
	check(Grouped(math.NaN(), 0), "NaN")
	check(Ratio(8.0249), "8.02")
	check(Ratio(40.04), "40.0")
	check(Ratio(5905.2), "5,905")
	check(Ratio(0.00012), "0.00012")
	check(Ratio(0.0000012), "1.2e-06")
	check(Significant(2048000, 3), "2,048,000")
	check(Significant(99999.4, 3), "99,999")
	check(Short(62.108, 3), "62.1")
	check(Short(1, 3), "1")
	check(Short(9.999, 3), "10")
	check(Short(100, 2), "100")
	check(Short(0, 3), "0")
	check(Stated(1e6), "1,000,000")
	check(AtLeast(5691.4), "5,600") // a bound must stay one
	check(AtMost(5601.2), "5,700")
	check(AtLeast(0.0579), "0.057")
	check(AtMost(0.57), "0.57") // 0.57/0.01 is 56.99999999999999
	check(AtMost(9.95), "10")
	check(AtLeast(2), "2")
	check(AtMost(0), "0")
	check(AtLeast(math.Inf(1)), "∞")
	check(Stated(16384.5), "16,384.5")
	check(Stated(86400), "86,400")
	check(Percent(0), "0%")
	check(Percent(0.0001), "0.1%") // an uncertainty is rounded up
	check(Percent(0.104), "10%")
	check(Percent(12), ">999%")
	check(Percent(math.Inf(1)), ">999%")
	check(Milliseconds(0.00187), "1.9")
	check(Milliseconds(0.0533), "53.3")
	check(Milliseconds(1.25), "1,250")
	check(Estimate(0.9876, 0.9876, 0.9512, 1.0241), "0.99")
	check(Estimate(0.9876, 0.9876, 0.9872, 0.9881), "0.988")
	check(Estimate(5300, 8120, 5300, 11400), "5,300")
	check(Estimate(21074558, 320624, 161541, 21074558), "21M")
	// The examples of the Particle Data Group, Review of Particle Physics, Introduction, 5.3, times powers of ten; at
	// least two digits remain.
	check(Estimate(0.827, 0.827, 0.708, 0.946), "0.83")
	check(Estimate(0.827, 0.827, 0.46, 1.194), "0.83")
	check(Rate(Rounded(82700, 11900)), "83,000")
	check(Rate(Rounded(82700, 36700)), "83,000")
	// and by arithmetic
	check(Rate(Rounded(1974500, 197450)), "1,970,000") // ±10%
	check(Rate(Rounded(620329, 80643)), "620,000")     // ±13%
	check(Rate(Rounded(1053, 137)), "1,050")
	check(Rate(Rounded(1182344, 120)), "1,182,340")
	check(Rate(Rounded(57, 57)), "57")
	check(Rate(Rounded(123456, 500000)), "120,000")
	check(Rate(Rounded(1974500, 0)), "1,974,500")
	check(Rate(Rounded(1974500, math.Inf(1))), "1,974,500")
	check(Rate(Rounded(0, 3)), "0")
	check(Rate(Rounded(-1974500, 197450)), "-1,970,000")
	check(Spelled(5), "five")
	check(Spelled(11), "11")
}

func TestOrdinal(t *testing.T) {
	for v, want := range map[float64]string{99: "99th", 91: "91st", 62: "62nd", 53: "53rd", 100: "100th",
		99.9: "99.9th", 11: "11th", 92.1: "92.1th"} {
		if got := Ordinal(v); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
}
