package run

import (
	"testing"
	"time"
)

func TestPhases(t *testing.T) {
	start := time.Date(2026, 11, 26, 7, 0, 0, 0, time.UTC)
	var p phases
	for _, step := range []struct {
		doing string
		after time.Duration
	}{
		{"creating the table", 0}, {"checkpoint", 500 * time.Millisecond}, {"", 700 * time.Millisecond},
		{"checkpoint", 2700 * time.Millisecond},
		{"creating the table", 3 * time.Second}, {"", 3600 * time.Millisecond}, {"checkpoint", 5600 * time.Millisecond},
	} {
		p.enter(step.doing, start.Add(step.after))
	}
	p.enter("", start.Add(6*time.Second))
	// 0.5 + 0.6 of tables, 0.2 + 0.3 + 0.4 of checkpoints, 2 + 2 of loads
	if got, want := p.String(), "loads 4.0 s, creating the table 1.1 s, checkpoint 0.9 s"; got != want {
		t.Errorf("the phases are %q, want %q", got, want)
	}
}
