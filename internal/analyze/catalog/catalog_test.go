package catalog_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/metric"
)

// TestSourcesAreUsed: every source of limits, prices and meanings exists, and there are no others.
func TestSourcesAreUsed(t *testing.T) {
	used := map[string]bool{}
	for _, m := range metric.Meanings() {
		for _, key := range m.Sources {
			used[key] = true
		}
		for _, s := range m.Shown {
			used[s.Source] = true
		}
	}
	for _, e := range metric.Dictionary() {
		for _, key := range e.Sources {
			used[key] = true
		}
	}
	for _, key := range soldBy(t) {
		used[key] = true
		if _, known := metric.SourceOf(key); !known {
			t.Errorf("no source %q", key)
		}
	}
	for _, s := range metric.Sources() {
		if !used[s.Key] || s.Title == "" || !strings.HasPrefix(s.Address, "https://") ||
			!regexp.MustCompile(`^20\d\d(-\d\d){0,2}$`).MatchString(s.State) {
			t.Errorf("source %+v: not used, or not whole", s)
		}
	}
}

// soldBy returns the sources of limits and prices.
func soldBy(t *testing.T) []string {
	t.Helper()
	volumes, instances, prices, rules := catalog.Volumes(), catalog.Instances(), catalog.Prices(), catalog.DistributedRules()
	var keys []string
	for _, r := range rules {
		keys = append(keys, r.Sources...)
	}
	for _, v := range volumes {
		keys = append(keys, v.Sources...)
	}
	for _, i := range instances {
		keys = append(keys, i.Sources...)
	}
	for _, p := range prices {
		keys = append(keys, p.Source)
	}
	return keys
}
