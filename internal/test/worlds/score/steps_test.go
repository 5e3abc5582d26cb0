package score

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/worlds"
)

// TestSteps: a counter that moves in steps is named, or the verdict says which loads would suffice, for any length of
// steps and loads.
func TestSteps(t *testing.T) {
	t.Parallel()
	plan := experiment.Identify()
	for i, length := range []float64{5, 30, 60} {
		for k, step := range []float64{15, 60, 300} {
			p := worlds.Plan{Plan: plan, Length: length, Steps: step, Background: 100}
			cases, err := Judged(byTheMethod, worlds.NewOf(uint64(99_000+10*i+k), p, flagship()), "")
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cases {
				if c.Meter.Rule.Terms[0].Quantity == metric.PagesMissed {
					continue // loads that only write move none
				}
				var why strings.Builder
				why.WriteString(c.Verdict.Why)
				for _, w := range c.Verdict.Warnings {
					why.WriteString(" " + w.Text)
				}
				how := regexp.MustCompile(`[Ll]oads of (\d+) s (or longer )?would tell`).FindStringSubmatch(
					why.String())
				told := c.stated() && c.Verdict.Kind != attribution.Silent && c.Wrong() == ""
				// it moved between them
				seldom := strings.Contains(why.String(), "in the run but by at most 0 in any repetition") ||
					c.Verdict.Kind == attribution.Silent && !everMoved(c)
				switch {
				case told, seldom:
				case how != nil && near(how[1], 3*step, how[2] != ""):
				default:
					t.Errorf("loads of %g s, steps of %g s, %s: %s", length, step, c.Meter.Name, c.said())
				}
			}
		}
	}
}

// near reports whether the suggested loads are as long as three steps, to within two readings per step; for a meter
// that moved once, nobody knows.
func near(seconds string, want float64, atLeast bool) bool {
	got, err := strconv.ParseFloat(seconds, 64)
	return err == nil && (atLeast && got > 0 || math.Abs(got-want) <= 6)
}

// everMoved reports whether the readings of a meter show that it moved.
func everMoved(c Case) bool {
	var values []float64
	for _, r := range c.World.Records() {
		if r, is := r.(runfile.Reading); is {
			if v, has := r.Values[c.Meter.Name]; has {
				values = append(values, v)
			}
		}
	}
	return len(values) > 0 && slices.Max(values) > slices.Min(values)
}
