package tally

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// total adds the figures of a stretch that was counted as a whole.
func (c *collector) total(t runfile.Total) {
	for name := range t.Values {
		c.belongs(name, t.Probe)
		c.totalled[name] = true
	}
	a := c.attempt(t.Load, t.Repetition)
	a.totals = append(a.totals, t)
}

// untimed reports whether an attempt has only totals, without times.
func (a *attempt) untimed() bool { return len(a.begins) == 0 && len(a.ends) == 0 && len(a.totals) > 0 }

// begin and end return the zero time if it is unknown.
func (a *attempt) begin() time.Time { return firstOr(a.begins) }
func (a *attempt) end() time.Time   { return firstOr(a.ends) }

func firstOr(moments []time.Time) time.Time {
	if len(moments) == 0 {
		return time.Time{}
	}
	return moments[0]
}

// countTotals replaces the counters' growth in an attempt by its totals.
func (b *builder) countTotals(a *attempt, r counts.Repetition) {
	for _, t := range a.totals {
		off, share, label := a.windowOff(t), b.readingError(t), a.otherName()
		for name, value := range t.Values {
			switch averages := b.sumOfAverages(a, r, name, value); {
			case off != nil:
				r.Counts[name] = counts.Count{Missing: off}
			case label != nil && (name == volumeReads || name == volumeWrites):
				r.Counts[name] = counts.Count{Missing: label}
				b.notes.add("mislabelled", fmt.Sprintf("%s of %s: %s", name, a.load, label.Detail))
			case averages != nil:
				r.Counts[name] = counts.Count{Missing: averages}
				b.notes.add("sum-of-averages", fmt.Sprintf("%s of %s: %s", name, a.load, averages.Detail))
			case !(value >= 0) || math.IsInf(value, 0):
				detail := fmt.Sprintf("its source reports %g in all", value)
				r.Counts[name] = counts.Count{Missing: &series.Missing{Reason: series.Reason(runfile.Failed), Detail: detail}}
			default:
				r.Counts[name] = counts.Count{Amount: value, Raw: value, Seconds: r.Seconds, Error: share * value}
			}
		}
	}
}

// nearly is the largest relative difference between two sources of the same number.
const nearly = 0.05

// sumOfAverages detects a total of a rate that is the sum of its averages over periods. Such a total is too small by
// the seconds of a period, against its own periods or the pages that PostgreSQL missed.
func (b *builder) sumOfAverages(a *attempt, r counts.Repetition, name string, value float64) *series.Missing {
	m, known := b.run.Counter(name)
	if !known || m.Type != runfile.Rate || m.Period <= 1 || value <= 0 {
		return nil
	}
	times := func(other float64) bool { return math.Abs(other/(value*m.Period)-1) < nearly }
	own, told := r.Counts[name]
	switch missedPages := a.totalOf(oursRead); {
	case told && own.Missing == nil && times(own.Amount):
	case name == readIOPS && value >= fewestReads && times(missedPages):
	default:
		return nil
	}
	return &series.Missing{Reason: series.Reason(runfile.Failed), Detail: fmt.Sprintf(
		"%s is the sum of its averages over periods of %g s. Multiply it by %g to get a number of operations",
		printable.Count(value), m.Period, m.Period)}
}

// otherName detects the instance's figures under the volume's name: they equal the pages missed, or a sixtieth of them
// if averages over minutes were summed. Published figures of the volume are 0.34 to 0.64 per page missed.
func (a *attempt) otherName() *series.Missing {
	reads := a.totalOf(volumeReads)
	missedPages := a.totalOf(oursRead)
	are := func(factor float64) bool { return math.Abs(missedPages/(reads*factor)-1) < nearly }
	if reads < fewestReads || !are(1) && !are(perMinute) {
		return nil
	}
	return &series.Missing{Reason: series.Reason(runfile.Failed), Detail: fmt.Sprintf(
		"%s billed reads equal the %s pages that PostgreSQL missed, which ReadIOPS shows by the second: the metrics "+
			"seem to be mislabelled", printable.Count(reads), printable.Count(missedPages))}
}

// perMinute converts an average per second to a number per minute.
const perMinute = 60

