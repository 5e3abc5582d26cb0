// Package typo finds the name that somebody meant who typed another.
package typo

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns the name that is least far from what was typed, or "" where there are no names. Case does not matter.
func Nearest(typed string, names []string) string {
	ranked, _ := rank(typed, names)
	if len(ranked) == 0 {
		return ""
	}
	return ranked[0]
}

// Closest returns up to n names that are like what was typed, the nearest first. Case does not matter.
func Closest(typed string, names []string, n int) []string {
	ranked, far := rank(typed, names)
	ranked = slices.DeleteFunc(ranked, func(name string) bool { return far[name] > 1+len(typed)/2 })
	return ranked[:min(n, len(ranked))]
}

// rank sorts names by how far they are from what was typed.
func rank(typed string, names []string) (ranked []string, far map[string]int) {
	typed, far = strings.ToLower(typed), map[string]int{}
	for _, name := range names {
		// what was left out is no mistake in what was typed
		if lower := strings.ToLower(name); !strings.Contains(lower, typed) {
			far[name] = distance(typed, lower)
		}
	}
	return slices.SortedStableFunc(slices.Values(names), func(a, b string) int {
		return cmp.Or(far[a]-far[b], len(a)-len(b))
	}), far
}

// Guess returns the nearest name where it is so near that it was probably meant, and empty otherwise.
func Guess(typed string, names []string) string {
	name := Nearest(typed, names)
	part := len(typed) >= 3 && strings.Contains(strings.ToLower(name), strings.ToLower(typed))
	if part || distance(strings.ToLower(typed), strings.ToLower(name)) <= 1+len(typed)/4 {
		return name
	}
	return ""
}

// distance returns how many letters must be put in, taken out, changed or swapped with the next to make b of a.
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
