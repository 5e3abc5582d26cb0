package prometheus

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// apart returns the labels by which two series of a metric differ, but for those of what adds up.
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

// oneServer leaves out series that repeat another's. Those that are there together and differ are of several servers.
func oneServer(f Found, parts []*part) ([]*part, error) {
	slices.SortStableFunc(parts, func(a, b *part) int { return cmp.Compare(len(b.values), len(a.values)) })
	var distinct []*part
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
				return slices.Contains(namingLabels, l)
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

// sameRow reports whether two series do not add up.
func (p *part) sameRow(other *part, row Row) bool {
	return row.Sum == "" || !slices.ContainsFunc(strings.Split(row.Sum, ","), func(l string) bool {
		return p.labels[l] != other.labels[l]
	})
}

func severalServers(f Found, a, b *part, differ []string) error {
	flag := "--server"
	if ofHost(f.Exporter) {
		flag = "--host"
	}
	rank := func(l string) int {
		if i := slices.Index(namingLabels, l); i >= 0 {
			return i
		}
		return len(namingLabels)
	}
	label := slices.MinFunc(differ, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	return fmt.Errorf(`%s has several servers at %s, which differ in %s (%s): name one with %s '%s="…"'`,
		f.Exporter, f.Instance, label, listed([]string{a.labels[label], b.labels[label]}), flag, label)
}

// beside reports whether two series were there together, for more than a moment in which one replaced the other.
func (p *part) beside(other *part) bool {
	begin, end := p.span()
	otherBegin, otherEnd := other.span()
	const moment = 5 * 60_000
	return min(end, otherEnd)-max(begin, otherBegin) > moment || len(p.values) > 1 && len(other.values) > 1 &&
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

// follows reports whether a series is another one, scraped at other moments: each of its values lies between those of
// the other before and after it, or close by.
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
