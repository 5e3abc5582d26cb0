package metric

import "slices"

// spelling is the usual name of a metric in some versions of the server.
type spelling struct {
	text  string
	shown Span
}

// As sets the usual name of the metric in versions without another one.
func (m Metric) As(text string) Metric {
	m.spelled = append(slices.Clone(m.spelled), spelling{text: text})
	return m
}

// asUpTo sets the usual name up to a version.
func (m Metric) asUpTo(last int, text string) Metric {
	m.spelled = append([]spelling{{text, Span{Last: last}}}, m.spelled...)
	return m
}

// Printed returns the usual name of the metric in a version of the server, as server_version_num; 0 if unknown.
func (m Metric) Printed(version int) string {
	for _, s := range m.spelled {
		if s.shown == (Span{}) || version > 0 && s.shown.Has(version) {
			return s.text
		}
	}
	return m.Name
}

// Spellings returns all names of the metric: in the run file, and the usual one of each version.
func (m Metric) Spellings() []string {
	all := []string{m.Name}
	for _, s := range m.spelled {
		if !slices.Contains(all, s.text) {
			all = append(all, s.text)
		}
	}
	return all
}
