package run

import (
	"strings"
	"testing"
	"time"
)

// A stopped process, or one whose machine slept, finds a gap between two looks.
func TestAStopIsFound(t *testing.T) {
	now := time.Now()
	check := func(name string, between time.Duration, found bool) {
		t.Helper()
		s := &stops{}
		s.look(now.Add(-between))
		if said := s.during(); strings.Contains(said, "stood still for 20 s") != found || (said == "") == found {
			t.Errorf("%s: %q", name, said)
		}
	}
	check("stopped for 20 s", 20*time.Second, true)
	check("a busy machine", 2*time.Second, false)
	asleep := &stops{last: now.Add(-time.Hour).Round(0)} // without a monotonic clock, as if it had stood still
	asleep.look(now)
	if said := asleep.during(); !strings.Contains(said, "stood still for 3600 s") {
		t.Errorf("asleep: %q", said)
	}
	s := &stops{last: now.Add(-20 * time.Second)}
	s.begin()
	if said := s.during(); said != "" {
		t.Errorf("before the load: %q", said)
	}
	s.worker(time.Second)
	if said := s.during(); said != "" {
		t.Errorf("a worker of a busy machine: %q", said)
	}
	s.worker(7 * time.Second)
	if said := s.during(); !strings.Contains(said, "a worker process of the load stood still for 7 s") {
		t.Errorf("a worker that was stopped: %q", said)
	}
}
