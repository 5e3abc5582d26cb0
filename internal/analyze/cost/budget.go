package cost

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Budget is the most that one count may come to.
type Budget struct {
	Name string  `json:"name"`
	Max  float64 `json:"max"`
	Per  string  `json:"per"` // run, or transaction
	Text string  `json:"text"`
}

// What a budget is for.
const (
	PerRun         = "run"
	PerTransaction = "transaction"
)

// Verdict is what can be said of a budget.
type Verdict string

// The verdicts. That something cannot be told is never taken for a pass.
const (
	Over       Verdict = "over"
	Within     Verdict = "within"
	CannotTell Verdict = "cannot tell"
)

// Judged is a budget and what became of it.
type Judged struct {
	Budget
	Verdict Verdict `json:"verdict"`
	Value   float64 `json:"value"` // the median
	Why     string  `json:"why,omitempty"`
}

// ParseBudgets reads a list such as own_wal_bytes=24KiB,wal_fsyncs=3,rows=1/tx: k is 1,000 and Ki 1,024.
func ParseBudgets(list string) ([]Budget, error) {
	var all []Budget
	for text := range strings.SplitSeq(list, ",") {
		b, err := parseBudget(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

func parseBudget(text string) (Budget, error) {
	name, amount, found := strings.Cut(text, "=")
	if !found {
		return Budget{}, fmt.Errorf("%q is no budget: NAME=MOST, such as wal_fsyncs=3 or own_wal_bytes=24KiB", text)
	}
	b := Budget{Name: strings.TrimSpace(name), Per: PerRun, Text: text}
	if names := Names(); !slices.Contains(names, b.Name) {
		return b, fmt.Errorf("nothing is counted under the name %q: there are %s", b.Name, strings.Join(names, ", "))
	}
	amount, found = strings.CutSuffix(strings.TrimSpace(amount), "/tx")
	if found {
		b.Per = PerTransaction
	}
	var err error
	if b.Max, err = parseAmount(strings.TrimSpace(amount)); err != nil {
		return b, fmt.Errorf("%s: %w", text, err)
	}
	return b, nil
}

// units are the endings of an amount, longest first.
var units = []struct {
	ending string
	times  float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"B", 1}, {"", 1},
}

// mostCounted is above all that an operation can make a server count.
const mostCounted = 1e18

func parseAmount(text string) (float64, error) {
	for _, u := range units {
		number, ends := strings.CutSuffix(text, u.ending)
		if !ends {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if v *= u.times; err != nil || !(v >= 0 && v <= mostCounted) {
			return 0, fmt.Errorf("%q is no amount: a number up to 10^18, with k, M, G, Ki, Mi or Gi", text)
		}
		return v, nil
	}
	return 0, nil
}

// Judge holds a cost against a budget. The median decides. What others did can only have been added, and what sessions have
// not reported yet can only be lacking.
func (c Cost) Judge(b Budget) Judged {
	count, _ := c.Find(b.Name)
	j := Judged{Budget: b, Value: count.Median, Verdict: Within}
	if b.Per == PerTransaction {
		j.Value *= float64(c.Repetitions) / float64(c.Transactions)
	}
	if j.Value > b.Max {
		j.Verdict = Over
	}
	switch {
	case count.Missing != "":
		j.Why = count.Missing
	case b.Per == PerTransaction && c.Transactions == 0:
		j.Why = "how many transactions the operation committed is known of scripts and statements only"
	case j.Verdict == Over && len(c.Others) > 0:
		j.Why = "others were at work, or may have been: " + strings.Join(c.Others, ", ")
	case j.Verdict == Within && c.Incomplete:
		j.Why = "sessions stayed open that are the operation's or may be, or processes of it went on: what they did last may not be counted"
	default:
		return j
	}
	j.Verdict = CannotTell
	return j
}
