package metric

import (
	"slices"
)

// Meanings returns all that is documented of metrics of cloud services, and what others have published of them.
func Meanings() (all []Meaning) {
	for _, g := range fromFile().Groups {
		all = append(all, g.meanings()...)
	}
	return all
}

// MeaningsOf returns those of whatever people may call a metric: WriteIOPS, cloudwatch/WriteIOPS, CloudWatch WriteIOPS.
func MeaningsOf(typed string) []Meaning {
	var rows Table
	for _, m := range Meanings() {
		rows = append(rows, m.Row())
	}
	names := rows.Named(typed)
	return slices.DeleteFunc(Meanings(), func(m Meaning) bool { return !slices.Contains(names, m.Name()) })
}

// SameNumbers are pairs of metrics of different services that are said to show the same number on a flavor, by their
// names in a run file.
func SameNumbers(flavor string) (pairs [][2]string) {
	for _, m := range Meanings() {
		if m.SameAs != "" && m.On == flavor {
			pairs = append(pairs, [2]string{m.Name(), m.SameAs})
		}
	}
	return pairs
}

// cloud returns what services of a cloud count, as far as probes ask for it.
func cloud() []Metric {
	var rows []Metric
	for _, m := range Meanings() {
		if !m.Unread {
			rows = append(rows, m.Row())
		}
	}
	return rows
}
