package reading

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/cli/command"
)

// sizeNeed sizes for a need that somebody says.
func sizeNeed(ctx context.Context, env command.Env, o SizeOptions) error {
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
	ask, err := o.Ask(ctx)
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
		"reads":   {&need.Reads, map[string]float64{"": 0.01, "%": 0.01}, -1, 1, "a share from 0 to 100 %"}, // without a unit not up to 1, which may be a part of one
		"flushes": {&need.Flushes, map[string]float64{"": 1}, -1, 1e9, "a number of flushes a second, without a unit"},
	}
	said := map[string]bool{}
	for _, part := range needParts(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		name = strings.ToLower(name)
		figure, known := figures[name]
		if !known {
			return need, fmt.Errorf("--need %q: NAME=NUMBER of iops, mbps, kb, reads and flushes, with commas between them: two of the first three are needed", part)
		}
		if said[name] {
			return need, fmt.Errorf("--need %s= is said twice", name)
		}
		said[name] = true
		if err := figure.read(value); err != nil {
			return need, fmt.Errorf("--need %s: %w", part, err)
		}
		if v, err := strconv.ParseFloat(strings.TrimSpace(value), 64); name == "reads" && err == nil && v > 0 && v <= 1 {
			return need, fmt.Errorf("--need %s: %g %% or %g %%? Write reads=%g%% or reads=%g%%", part, v, 100*v, v, 100*v)
		}
	}
	return need, nil
}

// needParts are the figures of a need. A comma that stands between thousands is of the number.
func needParts(text string) (parts []string) {
	for part := range strings.SplitSeq(text, ",") {
		if last := len(parts) - 1; last >= 0 && thousands.MatchString(part) && grouped.MatchString(parts[last]) {
			parts[last] += "," + part
			continue
		}
		parts = append(parts, part)
	}
	return parts
}

// thousands begin with three digits and end as a number may, and grouped is a number to which they can belong.
var (
	thousands = regexp.MustCompile(`^\d{3}(\.\d+)?[a-zA-Z%/]*$`)
	grouped   = regexp.MustCompile(`=\s*\d{1,3}(,\d{3})*$`)
)

// leastFigure is below whatever somebody means: what is less is a number of some other kind.
const leastFigure = 1e-9

// read takes a number with its unit.
func (f needFigure) read(text string) error {
	text = strings.ReplaceAll(text, ",", "") // between thousands
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
