package document

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
)

// Size of a small picture, in its own units.
const (
	sparkWidth  = 90
	sparkHeight = 16
)

// spark returns a small picture of values for a cell, from 0 to the highest, with a text for screen readers; empty if
// no value is known.
func spark(values []float64) string {
	known := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(known) == 0 {
		return ""
	}
	highest := slices.Max(known)
	var path strings.Builder
	pen := "M"
	for i, v := range values {
		if math.IsNaN(v) {
			pen = "M"
			continue
		}
		x := sparkWidth * float64(i) / max(1, float64(len(values)-1))
		y := sparkHeight * (1 - v/max(highest, math.SmallestNonzeroFloat64))
		fmt.Fprintf(&path, "%s%.0f %.1f", pen, x, y)
		pen = "L"
	}
	return fmt.Sprintf(
		`<svg class="spark" role="img" viewBox="-1 -1 %d %d" preserveAspectRatio="none"><title>Highest %s</title><desc>%d values, from %s to %s</desc><path vector-effect="non-scaling-stroke" d="%s"/></svg>`,
		sparkWidth+2, sparkHeight+2, number.Rate(highest), len(known), number.Rate(slices.Min(known)),
		number.Rate(highest), path.String())
}
