package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// sizeNeed sizes for a need that somebody says.
func sizeNeed(ctx context.Context, env Env, o sizeOptions) error {
	said, err := parseNeed(o.need)
	if err != nil {
		return err
	}
	if said.Hours = o.hours; !(o.hours >= leastFigure && o.hours <= 24) {
		return fmt.Errorf("--hours %g: of a day, above 0 and up to 24", o.hours)
	}
	if err := o.check(); err != nil {
		return err
	}
	ask, err := o.ask(ctx)
	if err != nil {
		return err
	}
	answer, err := sizing.SizeStated(ask, said)
	if err != nil {
		return fmt.Errorf("--need: %w", err)
	}
	return o.answer(env, answer)
}

// needFigure is one number of a need: what may stand behind it, by how much it counts then, and how else it is written.
type needFigure struct {
	to          *float64
	units       map[string]float64
	least, most float64
	written     string
}

// parseNeed reads a need: iops=3000,mbps=120MiB,reads=40%,flushes=900.
func parseNeed(text string) (sizing.Stated, error) {
	nan := math.NaN()
	need := sizing.Stated{Requests: nan, Bytes: nan, RequestSize: nan, Flushes: nan}
	figures := map[string]needFigure{
		"iops":    {&need.Requests, map[string]float64{"": 1}, 0, 1e9, "a number of requests a second, without a unit"},
		"mbps":    {&need.Bytes, map[string]float64{"": 1e6, "MB": 1e6, "MiB": 1 << 20}, 0, 1e15, "a number, in MB of 10^6 bytes or with MiB behind it"},
		"kb":      {&need.RequestSize, map[string]float64{"": 1024, "KiB": 1024}, 0, 1 << 40, "the size of a request, in KiB"},
		"reads":   {&need.Reads, map[string]float64{"": 0.01, "%": 0.01}, -1, 1, "a share from 0 to 100 %"},
		"flushes": {&need.Flushes, map[string]float64{"": 1}, -1, 1e9, "a number of flushes a second, without a unit"},
	}
	said := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		figure, known := figures[strings.ToLower(name)]
		if !known {
			return need, fmt.Errorf("--need %s: NAME=NUMBER of iops, mbps, kb, reads and flushes, with commas between them", part)
		}
		if said[name] {
			return need, fmt.Errorf("--need %s= is said twice", name)
		}
		said[name] = true
		if err := figure.read(value); err != nil {
			return need, fmt.Errorf("--need %s: %w", part, err)
		}
	}
	return need, nil
}

// leastFigure is below whatever somebody means: what is less is a number of some other kind.
const leastFigure = 1e-9

// read takes a number with its unit.
func (f needFigure) read(text string) error {
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%/")
	if _, err := strconv.ParseFloat(text, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		digits = text // it may be written with letters
	}
	unit, known := f.units[strings.TrimSpace(strings.TrimPrefix(text, digits))]
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	switch v *= unit; {
	case !known || err != nil && !errors.Is(err, strconv.ErrRange):
		return errors.New(f.written)
	case f.most == 1 && !(v >= 0 && v <= 1):
		return errors.New(f.written)
	case !(v > f.least && v <= f.most) || v < 0 || v > 0 && v < leastFigure:
		return fmt.Errorf("a number above 0, at most %s", number.Grouped(f.most, 0))
	}
	*f.to = v
	return nil
}
