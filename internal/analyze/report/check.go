package report

import (
	"fmt"
	"io"
	"math"

	"github.com/realiops/realiops/internal/analyze/sizing"
)

// CheckText says what does not go together among figures that somebody was told.
func CheckText(w io.Writer, f sizing.Figures, width int) error {
	width = max(width, narrowest)
	var lines []string
	for _, found := range f.Check() {
		lines = append(lines, bulleted("! ", found.Text+".", width))
	}
	if len(lines) == 0 {
		lines = append(lines, "Nothing here contradicts anything else.")
	}
	if !math.IsNaN(f.Latency) {
		lines = append(lines, fmt.Sprintf("Latency: %s.", sizing.DefaultBands().Of(f.Latency)))
	}
	if !math.IsNaN(f.Queue) {
		lines = append(lines, fmt.Sprintf("Queue: %s, if that is one disk's.", sizing.QueueBand(f.Queue)))
	}
	return write(w, []string{joined(lines...)})
}
