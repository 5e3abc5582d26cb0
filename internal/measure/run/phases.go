package run

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// phases adds up how long each kind of work takes.
type phases struct {
	now   string // the kind that goes on; empty: none does yet
	since time.Time
	took  map[string]time.Duration
}

// enter ends the kind that goes on and begins another, which is a load where the name is empty.
func (p *phases) enter(doing string, at time.Time) {
	if p.took == nil {
		p.took = map[string]time.Duration{}
	}
	if p.now != "" {
		p.took[p.now] += at.Sub(p.since)
	}
	if doing == "" {
		doing = "loads"
	}
	p.now, p.since = doing, at
}

// String lists the kinds, the longest first.
func (p *phases) String() string {
	names := slices.SortedFunc(maps.Keys(p.took), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.took[b], p.took[a]), strings.Compare(a, b))
	})
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("%s %.1f s", name, p.took[name].Seconds())
	}
	return strings.Join(parts, ", ")
}
