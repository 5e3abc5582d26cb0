package prometheus

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/printable"
)

// part is one of several series that add up, without the labels of replicas of a Prometheus.
type part struct {
	labels labelSet
	values map[int64]float64
}

// sortedParts merges replicas: it takes the one with most samples, and fills its holes from the others.
func sortedParts(parts map[string]*part) (all []*part) {
	replicas := map[string][]string{} // keys by labels
	for _, key := range slices.Sorted(maps.Keys(parts)) {
		_, whole, _ := strings.Cut(key, "\x00")
		replicas[whole] = append(replicas[whole], key)
	}
	for _, whole := range slices.Sorted(maps.Keys(replicas)) {
		keys := replicas[whole]
		slices.SortStableFunc(keys, func(a, b string) int {
			return cmp.Compare(len(parts[b].values), len(parts[a].values))
		})
		for _, other := range keys[1:] {
			parts[keys[0]].fill(parts[other])
		}
		all = append(all, parts[keys[0]])
	}
	return all
}

// fill adds samples of another replica where p has none within three quarters of its usual interval.
func (p *part) fill(other *part) {
	own := slices.Sorted(maps.Keys(p.values))
	var apart []time.Duration
	for i := range max(0, len(own)-1) {
		apart = append(apart, time.Duration(own[i+1]-own[i])*time.Millisecond)
	}
	clear := 3 * usualInterval(apart).Milliseconds() / 4
	for at, v := range other.values {
		i, found := slices.BinarySearch(own, at)
		if !found && (i == 0 || at-own[i-1] > clear) && (i == len(own) || own[i]-at > clear) {
			p.values[at] = v
		}
	}
}

// apart returns the labels by which two series of a metric differ, except those to add up over.
func (p *part) apart(other *part, row Row) (differ []string) {
	for _, labels := range []labelSet{p.labels, other.labels} {
		for l := range labels {
			if p.labels[l] != other.labels[l] && !slices.Contains(differ, l) && !row.adds(l) && l != "datid" {
				differ = append(differ, l)
			}
		}
	}
	slices.Sort(differ)
	return differ
}

// sameRow reports whether two series do not add up.
func (p *part) sameRow(other *part, row Row) bool {
	return row.Sum == "" || !slices.ContainsFunc(strings.Split(row.Sum, ","), func(l string) bool {
		return p.labels[l] != other.labels[l]
	})
}

// aMoment is the longest replacement or hole of a series in milliseconds: as long as Prometheus looks back.
const aMoment = 5 * 60_000

// skipped returns the moments at which p briefly had no valid sample, between two of the same counter.
func (p *part) skipped(moments []int64) (all []int64) {
	own := slices.Sorted(maps.Keys(p.values))
	for i := range max(0, len(own)-1) {
		from, to := own[i], own[i+1]
		if to-from > aMoment || p.values[to] < p.values[from] {
			continue
		}
		at, _ := slices.BinarySearch(moments, from+1)
		for ; at < len(moments) && moments[at] < to; at++ {
			all = append(all, moments[at])
		}
	}
	return all
}

// beside reports whether two series existed together, for more than the moment of a replacement.
func (p *part) beside(other *part) bool {
	begin, end := p.span()
	otherBegin, otherEnd := other.span()
	return min(end, otherEnd)-max(begin, otherBegin) > aMoment || len(p.values) > 1 && len(other.values) > 1 &&
		begin == otherBegin && end == otherEnd
}

func (p *part) span() (begin, end int64) {
	for at := range p.values {
		if begin == 0 || at < begin {
			begin = at
		}
		end = max(end, at)
	}
	return begin, end
}

// follows reports whether two series are the same, scraped at different times: each value of p lies between
// other's neighbors, or nearly so.
func (p *part) follows(other *part) bool {
	moments := slices.Sorted(maps.Keys(other.values))
	off, of := 0, 0
	for at, v := range p.values {
		i, _ := slices.BinarySearch(moments, at)
		low, high := max(0, i-1), min(len(moments)-1, i+1)
		if i == 0 && moments[0] != at || i == len(moments) {
			continue
		}
		of++
		least, most := other.values[moments[low]], other.values[moments[high]]
		if slack := 1e-9 * max(v, most); v < least-slack || v > most+slack {
			off++
		}
	}
	return float64(off) <= (1-agreesMost)*float64(of)
}

// oneServer drops series that repeat another's. Different concurrent series mean several servers, an error.
func oneServer(f Found, parts []*part) (distinct []*part, err error) {
	slices.SortStableFunc(parts, func(a, b *part) int { return cmp.Compare(len(b.values), len(a.values)) })
	for _, p := range parts {
		again := false
		for _, other := range distinct {
			differ := p.apart(other, f.Row)
			if len(differ) == 0 || !p.beside(other) {
				continue
			}
			switch sameRow := p.sameRow(other, f.Row); {
			case sameRow && p.follows(other):
				again = true
			case sameRow || slices.ContainsFunc(differ, func(l string) bool {
				return l == instanceLabel || slices.Contains(namingLabels, l)
			}):
				return nil, severalServers(f, p, other, differ)
			}
		}
		if !again {
			distinct = append(distinct, p)
		}
	}
	slices.SortFunc(distinct, func(a, b *part) int { return strings.Compare(a.labels.String(), b.labels.String()) })
	return distinct, nil
}

func severalServers(f Found, a, b *part, differ []string) error {
	flag := "--server"
	if ofHost(f.Exporter) {
		flag = "--host"
	}
	label := slices.MinFunc(differ, plainer)
	return fmt.Errorf(`%s has several servers at %s, which differ in %s (%s); pick one with %s '%s="…"'`, f.Exporter,
		f.Instance, label, printable.Listed([]string{a.labels[label], b.labels[label]}), flag, label)
}
