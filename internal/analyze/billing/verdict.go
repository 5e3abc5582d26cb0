package billing

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/shell"
)

// Verdict says which configuration costs less.
type Verdict struct {
	Cheaper string `json:"cheaper"` // aurora, aurora-iopt1; empty: cannot be told
	// most of the time is compared, and every week, and all days without the one with most I/O, agree
	Sure  bool    `json:"sure"`
	Saves float64 `json:"saves_a_month"` // against the other one, per 730 hours
	Share float64 `json:"saves_share"`
	Least float64 `json:"saves_at_least"` // over the range of inferred prices; below 0: the other one may save
	Most  float64 `json:"saves_at_most"`  // over the range of inferred prices
	Why   string  `json:"why"`            // why it cannot be told, or is not sure
}

const (
	week = 7
	// fewDays is the least number of days for an answer, and enoughDays the number that AWS calls good.
	// https://github.com/aws/agent-toolkit-for-aws, amazon-aurora-postgresql, io-optimized
	fewDays    = 7
	enoughDays = 14
)

func (c Comparison) judge() Verdict {
	v := Verdict{Saves: math.NaN(), Share: math.NaN(), Least: math.NaN(), Most: math.NaN()}
	w := c.Whole
	switch {
	case w.Compared == 0:
		v.Why = "no hour has all of its parts"
		if i := slices.IndexFunc(c.Items, func(i Item) bool { return i.Missing != "" }); i >= 0 {
			v.Why = c.Items[i].Missing
		}
		return v
	case !number.Finite(w.Total.Standard) || !number.Finite(w.Total.Optimized):
		v.Why = "the figures are larger than any bill's"
		return v
	case !c.stated && len(c.Days) < fewDays:
		v.Why = fmt.Sprintf("it has %s of whole data, and needs a week", printable.Counted(len(c.Days), "day"))
		return v
	case float64(c.thin) > mostThin*float64(w.Hours):
		v.Why = fmt.Sprintf("in %d of %d hours CPUUtilization has fewer samples than the instances publish: points of "+
			"the metrics are missing, or stand for less time than there is between them", c.thin, w.Hours)
		return v
	case cheaper(c.savedLeast) != cheaper(c.savedMost):
		v.Why = c.guessed() + ", and within these bounds either could cost less: " + askPrices(c.Region)
		return v
	case c.goneTurns():
		v.Why = hoursGone(c.gone) + ", and with them the other may cost less: name each with " +
			c.elsewhere.flag("--instance NAME=CLASS@FROM..TO")
		return v
	}
	monthly := month / float64(w.Compared)
	v.Cheaper = cheaper(w.Total.Saved())
	v.Saves = math.Abs(w.Total.Saved()) * monthly
	v.Least, v.Most = c.savedLeast*monthly, c.savedMost*monthly
	if v.Cheaper == Standard {
		v.Least, v.Most = -v.Most, -v.Least
	}
	v.Share = math.Abs(w.Total.Saved()) / max(w.Total.Standard, w.Total.Optimized)
	v.Why = c.doubt(v.Cheaper)
	v.Sure = v.Why == ""
	return v
}

func cheaper(saved float64) string {
	if saved > 0 {
		return Optimized
	}
	return Standard
}

// goneTurns reports whether I/O-Optimized no longer saves if deleted instances are charged as the cluster's
// dearest class. If Standard is cheaper, they only make it more so.
func (c Comparison) goneTurns() bool {
	return c.gone > 0 && cheaper(c.savedLeast) == Optimized && !(c.savedLeast-c.gone*c.dearest > 0)
}

// hoursGone says how long instances ran that have no metrics here: they were deleted, or their points are missing.
func hoursGone(n float64) string {
	if text := number.Grouped(n, 0); text != "1" {
		return text + " hours of unnamed instances are left out"
	}
	return "1 hour of an unnamed instance is left out"
}

