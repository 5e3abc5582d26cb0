package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// checkFigures holds figures that somebody was told against each other.
func checkFigures(env Env, text string) error {
	figures, err := parseFigures(text)
	if err != nil {
		return err
	}
	return report.CheckText(env.Out, figures, env.columns())
}

// parseFigures reads what was told: iops=489 kbps=62598 ms=62.1 queue=30 kb=4.
func parseFigures(text string) (sizing.Figures, error) {
	nan := math.NaN()
	f := sizing.Figures{Operations: nan, Bytes: nan, Latency: nan, Queue: nan, SaidSize: nan, CapIOPS: nan, CapBytes: nan}
	known := map[string]struct {
		to   *float64
		unit float64
	}{
		"iops": {&f.Operations, 1}, "kbps": {&f.Bytes, 1024}, "mbps": {&f.Bytes, 1e6}, "ms": {&f.Latency, 0.001},
		"queue": {&f.Queue, 1}, "kb": {&f.SaidSize, 1024}, "cap-iops": {&f.CapIOPS, 1}, "cap-mbps": {&f.CapBytes, 1e6},
	}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		name, value, _ := strings.Cut(strings.ToLower(part), "=")
		if name == "buffered" && value == "" {
			f.Buffered = true
			continue
		}
		field, found := known[name]
		v, err := strconv.ParseFloat(value, 64)
		if !found || err != nil || !(v >= 0 && v < 1e18) {
			return f, fmt.Errorf("--check %s: NAME=NUMBER of iops, kbps, mbps, ms, queue, kb, cap-iops, cap-mbps, and buffered", part)
		}
		*field.to = v * field.unit
	}
	return f, nil
}
