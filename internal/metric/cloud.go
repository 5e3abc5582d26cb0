package metric

import (
	"slices"
)

// Meanings returns everything documented about metrics of cloud services, and what others have published about them.
func Meanings() (all []Meaning) {
	for _, g := range fromFile().Groups {
		all = append(all, g.meanings()...)
	}
	return all
}

// MeaningsOf returns the meanings of a metric by any of its names: WriteIOPS, cloudwatch/WriteIOPS, CloudWatch
// WriteIOPS.
func MeaningsOf(typed string) []Meaning {
	var rows Table
	for _, m := range Meanings() {
		rows = append(rows, m.Row())
	}
	names := rows.Named(typed)
	return slices.DeleteFunc(Meanings(), func(m Meaning) bool { return !slices.Contains(names, m.Name()) })
}

// SameNumbers returns pairs of metrics of different services that are said to be the same number on a flavor, by their
// names in a run file.
func SameNumbers(flavor string) (pairs [][2]string) {
	for _, m := range Meanings() {
		if m.SameAs != "" && m.On == flavor {
			pairs = append(pairs, [2]string{m.Name(), m.SameAs})
		}
	}
	return pairs
}

// cloud returns the metrics of cloud services that probes read.
func cloud() []Metric {
	var rows []Metric
	for _, m := range Meanings() {
		if !m.Unread {
			rows = append(rows, m.Row())
		}
	}
	return rows
}
