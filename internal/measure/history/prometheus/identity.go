package prometheus

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/fleet"
)

// scrapeLabels describe the scrape. If only they change, the target is the same.
var scrapeLabels = []string{"job", "endpoint", "service", "container", "prometheus", "monitor", "scrape_job",
	"exported_job", "version", "short_version"}

// exporterLabels name the exporter, which for some shapes has its own pod.
var exporterLabels = []string{"pod", "namespace"}

// federatedLabel has the address of the scraped target if a Prometheus federated the series from another,
// whose address is the instance then.
const federatedLabel = "exported_" + instanceLabel

func instanceOf(set labelSet) string { return cmp.Or(set[federatedLabel], set[instanceLabel]) }

func (s shape) ofScrape(l string) bool {
	return slices.Contains(scrapeLabels, l) || s.probe != "" && slices.Contains(exporterLabels, l) ||
		s.label == federatedLabel && l == instanceLabel
}

// namingLabels distinguish several of the same kind, the plainest first.
var namingLabels = []string{"cluster", "account_id", "aws_account_id", "account", "region", "aws_region",
	"namespace", "environment", "env", "project", "datacenter", "dc", "pod", "name"}

// copyOf is a set of labels under which a target was scraped, without those of replicas and
// parts, and its values each hour.
type copyOf struct {
	labels labelSet
	rates  []map[instant]float64 // by the queries of its shape
	values map[instant]float64   // of a counter
}

// distinct returns the label sets of series without the labels of replicas and parts.
func (s shape) distinct(sets []labelSet) (all []copyOf) {
	known := map[string]bool{}
	for _, set := range sets {
		if own := s.own(set); !known[own.String()] {
			known[own.String()] = true
			all = append(all, copyOf{labels: own})
		}
	}
	slices.SortFunc(all, func(a, b copyOf) int { return strings.Compare(a.labels.String(), b.labels.String()) })
	return all
}

func (s shape) own(set labelSet) labelSet {
	own := maps.Clone(set)
	for _, l := range slices.Concat([]string{metricName, "direction", "db_namespace"}, strings.Split(s.per, ","),
		replicaLabels) {
		delete(own, l)
	}
	return own
}

// apart groups the series of one name: a group is the same database, scraped several times or under changed labels.
// It queries values only if there are several groups.
func (f *Fleet) apart(ctx context.Context, s shape, byName map[string][]labelSet) (map[string][][]copyOf, error) {
	groups, several := map[string][][]copyOf{}, []string{}
	copies := map[string][]copyOf{}
	for name, sets := range byName {
		copies[name] = s.distinct(sets)
		if len(copies[name]) > 1 {
			several = append(several, name)
			continue
		}
		groups[name] = [][]copyOf{copies[name]}
	}
	slices.Sort(several)
	for chunk := range slices.Chunk(several, f.AtOnce()) {
		var all []copyOf
		for _, name := range chunk {
			all = append(all, copies[name]...)
		}
		if err := f.show(ctx, s, all); err != nil {
			return nil, err
		}
		for _, name := range chunk { // copies of a name share elements with the list of all
			n := len(copies[name])
			s.named = f.chosen(all[0].labels)
			groups[name] = s.grouped(all[:n])
			all = all[n:]
		}
	}
	return groups, nil
}

// show queries the values of some copies, hour by hour.
func (f *Fleet) show(ctx context.Context, s shape, all []copyOf) error {
	place := map[string]int{}
	var values []string
	for i, c := range all {
		place[c.labels.String()] = i
		values = append(values, c.labels[s.label])
	}
	matcher := anyOf(s.label, values)
	ask := func(query, name string) ([]map[instant]float64, error) {
		shown := make([]map[instant]float64, len(all))
		matrix, err := f.rangeOf(ctx, s.query(query, nil, []string{matcher, f.matchers(s)}, name),
			f.query.From, f.query.To)
		if err != nil {
			return nil, err
		}
		for _, stream := range matrix {
			i, known := place[s.own(stream.Metric).String()]
			if !known {
				continue
			}
			shown[i] = map[instant]float64{}
			for _, v := range stream.Values {
				shown[i][v.Timestamp] = v.Value
			}
		}
		return shown, nil
	}
	query := hourlyMean
	if s.counts != "" {
		query = hourlyRate
		shown, err := ask(hourlyValue, s.counts)
		if err != nil {
			return err
		}
		for i := range all {
			all[i].values = shown[i]
		}
	}
	for _, name := range s.copies {
		shown, err := ask(query, name)
		if err != nil {
			return err
		}
		for i := range all {
			all[i].rates = append(all[i].rates, shown[i])
		}
	}
	return nil
}

