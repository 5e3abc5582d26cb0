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

// TestLastOfEachMetric: a metric that the last reading of a window lacks has the one before, and no more are kept.
func TestLastOfEachMetric(t *testing.T) {
	s := sieve.New(runfile.Run{Parameters: map[string]string{"interval": "1s"}})
	begin := time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)
	for i := 1; i <= 12*60*60; i++ {
		row := runfile.Row{At: begin.Add(time.Duration(i) * time.Second), Probe: "server", Names: []string{"a", "b", "c"},
			Values: []float64{float64(i), float64(i), float64(i)}}
		switch i % 4 {
		case 0:
			row.Names, row.Values = row.Names[1:], row.Values[1:]
		case 1:
			row.Names, row.Values = row.Names[:2], row.Values[:2]
		}
		s.Take(row)
	}
	size, last := 0, map[string]map[int64]time.Time{"a": {}, "b": {}, "c": {}}
	for row := range s.Rows {
		size++
		for _, name := range row.Names {
			last[name][s.Window(row.At)] = row.At
		}
	}
	if got := time.Duration(s.Length); got != time.Minute || size > 3*720 || s.Size > 300*size {
		t.Errorf("%d readings in windows of %s, %d bytes", size, got, s.Size)
	}
	for name, late := range map[string]time.Duration{"a": time.Second, "b": 0, "c": 0} {
		at := last[name][s.Window(begin.Add(time.Hour))]
		if !at.Equal(begin.Add(time.Hour-late)) || len(last[name]) != 720 {
			t.Errorf("%s: %s, in %d windows", name, at, len(last[name]))
		}
	}
}
