package reading

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/sizing/figures"
	"github.com/realiops/realiops/internal/cli/command"
)

func checkFigures(env command.Env, o SizeOptions) error {
	checked, err := parseFigures(o.checked)
	if err != nil {
		return err
	}
	rules, err := figures.ParseRules(o.latencyBands, o.queueBands)
	if err != nil {
		return fmt.Errorf("--latency-bands, --queue-bands: %w", err)
	}
	return env.Write(sizes.Check(checked, rules))
}

// figureNames lists the names of figures: consoles', and the columns of iostat.
const figureNames = "iops, kbps, mbps, ms, queue, kb, cap-iops, cap-mbps, r/s, w/s, rkB/s, wkB/s, " +
	"r_await, w_await, aqu-sz"

// parseFigures parses reported figures: iops=489 kbps=62598 ms=62.1 queue=30 kb=4.
func parseFigures(text string) (figures.Figures, error) {
	f := figures.None()
	known := map[string]struct {
		to   *float64
		unit float64
	}{
		"iops": {&f.Operations, 1}, "kbps": {&f.Bytes, 1024}, "mbps": {&f.Bytes, 1e6}, "ms": {&f.Latency, 0.001},
		"r/s": {&f.Reads.Operations, 1}, "rkb/s": {&f.Reads.Bytes, 1024}, "r_await": {&f.Reads.Latency, 0.001},
		"w/s": {&f.Writes.Operations, 1}, "wkb/s": {&f.Writes.Bytes, 1024}, "w_await": {&f.Writes.Latency, 0.001},
		"queue": {&f.Queue, 1}, "aqu-sz": {&f.Queue, 1},
		"kb": {&f.SaidSize, 1024}, "cap-iops": {&f.CapIOPS, 1}, "cap-mbps": {&f.CapBytes, 1e6},
	}
	names := map[*float64]string{}
	for _, part := range command.Figures(text) {
		name, value, _ := strings.Cut(part, "=")
		name = strings.ToLower(name)
		if name == "buffered" && value == "" {
			f.Buffered = true
			continue
		}
		field, found := known[name]
		v, err := number.Read(value, number.Counted())
		if !found || err != nil || !(v == 0 || v >= leastFigure && v < 1e18) {
			return f, fmt.Errorf("--check %s: want NAME=NUMBER of %s, or buffered", part, figureNames)
		}
		switch other, twice := names[field.to]; {
		case twice && other == name:
			return f, fmt.Errorf("--check %s= is given twice", name)
		case twice:
			return f, fmt.Errorf("--check %s= and %s= are the same; leave one out", name, other)
		}
		*field.to, names[field.to] = v*field.unit, name
	}
	return f, nil
}