// grouped joins copies of the same database.
func (s shape) grouped(all []copyOf) (groups [][]copyOf) {
	for _, c := range all {
		i := slices.IndexFunc(groups, func(g []copyOf) bool {
			return !slices.ContainsFunc(g, func(other copyOf) bool { return !s.same(c, other) })
		})
		if i < 0 {
			groups = append(groups, []copyOf{c})
			continue
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

const (
	agreeing   = 0.02 // relative difference between replicas, which scrape a few seconds apart
	agreesMost = 0.9  // share of the hours in which they must agree
	inAnHour   = 0.1  // of an hour
	atLeast    = 0.05 // per second; less counts as nothing
)

// same reports whether two copies are of the same database.
func (s shape) same(a, b copyOf) bool {
	together, idle := 0, true
	for i := range a.rates {
		n, nothing, agree := agree(a.rates[i], b.rates[i])
		if !agree {
			return false
		}
		together, idle = together+n, idle && nothing
	}
	switch {
	case together == 0:
		return s.named || s.follow(a, b)
	case s.counts == "": // two idle copies always agree
		_, naming := s.differ(a, b)
		return !idle || !naming
	}
	// Two copies of one counter differ by less than an hour's growth.
	common, off := 0, 0
	for at, v := range a.values {
		w, both := b.values[at]
		if !both {
			continue
		}
		common++
		if grown := max(a.rates[len(a.rates)-1][at], b.rates[len(b.rates)-1][at]) * time.Hour.Seconds(); math.Abs(v-w) >
			max(grown, 1) {
			off++
		}
	}
	return float64(off) <= (1-agreesMost)*float64(common)
}

// agree compares rates in the hours that both have.
func agree(a, b map[instant]float64) (hours int, idle, agree bool) {
	sumA, sumB, alike := 0.0, 0.0, 0
	for at, v := range a {
		w, both := b[at]
		if !both {
			continue
		}
		hours++
		sumA, sumB = sumA+v, sumB+w
		if math.Abs(v-w) <= max(inAnHour*max(v, w), atLeast) {
			alike++
		}
	}
	n := float64(hours)
	return hours, max(sumA, sumB) <= atLeast*n, math.Abs(sumA-sumB) <= max(agreeing*max(sumA, sumB), atLeast*n) &&
		float64(alike) >= agreesMost*n
}

// follow reports whether one of two copies that never overlap continues the other.
func (s shape) follow(a, b copyOf) bool {
	switch others, naming := s.differ(a, b); {
	case !others:
		return true
	case s.counts == "":
		return !naming
	}
	return goesOn(a, b) || goesOn(b, a)
}

// differ reports whether labels other than a scrape's differ, and whether naming labels do.
func (s shape) differ(a, b copyOf) (others, naming bool) {
	for _, c := range []copyOf{a, b} {
		for l := range c.labels {
			if a.labels[l] != b.labels[l] && !s.ofScrape(l) {
				others, naming = true, naming || slices.Contains(namingLabels, l)
			}
		}
	}
	return others, naming
}

// goesOn reports whether one counter continues the other.
func goesOn(a, b copyOf) bool {
	var last, first instant
	fastest := 0.0
	for at := range a.values {
		last = max(last, at)
	}
	for at := range b.values {
		if first == 0 || at < first {
			first = at
		}
	}
	if first <= last || last == 0 {
		return false
	}
	for _, rates := range []map[instant]float64{a.rates[len(a.rates)-1], b.rates[len(b.rates)-1]} {
		for _, v := range rates {
			fastest = max(fastest, v)
		}
	}
	const slack = 1.1
	grown := b.values[first] - a.values[last]
	return a.values[last] > 0 && grown >= 0 && grown <= slack*fastest*first.Time().Sub(last.Time()).Seconds()
}

// distinguishing returns the labels that distinguish groups: a single one if possible, or nil if none do.
func distinguishing(groups [][]copyOf) []string {
	names := map[string]bool{}
	for _, g := range groups {
		for _, c := range g {
			for l := range c.labels {
				names[l] = true
			}
		}
	}
	var differ []string
	for _, l := range slices.SortedFunc(maps.Keys(names), plainer) {
		if disjoint(groups, l) {
			return []string{l}
		}
		if len(valuesOf(flat(groups), l)) > 1 {
			differ = append(differ, l)
		}
	}
	if disjoint(groups, differ...) {
		return differ
	}
	return nil
}

// plainer orders labels by how plainly they name a server.
func plainer(a, b string) int {
	rank := func(l string) int {
		if i := slices.Index(namingLabels, l); i >= 0 {
			return i
		}
		if slices.Contains(scrapeLabels, l) {
			return len(namingLabels) + 1
		}
		return len(namingLabels)
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}

func flat(groups [][]copyOf) (sets []labelSet) {
	for _, g := range groups {
		for _, c := range g {
			sets = append(sets, c.labels)
		}
	}
	return sets
}

// disjoint reports whether no two groups share values of the labels.
func disjoint(groups [][]copyOf, labels ...string) bool {
	of := map[string]int{}
	for i, g := range groups {
		for _, c := range g {
			key := tuple(c.labels, labels)
			if j, known := of[key]; known && j != i {
				return false
			}
			of[key] = i
		}
	}
	return true
}

func tuple(set labelSet, labels []string) string {
	var values []string
	for _, l := range labels {
		values = append(values, set[l])
	}
	return strings.Join(values, "\x00")
}

// rangeOf queries a value at the end of each hour.
func (f *Fleet) rangeOf(ctx context.Context, query string, from, to time.Time) ([]*sampleStream, error) {
	within, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	found, warnings, err := f.store.source.hourly(within, query, from.Add(time.Hour), to)
	if err != nil {
		return nil, f.store.explain(ctx, err)
	}
	if len(warnings) > 0 {
		return nil, fmt.Errorf("%w: %s", fleet.ErrPartly, strings.Join(warnings, "; "))
	}
	if found.Type != matrix {
		return nil, fmt.Errorf("%s returned a %s instead of hours", f.store.host, found.kind())
	}
	return found.Series, nil
}
