package insightstest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	mostAdditional = 30
	longestElement = 500 // bytes of a statement
)

type keysRequest struct {
	ServiceType       string
	Identifier        string
	Metric            string
	StartTime         float64
	EndTime           float64
	PeriodInSeconds   *int
	GroupBy           *group
	PartitionBy       *group
	AdditionalMetrics []string
	MaxResults        *int
	NextToken         string
}

type group struct {
	Group string
	Limit int
}

type keysAnswer struct {
	AlignedStartTime float64
	AlignedEndTime   float64
	PartitionKeys    []partitionKey `json:",omitempty"`
	Keys             []dimensionKey
	NextToken        string `json:",omitempty"`
}

type partitionKey struct{ Dimensions map[string]string }

type dimensionKey struct {
	Dimensions        map[string]string
	Total             float64
	AdditionalMetrics map[string]float64 `json:",omitempty"`
	Partitions        []float64          `json:",omitempty"`
}

// keys answers DescribeDimensionKeys: the dimensions of a group by their mean over the whole time, the highest first.
func (s *Service) keys(r keysRequest) (any, *refusal) {
	if refused := s.admit(r.ServiceType, r.Identifier, r.MaxResults); refused != nil {
		return nil, refused
	}
	if refused := s.ranked(r); refused != nil {
		return nil, refused
	}
	w, refused := s.window(getRequest{StartTime: r.StartTime, EndTime: r.EndTime, PeriodInSeconds: r.PeriodInSeconds})
	if refused != nil {
		return nil, refused
	}
	if w.from.Before(s.now().AddDate(0, 0, -daysKept).Truncate(w.period)) {
		return nil, refuse("InvalidArgumentException", "The start time must be within the past 7 days")
	}
	name, _ := split(r.Metric)
	load := slices.DeleteFunc(slices.Clone(s.series[name]), func(l *line) bool { return !l.matches(r.Identifier, nil) })
	answer := keysAnswer{AlignedStartTime: float64(w.from.Unix()), AlignedEndTime: float64(w.to.Unix()),
		Keys: []dimensionKey{}}
	if r.PartitionBy != nil {
		for _, of := range dimensionsOf(load, *r.PartitionBy) {
			answer.PartitionKeys = append(answer.PartitionKeys, partitionKey{of})
		}
	}
	all := []dimensionKey{}
	for _, of := range dimensionsOf(load, *r.GroupBy) {
		k := dimensionKey{Dimensions: cut(of), Total: w.mean(load, of)}
		for _, part := range answer.PartitionKeys {
			both := maps.Clone(of)
			maps.Copy(both, part.Dimensions)
			k.Partitions = append(k.Partitions, w.mean(load, both))
		}
		for _, metric := range r.AdditionalMetrics {
			of, _ := split(metric)
			counted := s.series[of]
			if k.AdditionalMetrics == nil {
				k.AdditionalMetrics = map[string]float64{}
			}
			k.AdditionalMetrics[metric] = w.mean(counted,
				map[string]string{"db.sql_tokenized.id": k.Dimensions["db.sql_tokenized.id"]})
		}
		all = append(all, k)
	}
	slices.SortStableFunc(all, func(a, b dimensionKey) int { return cmp.Compare(b.Total, a.Total) })
	all = all[:min(len(all), cmp.Or(r.GroupBy.Limit, mostParts))]
	asked := r
	asked.NextToken = ""
	answer.Keys, answer.NextToken, refused = paged(all, asked, r.NextToken, s.pageOf(r.MaxResults))
	return answer, refused
}

// ranked rejects what keys cannot rank by or add.
func (s *Service) ranked(r keysRequest) *refusal {
	if r.Metric != "db.load.avg" && r.Metric != "db.sampledload.avg" {
		return refuse("InvalidArgumentException", "The metric "+r.Metric+" is not valid for this operation")
	}
	if r.GroupBy == nil {
		return invalid("groupBy", "Member must not be null")
	}
	for _, g := range []*group{r.GroupBy, r.PartitionBy} {
		switch {
		case g == nil:
		case !slices.Contains(groups(), g.Group):
			return refuse("InvalidArgumentException", "This group is not a known group: "+g.Group+
				" is not valid for current resource")
		case g.Limit < 0 || g.Limit > mostGroups:
			return invalid("groupBy", "Member must satisfy constraints of groupBy")
		}
	}
	if n := len(r.AdditionalMetrics); n > mostAdditional || n > 0 && r.GroupBy.Group != "db.sql_tokenized" {
		return invalid("additionalMetrics",
			fmt.Sprintf("Member must have length less than or equal to %d, of db.sql_tokenized", mostAdditional))
	}
	for _, metric := range r.AdditionalMetrics {
		name, statistic := split(metric)
		if statistic != "avg" || !slices.ContainsFunc(s.metrics, func(m Metric) bool { return m.Name == name }) {
			return refuse("InvalidArgumentException", "This metric is not a known metric: "+metric)
		}
	}
	return nil
}

// dimensionsOf returns the lines' dimensions of a group, each once.
func dimensionsOf(lines []*line, g group) (all []map[string]string) {
	for _, l := range lines {
		of := map[string]string{}
		for name, value := range l.dimensions {
			if strings.HasPrefix(name, g.Group+".") {
				of[name] = value
			}
		}
		if len(of) > 0 && !slices.ContainsFunc(all, func(m map[string]string) bool { return maps.Equal(m, of) }) {
			all = append(all, of)
		}
	}
	return all
}

// cut shortens long values, in the middle if necessary.
func cut(of map[string]string) map[string]string {
	short := map[string]string{}
	for name, value := range of {
		short[name] = strings.ToValidUTF8(value[:min(len(value), longestElement)], "")
	}
	return short
}

// mean returns the sum of the means of matching lines over the whole window. A period without a value is 0.
func (w window) mean(lines []*line, of map[string]string) (sum float64) {
	for _, l := range lines {
		if !l.matches("", of) {
			continue
		}
		for _, p := range w.told(statistics()["avg"], l) {
			sum += p.Value * w.period.Seconds() / w.to.Sub(w.from).Seconds()
		}
	}
	return sum
}
