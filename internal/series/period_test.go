package series_test

import (
	"testing"
	"time"

	"github.com/realiops/realiops/internal/series"
)

// TestPeriodsBeginWithTheEpoch: 1970-01-01T00:00:00Z is a boundary of every period, whatever its length.
func TestPeriodsBeginWithTheEpoch(t *testing.T) {
	check := func(at, period, down, up time.Duration) {
		t.Helper()
		moment := time.Unix(0, int64(at)).In(time.FixedZone("elsewhere", 1800))
		if got := series.PeriodDown(moment, period); !got.Equal(time.Unix(0, int64(down))) ||
			got.Location() != time.UTC {
			t.Errorf("%s down to %s: %s, want %s", at, period, got, down)
		}
		if got := series.PeriodUp(moment, period); !got.Equal(time.Unix(0, int64(up))) || got.Location() != time.UTC {
			t.Errorf("%s up to %s: %s, want %s", at, period, got, up)
		}
		if got := series.IntoPeriod(moment, period); got != at-down {
			t.Errorf("%s into %s: %s, want %s", at, period, got, at-down)
		}
	}
	const five = 5 * time.Minute
	check(0, five, 0, 0)
	check(five, five, five, five)
	check(five+1, five, five, 2*five)
	check(2*five-1, five, five, 2*five)
	// counted from the year 1 it would be another grid
	check(20*time.Second, 7*time.Second, 14*time.Second, 21*time.Second)
}
