package attribution_test

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
)

// TestKindOr: if neither of two verdicts has logical work, NotLogical is true of both; else nothing is.
func TestKindOr(t *testing.T) {
	const (
		logical, requested, physical = attribution.Logical, attribution.Requested, attribution.Physical
		mixed, not, open             = attribution.Mixed, attribution.NotLogical, attribution.CannotTell
	)
	for _, c := range []struct{ one, other, want attribution.Kind }{
		{logical, logical, logical}, {mixed, mixed, mixed}, {physical, physical, physical},
		{requested, physical, not}, {not, physical, not}, {not, requested, not},
		{logical, physical, open}, {logical, requested, open}, {logical, not, open}, {mixed, not, open},
		{mixed, physical, open}, {open, physical, open},
		{attribution.Silent, physical, open},
	} {
		if got, turned := c.one.Or(c.other), c.other.Or(c.one); got != c.want || turned != c.want {
			t.Errorf("%s or %s is %s, turned round %s, want %s", c.one, c.other, got, turned, c.want)
		}
	}
}
