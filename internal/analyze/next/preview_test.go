package next

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
)

// TestPreviewsGetRarer: looks are a tenth of the time apart, so that a long observation is not analyzed over and over.
func TestPreviewsGetRarer(t *testing.T) {
	var p Preview
	var at []time.Duration
	for after := time.Duration(0); after <= 2*time.Minute; after += 10 * time.Second {
		if _, looked := p.Ask(after, func() (*counts.Run, error) { return &counts.Run{}, nil }); looked {
			at = append(at, after)
		}
	}
	// Asked every ten seconds: until 100 s a tenth is less than that, at 110 s it is 11.
	want := []time.Duration{30, 40, 50, 60, 70, 80, 90, 100, 110}
	for i := range want {
		want[i] *= time.Second
	}
	if !slices.Equal(at, want) {
		t.Errorf("it looked at %v, want %v", at, want)
	}
}

// TestPreviewAgreesWithReport for an observation of six sorts of work, and for an empty one.
func TestPreviewAgreesWithReport(t *testing.T) {
	run, err := tally.FromFile("../../../testdata/runs/observed-pg17.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	if text := see(run).String(); !strings.HasPrefix(text, "5 kinds of load; ") {
		t.Errorf("of the shipped observation it says %q", text)
	}
	if text := see(&counts.Run{}).String(); text != "no kind of load seen yet" {
		t.Errorf("of nothing it says %q", text)
	}
}
