package reading

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/cli/command"
)

func sizeNeed(ctx context.Context, env command.Env, o SizeOptions) error {
	need, err := parseNeed(o.need)
	if err != nil {
		return err
	}
	if need.Hours = o.hours; !(o.hours >= leastFigure && o.hours <= 24) {
		return fmt.Errorf("--hours %s: want hours of a day, above 0 and up to 24", strconv.FormatFloat(o.hours, 'f', -1, 64))
	}
	if err := o.check(); err != nil {
		return err
	}
	ask, err := o.Asked(ctx)
	if err != nil {
		return err
	}
	answer, err := sizing.SizeStated(ask, need)
	if err != nil {
		return fmt.Errorf("--need: %w", err)
	}
	return o.answer(env, answer)
}

// needFigure is one number of a need, with its units and their factors, and its other spellings.
type needFigure struct {
	to          *float64
	units       number.Units
	least, most float64
	written     string
}

// parseNeed parses a need: iops=3000,mbps=120MiB,reads=40%,flushes=900.
func parseNeed(text string) (sizing.Stated, error) {
	nan := math.NaN()
	need := sizing.Stated{Requests: nan, Bytes: nan, RequestSize: nan, Flushes: nan}
	const kib, mib = 1 << 10, 1 << 20
	inMega := number.Bytes(1).With(number.Units{"": 1e6})
	inKiB := number.Units{"": kib, "b": 1, "k": kib, "kb": kib, "kib": kib, "m": mib, "mb": mib, "mib": mib}
	share := number.Units{"": 0.01, "%": 0.01} // without a unit not up to 1, which may be a share
	figures := map[string]needFigure{
		"iops":    {&need.Requests, number.Counted(), 0, 1e9, "a number of requests a second"},
		"mbps":    {&need.Bytes, inMega, 0, 1e15, "a number, in MB of 10^6 bytes or with a unit, such as 120MiB"},
		"kb":      {&need.RequestSize, inKiB, 0, 1 << 40, "the size of a request, in KiB"},
		"reads":   {&need.Reads, share, -1, 1, "a share from 0 to 100%"},
		"flushes": {&need.Flushes, number.Counted(), -1, 1e9, "a number of flushes a second"},
	}
	seen := map[string]bool{}
	for _, part := range command.Figures(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		name = strings.ToLower(strings.TrimSpace(name))
		figure, known := figures[name]
		if name == "writes" {
			return need, fmt.Errorf("--need %s: give the share of reads instead, such as reads=70%%", part)
		}
		if !known {
			return need, fmt.Errorf("--need %q: want NAME=NUMBER of iops, mbps, kb, reads and flushes, separated by commas; "+
				"two of the first three are required", part)
		}
		if seen[name] {
			return need, fmt.Errorf("--need %s= is given twice", name)
		}
		seen[name] = true
		if err := figure.read(value); err != nil {
			return need, fmt.Errorf("--need %s: %w", part, err)
		}
		if v, err := strconv.ParseFloat(strings.TrimSpace(value), 64); name == "reads" && err == nil &&
			v > 0 && v <= 1 {
			return need, fmt.Errorf("--need %s: %g%% or %g%%? Write reads=%g%% or reads=%g%%", part, v, 100*v, v, 100*v)
		}
	}
	return need, nil
}

// leastFigure is below any plausible figure.
const leastFigure = 1e-9

func (f needFigure) read(text string) error {
	v, err := number.Read(strings.TrimSuffix(strings.TrimSpace(text), "/s"), f.units)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", f.written, err)
	case f.most == 1 && !(v >= 0 && v <= 1):
		return errors.New(f.written)
	case !(v > f.least && v <= f.most) || v < 0 || v > 0 && v < leastFigure:
		return fmt.Errorf("want a number above 0, at most %s", number.Grouped(f.most, 0))
	}
	*f.to = v
	return nil
}
