package collect

import (
	"testing"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// TestRestIsAskedFor: a run with an hour of rest is asked for with it, because sources that move in steps show what was done up to a
// step later.
func TestRestIsAskedFor(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for rest, want := range map[float64]Span{
		0:    {noon, noon.Add(time.Minute)},
		3600: {noon.Add(-time.Hour), noon.Add(61 * time.Minute)},
	} {
		f := &File{announced: map[string]bool{}}
		f.take(runfile.Run{Plan: runfile.Plan{RestSeconds: rest}})
		f.take(runfile.ArmEvent{At: noon, Arm: "bulk", Replicate: 1, Event: runfile.Begin})
		f.take(runfile.ArmEvent{At: noon.Add(time.Minute), Arm: "bulk", Replicate: 1, Event: runfile.End})
		if got := f.spanOf(nil); got != want {
			t.Errorf("with %g s of rest it is asked from %v to %v, want %v to %v", rest, got.From, got.To, want.From, want.To)
		}
	}
}
