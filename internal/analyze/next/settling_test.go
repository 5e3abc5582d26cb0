package next

import (
	"strings"
	"testing"
	"time"
)

// TestSettling: nothing is settled before the second half of the time has shown nothing new,
// nor before twenty minutes.
func TestSettling(t *testing.T) {
	check := func(name, known string, want time.Duration) {
		t.Helper()
		s := &Settling{AtLeast: 20 * time.Minute}
		for after := 5 * time.Minute; after <= 3*time.Hour; after += 5 * time.Minute {
			now := string(known[min(len(known)-1, int(after/(5*time.Minute))-1)])
			why, settled := s.take(look{after, now, 1})
			if settled != (after >= want) {
				t.Fatalf("%s: after %v: %v (%s), want it from %v on", name, after, settled, why, want)
			}
			if settled {
				if !strings.Contains(why, "Metrics without a verdict: 1;") {
					t.Errorf("%s: %s", name, why)
				}
				return
			}
		}
	}
	check("never anything new", "a", 20*time.Minute)
	check("something after twenty minutes", "aaab", 40*time.Minute)
	check("something now and then", "abababab", 80*time.Minute)
}
