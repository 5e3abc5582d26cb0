package report

import (
	"fmt"
	"math"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// megabyte is what MB means here: storage is sold in powers of ten.
const megabyte = 1e6

// grouped writes a number with so many decimals, and commas between thousands.
func grouped(v float64, decimals int) string {
	text := message.NewPrinter(language.English).Sprint(number.Decimal(v, number.Scale(decimals)))
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-") // no minus nought
	}
	return text
}

// rate writes how often something happens: whole numbers, unless it is seldom.
func rate(v float64) string {
	switch size := math.Abs(v); {
	case size == 0:
		return "0"
	case size >= 9.95:
		return grouped(v, 0)
	case size >= 0.095:
		return grouped(v, 1)
	default:
		return significant(v, 1)
	}
}

// quotient writes how many of one there are for one of another, to three digits where it is small.
func quotient(v float64) string {
	switch size := math.Abs(v); {
	case size == 0:
		return "0"
	case size >= 99.95:
		return grouped(v, 0)
	case size >= 9.995:
		return grouped(v, 1)
	case size >= 0.0009995:
		return significant(v, 3)
	default:
		return significant(v, 2)
	}
}

// smallest is where decimals are no longer read and powers of ten are.
const smallest = 1e-5

// significant writes a number below ten with so many digits that are not leading noughts.
func significant(v float64, digits int) string {
	if size := math.Abs(v); size < smallest {
		return fmt.Sprintf("%.*e", digits-1, v)
	}
	return grouped(v, digits-1-int(math.Floor(math.Log10(math.Abs(v)))))
}

// percent writes a share.
func percent(share float64) string {
	switch size := math.Abs(share) * 100; {
	case size < 1e-6: // what is left of rounding in the computer
		return "0%"
	case size < 0.95:
		return fmt.Sprintf("%.1f%%", math.Ceil(share*1000)/10) // doubt is not rounded away
	case !(size <= 999.5):
		return ">999%"
	default:
		return fmt.Sprintf("%.0f%%", share*100)
	}
}

// doubt is half the way from the lowest to the highest replicate, as a part of the figure.
func (f Figure) doubt() string {
	switch {
	case f.N == 1:
		return "±?"
	case f.Highest <= f.Lowest:
		return "±0%"
	default:
		return "±" + percent((f.Highest-f.Lowest)/2/f.Value)
	}
}

// steady is the factor within which ratios of different arms are called the same.
const steady = 1.10

// number writes a number of the estimate's size with as many decimals as its interval leaves of any use, from two digits
// of its value to three.
func (e Estimate) number(v float64) string {
	size, half := math.Abs(e.Value), (e.Hi-e.Lo)/2
	if size < smallest || !finite(e.Value) || !finite(v) {
		return quotient(v)
	}
	if math.Abs(v) >= large {
		return thousands(v)
	}
	first := -int(math.Floor(math.Log10(size))) // decimal place of the first digit
	decimals := first + 2
	if finite(half) && half > 0 {
		decimals = min(decimals, max(first+1, -int(math.Floor(math.Log10(half)))))
	}
	return grouped(v, max(0, decimals))
}

// large is where the last digits of a number are no longer read.
const large = 1e5

// thousands writes a large number in thousands or millions.
func thousands(v float64) string {
	if math.Abs(v) >= 1e6 {
		return grouped(v/1e6, 0) + "M"
	}
	return grouped(v/1e3, 0) + "k"
}

// inWords spells a small number.
func inWords(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}