func (a *attempt) totalOf(metric string) (value float64) {
	for _, t := range a.totals {
		if v, has := t.Values[metric]; has {
			value = v
		}
	}
	return value
}

const (
	readIOPS     = metric.CloudWatchReadIOPS
	volumeReads  = metric.CloudWatchVolumeReadIOPs
	volumeWrites = metric.CloudWatchVolumeWriteIOPs
	oursRead     = metric.BlocksRead
)

// origin records where figures come from. Other versions of a file that is still edited have other values.
func (c *collector) origin(o runfile.Origin) {
	c.run.Origins = append(c.run.Origins, o)
	if o.File != "" && o.Commit == "" {
		c.notes.add("no-version", fmt.Sprintf("%s of %s is given without a version, and other versions may differ",
			o.File, o.Load))
	}
}

// readingError returns the relative error of figures that were read off a chart.
func (b *builder) readingError(t runfile.Total) (share float64) {
	for _, o := range b.run.Origins {
		if o.Load == t.Load && o.Repetition == t.Repetition && o.Probe == t.Probe {
			share = max(share, o.Error)
		}
	}
	return share
}

// A window may differ from its load at either end by a share of its length, or by the minute that services count in.
const (
	windowTolerated = 0.01
	minuteTolerated = time.Minute
)

// windowOff returns why figures are not of the load, if their source gives another window.
func (a *attempt) windowOff(t runfile.Total) *series.Missing {
	if t.From.IsZero() || t.To.IsZero() || a.untimed() {
		return nil
	}
	begin, end := a.begin(), a.end()
	tolerated := max(minuteTolerated, time.Duration(windowTolerated*float64(end.Sub(begin))))
	var detail string
	switch early, late := begin.Sub(t.From), t.To.Sub(end); {
	case early > tolerated:
		detail = "what was counted began " + printable.About(early) + " before the load"
	case early < -tolerated:
		detail = "what was counted began " + printable.About(-early) + " into the load"
	case late > tolerated:
		detail = "what was counted ended " + printable.About(late) + " after the load"
	case late < -tolerated:
		detail = "what was counted ended " + printable.About(-late) + " before the load did"
	default:
		return nil
	}
	return &series.Missing{Reason: counts.OtherWindow, Detail: detail}
}

// outsideWindow returns why an attempt must not be used whose counters saw another number of rows than there were: they
// cover another window, which no ratio would show.
func (a *attempt) outsideWindow() string {
	if a.proof == nil || a.proof.Counter == "" || a.proof.Rows <= 0 {
		return ""
	}
	for _, t := range a.totals {
		counted, told := t.Values[a.proof.Counter]
		if rows := float64(a.proof.Rows); told && math.Abs(counted-rows) > windowTolerated*rows {
			return fmt.Sprintf("its counters do not cover exactly this load: %s counted %s of %s rows",
				metric.Printed(a.proof.Counter, 0), number.Grouped(counted, 0), number.Grouped(rows, 0))
		}
	}
	return ""
}

// fewestReads is the number of reads from which on a ratio of a sixtieth of the pages missed is no chance.
const fewestReads = 1000

// tellingDigits is the number of digits that two loads do not share by chance. Rounded rates and row counts have fewer.
const tellingDigits = 6

// digits returns the number of significant digits, without trailing zeros.
func digits(value float64) int {
	significant, _, _ := strings.Cut(strconv.FormatFloat(math.Round(value), 'e', -1, 64), "e")
	return len(strings.ReplaceAll(significant, ".", ""))
}

// copied notes figures of two loads that agree to the last digit: one of them was copied.
func (k checks) copied() {
	of := map[string]map[float64]*attempt{}
	for _, a := range k.attempts {
		for _, t := range a.totals {
			for _, name := range slices.Sorted(maps.Keys(t.Values)) {
				value := t.Values[name]
				if digits(value) < tellingDigits {
					continue
				}
				if of[name] == nil {
					of[name] = map[float64]*attempt{}
				}
				if first := of[name][value]; first != nil && first != a {
					k.notes.add("copied",
						fmt.Sprintf("%s is %s in both %s and %s, to the last digit: one of the two was copied, and "+
							"nothing tells which", metric.Printed(name, 0), printable.Count(value), first.load, a.load))
				}
				of[name][value] = a
			}
		}
	}
}
