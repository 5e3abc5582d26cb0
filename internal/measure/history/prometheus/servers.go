package prometheus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

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
	return fmt.Errorf(`%s has several servers at %s, which differ in %s (%s); pick one with %s '%s="…"'`, f.Exporter,
		f.Instance, label, listed([]string{a.labels[label], b.labels[label]}), flag, label)
}
