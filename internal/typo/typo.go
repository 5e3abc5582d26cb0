// Package typo finds the name that somebody meant who typed another.
package typo

import "strings"

// Nearest is the name that is least far from what was typed, letters of either case being equal; empty where there are
// no names.
func Nearest(typed string, names []string) string {
	best, least := "", 0
	for _, name := range names {
		steps := distance(strings.ToLower(typed), strings.ToLower(name))
		if strings.Contains(strings.ToLower(name), strings.ToLower(typed)) {
			steps = 0 // what was left out is no mistake in what was typed
		}
		if best == "" || steps < least || steps == least && len(name) < len(best) {
			best, least = name, steps
		}
	}
	return best
}

// Guess is the nearest name where it is so near that it was probably meant, and empty otherwise.
func Guess(typed string, names []string) string {
	name := Nearest(typed, names)
	part := len(typed) >= 3 && strings.Contains(strings.ToLower(name), strings.ToLower(typed))
	if part || distance(strings.ToLower(typed), strings.ToLower(name)) <= 1+len(typed)/4 {
		return name
	}
	return ""
}

// distance is how many letters must be put in, taken out or changed to make b of a (Levenshtein's).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}
