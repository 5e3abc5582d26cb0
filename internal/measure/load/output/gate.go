package output

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Gate is a condition under which a load counts as failed: a figure, a comparison and a limit, as in «p99>20ms».
//
// Figures and how their limits are written:
//
//	achieved                            a part of the asked rate: 0.95 or 95%
//	tps rows/s statements/s             a number
//	mean p50 p90 p95 p99 p99.9 max lag  a time with its unit: us, ms or s
//	failed skipped late retried         a number of transactions, or a part of them: 1%
//
// The comparisons are <, <=, > and >=.
type Gate struct {
	Text string // as given

	figure, compare string
	limit           float64 // milliseconds for a time, from 0 to 1 for a share
	part            bool
}

// Verdict is the result of a gate.
type Verdict struct {
	Gate   Gate
	Value  float64 // milliseconds for a time, from 0 to 1 for a share
	Known  bool    // the figure was measured
	Failed bool    // set as well if the figure is unknown
}

var gateForm = regexp.MustCompile(`^([a-z0-9./]+)(<=|>=|<|>)([0-9]*\.?[0-9]+)(%|us|ms|s|)$`)

// The kinds of figures.
const (
	shares = "achieved"
	rates  = "tps rows/s statements/s"
	times  = "mean p50 p90 p95 p99 p99.9 max lag"
	counts = "failed skipped late retried"
)

func isOneOf(name, kind string) bool { return slices.Contains(strings.Fields(kind), name) }

// ParseGate parses one --fail-if.
func ParseGate(text string) (Gate, error) {
	m := gateForm.FindStringSubmatch(strings.ReplaceAll(text, " ", ""))
	if m == nil {
		return Gate{}, errors.New("want a figure, a comparison and a limit, such as 'p99>20ms' or 'achieved<0.95'")
	}
	limit, err := strconv.ParseFloat(m[3], 64)
	if err != nil {
		return Gate{}, err
	}
	g := Gate{Text: text, figure: m[1], compare: m[2], limit: limit}
	return g, g.setUnit(m[4])
}

// setUnit converts the limit to the unit of its figure.
func (g *Gate) setUnit(unit string) error {
	scale, isTime := map[string]float64{"us": 0.001, "ms": 1, "s": 1000}[unit]
	switch {
	case !isOneOf(g.figure, shares+" "+rates+" "+times+" "+counts):
		return fmt.Errorf("unknown figure %q; use one of %s", g.figure,
			strings.Join(strings.Fields(shares+" "+rates+" "+times+" "+counts), ", "))
	case isOneOf(g.figure, times) && !isTime:
		return fmt.Errorf("%s is a time and needs a unit: us, ms or s", g.figure)
	case isOneOf(g.figure, times):
		g.limit *= scale
	case isTime:
		return fmt.Errorf("%s is not a time", g.figure)
	case isOneOf(g.figure, rates) && unit == "%":
		return fmt.Errorf("%s takes a number, not a percentage", g.figure)
	case unit == "%":
		g.limit /= 100
	}
	g.part = unit == "%" || g.figure == shares
	return nil
}

// Judge applies the gate to a report.
func (g Gate) Judge(r Report) Verdict {
	value, known := g.measured(r)
	return Verdict{Gate: g, Value: value, Known: known, Failed: !known || g.holds(value)}
}

func (g Gate) holds(value float64) bool {
	switch g.compare {
	case "<":
		return value < g.limit
	case "<=":
		return value <= g.limit
	case ">":
		return value > g.limit
	default:
		return value >= g.limit
	}
}

func (g Gate) measured(r Report) (value float64, known bool) {
	t := r.Result.Totals
	switch g.figure {
	case "achieved":
		return r.achieved()
	case "tps":
		return r.perSecond(t.Transactions), r.seconds() > 0
	case "rows/s":
		return r.perSecond(t.Rows), r.seconds() > 0
	case "statements/s":
		return r.perSecond(t.Statements), r.seconds() > 0
	case "mean":
		return mean(t.Latency)
	case "lag":
		return mean(t.Lag)
	case "late":
		return g.count(t.Late, t.Transactions)
	case "failed":
		return g.count(t.Failed(), attempted(t))
	case "skipped":
		return g.count(t.Skipped, attempted(t))
	case "retried":
		return g.count(t.Retried, attempted(t))
	}
	for _, q := range quantiles() {
		if q.name == g.figure {
			return atQuantile(t.Latency, q.percent)
		}
	}
	return 0, false
}

// count returns n, or its share of a nonzero total.
func (g Gate) count(n, of int64) (value float64, known bool) {
	if g.part {
		return percent(n, of) / 100, of > 0
	}
	return float64(n), true
}

// String returns the result as a sentence.
func (v Verdict) String() string {
	switch {
	case !v.Known:
		return fmt.Sprintf("--fail-if '%s': not measured", v.Gate.Text)
	case isOneOf(v.Gate.figure, times):
		return fmt.Sprintf("--fail-if '%s': %s is %.3f ms", v.Gate.Text, v.Gate.figure, v.Value)
	case v.Gate.part:
		return fmt.Sprintf("--fail-if '%s': %s is %.4g (%.1f%%)", v.Gate.Text, v.Gate.figure, v.Value, 100*v.Value)
	default:
		return fmt.Sprintf("--fail-if '%s': %s is %g", v.Gate.Text, v.Gate.figure, v.Value)
	}
}
