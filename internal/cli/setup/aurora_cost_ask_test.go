package setup

import (
	"testing"
	"time"
)

// TestStretches: a temporary instance's time is known to the hour, and a named day is a whole day.
func TestStretches(t *testing.T) {
	all, err := parseInstances([]string{"r=db.r6g.large@2026-10-01T08:00..2026-10-09",
		"r=db.r6g.large@2026-10-11..2026-10-11"})
	if err != nil || all[0].To.Sub(all[0].From) != 8*24*time.Hour+16*time.Hour ||
		all[1].To.Sub(all[1].From) != 24*time.Hour {
		t.Errorf("%v, %v", all, err)
	}
}
