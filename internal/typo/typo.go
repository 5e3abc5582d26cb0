// Package typo finds the name that was meant when another was typed.
package typo

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns the name nearest to what was typed, or "" if there are no names. Case does not matter.
func Nearest(typed string, names []string) string {
	ranked, _ := rank(typed, names)
	if len(ranked) == 0 {
		return ""
	}
	return ranked[0]
}

// Closest returns up to n names that differ from what was typed in at most a third of its letters, the nearest first;
// what has three letters or fewer must be part of a name. Case does not matter.
func Closest(typed string, names []string, n int) []string {
	ranked, far := rank(typed, names)
	ranked = slices.DeleteFunc(ranked, func(name string) bool { return far[name] > (len(typed)-1)/3 })
	return ranked[:min(n, len(ranked))]
}

// rank sorts names by their distance from what was typed.
func rank(typed string, names []string) (ranked []string, far map[string]int) {
	typed, far = strings.ToLower(typed), map[string]int{}
	for _, name := range names {
		// an abbreviation is no mistake
		if lower := strings.ToLower(name); !strings.Contains(lower, typed) {
			far[name] = distance(typed, lower)
		}
	}
	return slices.SortedStableFunc(slices.Values(names), func(a, b string) int {
		return cmp.Or(far[a]-far[b], len(a)-len(b))
	}), far
}

// Guess returns the nearest name if it was probably meant, and "" otherwise.
func Guess(typed string, names []string) string {
	name := Nearest(typed, names)
	part := len(typed) >= 3 && strings.Contains(strings.ToLower(name), strings.ToLower(typed))
	if part || distance(strings.ToLower(typed), strings.ToLower(name)) <= 1+len(typed)/4 {
		return name
	}
	return ""
}

// distance returns the number of letters to insert, delete, change or swap with the next to turn a into b.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
