package metric

import "slices"

// spelling is the usual name of a metric in some versions of the server.
type spelling struct {
	text  string
	shown Span
}

// As returns how people write the metric in the versions for which nothing else is said.
func (m Metric) As(text string) Metric {
	m.spelled = append(slices.Clone(m.spelled), spelling{text: text})
	return m
}

// asUpTo returns how they write it up to a version.
func (m Metric) asUpTo(last int, text string) Metric {
	m.spelled = append([]spelling{{text, Span{Last: last}}}, m.spelled...)
	return m
}

// Printed returns the metric as people write it on a version of the server, as server_version_num; 0 is one that is not
// known.
func (m Metric) Printed(version int) string {
	for _, s := range m.spelled {
		if s.shown == (Span{}) || version > 0 && s.shown.Has(version) {
			return s.text
		}
	}
	return m.Name
}

// Spellings returns all the ways to write the metric: in the run file, and by people of each version.
func (m Metric) Spellings() []string {
	all := []string{m.Name}
	for _, s := range m.spelled {
		if !slices.Contains(all, s.text) {
			all = append(all, s.text)
		}
	}
	return all
}
