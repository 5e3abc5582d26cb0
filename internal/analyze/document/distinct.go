package document

import (
	"fmt"
	"slices"
)

// Distinct cuts texts to at most most characters so that no two look alike. It omits part of a common beginning instead
// of the first difference, and adds numbers if that is not enough.
func Distinct(texts []string, most int) []string {
	short := make([]string, len(texts))
	for i, text := range texts {
		short[i] = cutBehind([]rune(text), most, 0)
	}
	for i, text := range texts {
		common := 0
		for _, other := range texts {
			if other != text && cutBehind([]rune(other), most, 0) == cutBehind([]rune(text), most, 0) {
				common = max(common, inCommon([]rune(text), []rune(other)))
			}
		}
		short[i] = cutBehind([]rune(text), most, common)
	}
	for i, text := range texts {
		for n := 2; slices.ContainsFunc(texts[:i], func(other string) bool {
			return other != text && short[slices.Index(texts, other)] == short[i]
		}); n++ {
			number := fmt.Sprintf(" (%d)", n)
			short[i] = cutBehind([]rune(text), most-len(number), 0) + number
		}
	}
	return short
}

// cutBehind cuts a text to at most most characters, keeping the first ones after the common beginning.
func cutBehind(text []rune, most, common int) string {
	if len(text) <= most {
		return string(text)
	}
	if common < most-1 {
		return string(text[:most-1]) + "…"
	}
	head := most / 3
	rest := text[max(head, common-most/6):]
	if room := most - head - 3; len(rest) > room {
		rest = append(slices.Clip(rest[:room-1]), '…')
	}
	return string(text[:head]) + " … " + string(rest)
}

// inCommon returns the length of the common beginning of two texts, in characters.
func inCommon(a, b []rune) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
