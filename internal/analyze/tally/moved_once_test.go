package tally

import (
	"math"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/lag"
)

// TestMovedOnce: a counter that moved once, 18 s after the first load began, has no step below 18 s. A growth that
// overflows is ignored.
func TestMovedOnce(t *testing.T) {
	stays := []stay{{Stay: lag.Stay{From: 2, End: 30}}}
	if p := movedOnce(20, 3, 5, stays); p.once != 3 || p.apart != 18*time.Second {
		t.Errorf("%+v", p)
	}
	if p := movedOnce(20, math.Inf(1), 5, stays); p.once != 0 {
		t.Errorf("%+v", p)
	}
}