func (c Comparison) guessed() string {
	var names []string
	for _, i := range c.Items {
		if name := cmp.Or(i.Class, i.What); i.Inferred != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch last := len(names) - 1; {
	case last < 0:
		return ""
	case last == 0:
		return "the price of " + names[0] + " in " + c.Region + " is inferred"
	default:
		return "the prices of " + strings.Join(names[:last], ", ") + " and " + names[last] + " in " + c.Region +
			" are inferred"
	}
}

// askPrices says how to get the prices of a region.
func askPrices(region string) string {
	return shell.InText("realiops prices aws").Flag("--region", region, "REGION").With("-o prices.json").String() +
		" fetches the prices; pass the file with --price"
}

// mostThin is the share of hours with missing points beyond which there is no answer.
const mostThin = 0.25

// doubt lists what speaks against the answer: contradicting weeks or a single decisive day, and missing input.
func (c Comparison) doubt(answer string) string {
	if c.stated {
		return "a monthly total says nothing about its days"
	}
	all := append([]string{c.doubtHours(answer), c.doubtDays(answer)}, c.doubtInput(answer)...)
	return strings.Join(slices.DeleteFunc(all, func(text string) bool { return text == "" }), ", and ")
}

// doubtHours says that most of the time is not compared, or that the rest may turn the answer; else empty.
func (c Comparison) doubtHours(answer string) string {
	left, saved := c.Whole.Hours-c.Whole.Compared, c.Whole.Total.Saved()
	switch least, most := float64(left)*c.hourLeast, float64(left)*c.hourMost; {
	case 2*left > c.Whole.Hours:
		return fmt.Sprintf("%d of %d hours are left out, because some of their data is missing", left, c.Whole.Hours)
	case left > 0 && (cheaper(saved+least) != answer || cheaper(saved+most) != answer):
		return fmt.Sprintf("%d of %d hours are left out, and could turn it if they were like those with the most or the least I/O",
			left, c.Whole.Hours)
	}
	return ""
}

// doubtDays names the weeks that contradict the answer, or the one day that decides it; empty if there are none.
func (c Comparison) doubtDays(answer string) string {
	weeks, otherwise := c.weeks(), 0
	for _, saved := range weeks {
		if cheaper(saved) != answer {
			otherwise++
		}
	}
	if otherwise > 0 {
		return fmt.Sprintf("%d of %d seven-day stretches say otherwise", otherwise, len(weeks))
	}
	most := slices.MaxFunc(c.Days, func(a, b Day) int { return cmp.Compare(a.IO, b.IO) })
	rest := 0.0
	for _, d := range c.Days {
		if d.Date != most.Date {
			rest += d.Saved()
		}
	}
	if cheaper(rest) != answer {
		return "without " + most.Date + ", the day with most I/O, the other would cost less"
	}
	return ""
}

// doubtInput lists missing or guessed input that may affect the answer.
func (c Comparison) doubtInput(answer string) (all []string) {
	if c.gone > 0 && answer == Optimized {
		least := (c.savedLeast - c.gone*c.dearest) * month / float64(c.Whole.Compared)
		text := hoursGone(c.gone)
		if money(least) != money(c.savedLeast*month/float64(c.Whole.Compared)) {
			text += fmt.Sprintf(", so it may save as little as %s %s a month", money(least), c.Currency)
		}
		all = append(all, text+": name each with "+c.elsewhere.flag("--instance NAME=CLASS@FROM..TO"))
	}
	if c.uncounted > 0 && answer == Optimized {
		all = append(all, fmt.Sprintf("whether instances came and went in %d of %d hours is not known: the "+
			"SampleCount of CPUUtilization by cluster tells it, for which %s asks", c.uncounted, c.Whole.Compared,
			c.elsewhere.flag("--query")))
	}
	if c.period > 1 {
		all = append(all, fmt.Sprintf("the points are up to %g hours apart, which is taken for their period: the "+
			"SampleCount of CPUUtilization by cluster, for which %s asks, tells whether points are missing", c.period,
			c.elsewhere.flag("--query")))
	}
	if cheaper(c.Whole.Total.Saved()+c.stopped) != answer {
		all = append(all, "it assumes that the cluster was stopped in hours without any data")
	}
	if c.guessed() != "" {
		all = append(all, c.guessed()+": "+askPrices(c.Region))
	}
	return all
}

// weeks returns the saving by I/O-Optimized in each run of seven compared days.
func (c Comparison) weeks() (saved []float64) {
	for i := range c.Days {
		if i+week > len(c.Days) || c.Days[i+week-1].number-c.Days[i].number != week-1 {
			continue
		}
		sum := 0.0
		for _, d := range c.Days[i : i+week] {
			sum += d.Saved()
		}
		saved = append(saved, sum)
	}
	return saved
}

// Turn is an amount at which both would cost the same, all else being equal.
type Turn struct {
	What string  `json:"what"` // I/O, storage, compute
	Unit string  `json:"unit"` // per month of 730 hours
	Is   float64 `json:"is"`
	At   float64 `json:"at"`
}

// turns returns the amounts that would reverse the answer, all else being equal.
func (c Comparison) turns(lines []line) (all []Turn) {
	w := c.Whole
	if w.Compared == 0 || c.gone > 0 {
		return nil
	}
	add := func(name, unit string, is, at float64) {
		if number.Finite(at) && at > 0 && is > 0 {
			all = append(all, Turn{name, unit, is, at})
		}
	}
	scale := month / float64(w.Compared)
	perMillion, perGiB := lines[0].item.Price.Standard, lines[2].item.Price
	add("I/O", "million operations", w.IO*scale/perMillion, w.BreakEven*scale/perMillion)
	// the I/O that remains for it
	rest := func(other Both) float64 { return (w.IO + other.Saved()) * scale }
	add("storage", "GiB", w.Storage.Standard*scale/perGiB.Standard, rest(w.Compute)/-perGiB.Saved())
	add("compute", c.Currency+" on Standard", w.Compute.Standard*scale,
		rest(w.Storage)*w.Compute.Standard/-w.Compute.Saved())
	return all
}

// warn lists what to know before relying on the numbers.
func (c Comparison) warn(u Use) (all []string) {
	if left := c.Whole.Hours - c.Whole.Compared; left > 0 && c.Whole.Compared > 0 &&
		(c.Verdict.Cheaper == "" || c.doubtHours(c.Verdict.Cheaper) == "") {
		all = append(all,
			fmt.Sprintf("%d of %d hours are not compared, because some of their data is missing: see the table of "+
				"items.", left, c.Whole.Hours))
	}
	for _, i := range c.Items {
		if i.Missing != "" && c.Whole.Compared == 0 && i.Missing != c.Verdict.Why {
			all = append(all, sentence(i.Missing))
		}
	}
	if n := trues(u.Stopped); n > 0 {
		all = append(all,
			fmt.Sprintf("In %d of %d hours neither an instance nor the volume has data. realiops assumes that the "+
				"cluster was stopped, which costs only storage.", n, c.Whole.Hours))
	}
	if c.gone > 0 && c.Verdict.Cheaper == Standard {
		all = append(all, sentence(hoursGone(c.gone)+", which would make Standard even cheaper"))
	}
	if v := c.Verdict; c.guessed() != "" && v.Cheaper != "" {
		all = append(all, fmt.Sprintf("%s: within what they may be %s saves from %s to %s %s a month.",
			strings.TrimSuffix(sentence(c.guessed()), "."), name(v.Cheaper), money(v.Least), money(v.Most), c.Currency))
	}
	if !u.Stated && len(c.Days) >= fewDays && len(c.Days) < enoughDays {
		all = append(all, fmt.Sprintf("Only %s are compared; an answer should rest on at least two "+
			"weeks.", printable.Counted(len(c.Days), "day")))
	}
	return all
}

func trues(all []bool) (n int) {
	for _, ok := range all {
		if ok {
			n++
		}
	}
	return n
}

// Switching is the outcome of changing back and forth at the best times, with all days known in advance.
type Switching struct {
	Best     float64 `json:"best"`     // cost of the compared hours, switched at the best times
	Stay     Both    `json:"stay"`     // the same hours without a change
	Switches int     `json:"switches"` // to I/O-Optimized
}

// rule is the number of days after a switch to I/O-Optimized before the next one to it; switching back is always
// allowed. https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/Aurora.Overview.StorageReliability.html
const rule = 30

// way is a history of configurations up to some day.
type way struct {
	cost     float64
	switches int
	optimum  bool // on I/O-Optimized now
	last     int  // day of the last change to it
}

func switching(all []Day) *Switching {
	s := &Switching{}
	ways := []way{{last: -rule}}
	for _, d := range all {
		s.Stay = s.Stay.plus(d.Total)
		var next []way
		for _, w := range ways {
			next = append(next, w.through(d)...)
		}
		ways = cheapest(next)
	}
	best := slices.MinFunc(ways, func(a, b way) int { return cmp.Compare(a.cost, b.cost) })
	s.Best, s.Switches = best.cost, best.switches
	return s
}

// through returns the ways to continue for one more day.
func (w way) through(d Day) []way {
	stay, other := w, w
	other.optimum = !w.optimum
	for _, o := range []*way{&stay, &other} {
		if o.optimum {
			o.cost += d.Total.Optimized
		} else {
			o.cost += d.Total.Standard
		}
	}
	if !other.optimum {
		return []way{stay, other}
	}
	if d.number-w.last < rule {
		return []way{stay}
	}
	other.last, other.switches = d.number, w.switches+1
	return []way{stay, other}
}

// cheapest keeps the cheapest of the ways with the same future.
func cheapest(ways []way) []way {
	type state struct {
		optimum bool
		last    int
	}
	best := map[state]way{}
	for _, w := range ways {
		key := state{w.optimum, w.last}
		if known, ok := best[key]; !ok || w.cost < known.cost {
			best[key] = w
		}
	}
	return slices.Collect(maps.Values(best))
}

// SavedAMonth returns the monthly saving by I/O-Optimized in the weeks with the least and the most; without a whole
// week, over all hours.
func (c Comparison) SavedAMonth() (least, most float64) {
	saved := c.weeks()
	if len(saved) == 0 {
		all := c.Whole.Total.Saved() / float64(c.Whole.Compared) * month
		return all, all
	}
	const weeksInMonth = month / float64(week*24)
	return slices.Min(saved) * weeksInMonth, slices.Max(saved) * weeksInMonth
}
