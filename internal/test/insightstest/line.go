package insightstest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// line holds the points of one metric of an instance, with one set of dimensions.
type line struct {
	instance   string
	dimensions map[string]string
	points     []Point // by period, and for one period in the order of Tell
}

// line returns the series of a point, and creates it if necessary.
func (s *Service) line(p Point) *line {
	for _, l := range s.series[p.Metric] {
		if l.instance == p.Instance && maps.Equal(l.dimensions, p.Dimensions) {
			return l
		}
	}
	l := &line{instance: p.Instance, dimensions: maps.Clone(p.Dimensions)}
	s.series[p.Metric] = append(s.series[p.Metric], l)
	return l
}

// known returns the values of the periods that begin in a stretch, as far as they are published by now.
func (l *line) known(from, to, now time.Time, delay time.Duration) (values []float64) {
	first, _ := slices.BinarySearchFunc(l.points, from, func(p Point, t time.Time) int { return p.From.Compare(t) })
	var begun time.Time
	for _, p := range l.points[first:] {
		if !p.From.Before(to) {
			break
		}
		known := p.Known
		if known.IsZero() {
			known = p.To.Add(delay)
		}
		switch {
		case known.After(now):
		case len(values) > 0 && p.From.Equal(begun):
			values[len(values)-1] = p.Value
		default:
			values, begun = append(values, p.Value), p.From
		}
	}
	return values
}

// statistics returns the statistics that may follow a metric's name.
func statistics() map[string]func([]float64) float64 {
	return map[string]func([]float64) float64{
		"avg":          func(v []float64) float64 { return total(v) / float64(len(v)) },
		"min":          slices.Min[[]float64],
		"max":          slices.Max[[]float64],
		"sum":          total,
		"sample_count": func(v []float64) float64 { return float64(len(v)) },
	}
}

func total(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// series is one element of an answer.
type series struct {
	Key struct {
		Metric     string            `json:"Metric"`
		Dimensions map[string]string `json:"Dimensions,omitempty"`
	} `json:"Key"`
	DataPoints []dataPoint `json:"DataPoints"`
}

type dataPoint struct {
	Timestamp float64 `json:"Timestamp"`
	Value     float64 `json:"Value"`
}

// window is the stretch of time of an answer.
type window struct {
	from, to time.Time
	period   time.Duration
	atStart  bool // timestamps are the begins of periods, not their ends
	cut      int
	now      time.Time
	delay    time.Duration
}

// told returns the points of a series in a window. Several lines are added up.
func (w window) told(statistic func([]float64) float64, lines ...*line) []dataPoint {
	points := []dataPoint{}
	for at := w.from; at.Before(w.to) && (w.cut == 0 || len(points) < w.cut); at = at.Add(w.period) {
		sum, found := 0.0, false
		for _, l := range lines {
			if values := l.known(at, at.Add(w.period), w.now, w.delay); len(values) > 0 {
				sum, found = sum+statistic(values), true
			}
		}
		stamp := at
		if !w.atStart {
			stamp = at.Add(w.period)
		}
		if found {
			points = append(points, dataPoint{float64(stamp.Unix()), sum})
		}
	}
	return points
}

// asked returns the series that answer one query: the total, and if requested its largest parts.
func (s *Service) asked(instance string, q query, w window) []series {
	name, statistic := split(q.Metric)
	of := statistics()[statistic]
	lines := slices.DeleteFunc(slices.Clone(s.series[name]), func(l *line) bool {
		return !l.matches(instance, q.Filter)
	})
	whole := slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return len(l.dimensions) > 0 })
	if len(whole) == 0 {
		whole = lines
	}
	all := []series{element(q.Metric, nil, w.told(of, whole...))}
	if q.GroupBy == nil {
		return all
	}
	var parts []series
	for _, l := range lines {
		if len(l.dimensions) > 0 {
			parts = append(parts, element(q.Metric, l.dimensions, w.told(of, l)))
		}
	}
	slices.SortStableFunc(parts, func(a, b series) int { return cmp.Compare(weight(b), weight(a)) })
	return append(all, parts[:min(len(parts), cmp.Or(q.GroupBy.Limit, mostParts))]...)
}

// mostParts bounds the parts of an answer if the query sets no limit.
const mostParts = 10

func element(metric string, dimensions map[string]string, points []dataPoint) series {
	e := series{DataPoints: points}
	e.Key.Metric, e.Key.Dimensions = metric, dimensions
	return e
}

func weight(e series) (sum float64) {
	for _, p := range e.DataPoints {
		sum += p.Value
	}
	return sum
}

// matches reports whether a line belongs to an instance and has all dimensions of a filter.
func (l *line) matches(instance string, filter map[string]string) bool {
	if l.instance != "" && l.instance != instance {
		return false
	}
	for k, v := range filter {
		if l.dimensions[k] != v {
			return false
		}
	}
	return true
}

// String describes a point in test messages.
func (p Point) String() string {
	return fmt.Sprintf("%s %v %s = %g", p.Metric, p.Dimensions, p.From.UTC().Format(time.RFC3339), p.Value)
}
