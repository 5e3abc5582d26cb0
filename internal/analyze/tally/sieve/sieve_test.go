package sieve_test

import (
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/tally/sieve"
	"github.com/realiops/realiops/internal/runfile"
)

// TestWindowsOfADay: 86,400 readings make windows of five minutes, since there would be 1,440 of one. Each keeps
// its last reading, and a reading at a full hour belongs to the hour before.
func TestWindowsOfADay(t *testing.T) {
	s := sieve.New(runfile.Run{Parameters: map[string]string{"interval": "1s"}})
	begin := time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)
	for i := 1; i <= 24*60*60; i++ {
		s.Take(runfile.Row{At: begin.Add(time.Duration(i) * time.Second), Probe: "server", Names: []string{"server/n"}, Values: []float64{float64(i)}})
	}
	if got := time.Duration(s.Length); got != 5*time.Minute {
		t.Errorf("windows of %s", got)
	}
	kept := 0
	for row := range s.Rows {
		kept++
		if row.Values[0] != float64(300*kept) || !row.At.Equal(begin.Add(time.Duration(kept)*5*time.Minute)) {
			t.Fatalf("reading %v at %s is kept of window %d", row.Values[0], row.At, kept)
		}
	}
	if first, last, known := s.Span(); kept != 288 || last-first != 287 || !known {
		t.Errorf("%d readings in windows %d to %d", kept, first, last)
	}
}
