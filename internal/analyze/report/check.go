package report

import (
	"fmt"
	"io"
	"math"

	"github.com/realiops/realiops/internal/analyze/sizing"
)

// CheckText says what does not go together among figures that somebody was told, and how good they are by rules.
func CheckText(w io.Writer, f sizing.Figures, rules sizing.Rules, width int) error {
	width = max(width, narrowest)
	var lines []string
	for _, found := range f.Check() {
		lines = append(lines, bulleted("! ", found.Text+".", width))
	}
	if len(lines) == 0 {
		lines = append(lines, "Nothing here contradicts anything else.")
	}
	for _, of := range []struct {
		what    string
		latency float64
	}{{"Latency", f.Latency}, {"Latency of reads", f.Reads.Latency}, {"Latency of writes", f.Writes.Latency}} {
		if !math.IsNaN(of.latency) {
			lines = append(lines, fmt.Sprintf("%s: %s.", of.what, rules.Latency.Of(of.latency)))
		}
	}
	if !math.IsNaN(f.Queue) {
		lines = append(lines, fmt.Sprintf("Queue: %s, if that is one disk's.", rules.Queue.Of(f.Queue)))
	}
	return write(w, []string{joined(lines...)})
}
