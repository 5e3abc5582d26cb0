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
	now   string // the current kind; empty: none yet
	since time.Time
	took  map[string]time.Duration
}

// enter ends the current kind and begins another; an empty name is a load.
func (p *phases) enter(doing string, at time.Time) {
	if p.took == nil {
		p.took = map[string]time.Duration{}
	}
	if p.now != "" {
		p.took[p.now] += at.Sub(p.since)
	}
	p.now, p.since = cmp.Or(doing, "loads"), at
}

// String lists the kinds with their time, longest first.
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
