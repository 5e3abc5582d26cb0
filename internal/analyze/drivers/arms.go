package drivers

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// buildArms makes arms of the plan and of the attempts, and says of each attempt that cannot be used why.
func (c *collector) buildArms() {
	for _, arm := range c.run.Header.Plan.Arms {
		if _, twice := c.places[arm.Name]; twice {
			c.notes.add("arm-twice", fmt.Sprintf("The plan names the load %s twice; the first was believed", arm.Name))
			continue
		}
		c.addArm(arm)
	}
	overlaps := c.overlaps()
	busy := c.busyUntil()
	for _, a := range c.attempts {
		a.load.complete()
		arm := c.armOf(a)
		why := a.defect(arm.Idle())
		if why == "" {
			why = cmp.Or(overlaps[a], c.otherwiseSet(a), a.outsideWindow())
		}
		if why != "" {
			arm.LeftOut = append(arm.LeftOut, LeftOut{a.replicate, why})
			continue
		}
		c.checkLoad(a)
		if a.others != nil {
			c.run.Others = append(c.run.Others, OthersWorked{a.arm, a.replicate, *a.others})
		}
		r := c.replicate(a, arm.Idle(), busy)
		c.takeOffImpossible(*arm, r)
		c.checkProof(a, arm.Arm, r)
		c.checkAnatomy(arm.Arm, r)
		arm.Replicates = append(arm.Replicates, r)
	}
	for i := range c.run.Arms {
		c.run.Arms[i].Waits = c.waits(c.run.Arms[i])
		slices.SortStableFunc(c.run.Arms[i].Replicates, func(a, b Replicate) int { return cmp.Compare(a.Number, b.Number) })
	}
}

func (c *collector) addArm(arm runfile.Arm) {
	c.places[arm.Name] = len(c.run.Arms)
	c.run.Arms = append(c.run.Arms, Arm{Arm: arm})
}

// unplanned is the method of an arm whose factors nothing tells, so that it is not taken for an idle one.
const unplanned = "unknown"

func (c *collector) armOf(a *attempt) *Arm {
	_, known := c.places[a.arm]
	factors, told := c.factors[a.arm]
	switch {
	case known:
	case told:
		factors.Name = a.arm
		c.addArm(factors)
	default:
		c.notes.add("arm-unplanned", fmt.Sprintf("The load %s is not in the plan, so its indexes are not known", a.arm))
		c.addArm(runfile.Arm{Name: a.arm, Method: unplanned})
	}
	return &c.run.Arms[c.places[a.arm]]
}

// defect says why an attempt must not be used, or nothing.
func (a *attempt) defect(idle bool) string {
	switch {
	case a.untimed():
		return a.failed
	case len(a.begins) == 0 && len(a.ends) == 0 && a.load.lines == 0:
		return "it was never begun: the run was cut off"
	case len(a.begins) == 0 && len(a.ends) == 0:
		return "nothing but its load was recorded"
	case len(a.begins) == 0:
		return "it ended without having begun"
	case len(a.begins) > 1 || len(a.ends) > 1:
		return "it was begun or ended twice, so what belongs to which cannot be told"
	case a.failed != "":
		return a.failed
	case len(a.ends) == 0:
		return "it never ended: the run was cut off"
	case !a.ends[0].After(a.begins[0]):
		return "it ended before it began: the clock was set"
	case idle && a.load.work.Transactions > 0:
		return "it should be idle, and yet load was recorded"
	case idle, a.load.lines == 0 && len(a.totals) > 0: // the latter is a load that is not ours
		return ""
	case a.load.lines == 0:
		return "no load was recorded"
	case a.load.negative || a.load.from.Before(a.begins[0]) || a.load.to.After(a.ends[0]):
		return "its load lies outside of it: the clock was set"
	case a.load.seconds() <= 0:
		return "its load took no time"
	}
	return ""
}

// overlaps finds attempts that ran at the same time: what the counters say belongs to neither.
func (c *collector) overlaps() map[*attempt]string {
	whole := slices.DeleteFunc(slices.Clone(c.attempts), func(a *attempt) bool {
		return len(a.begins) != 1 || len(a.ends) != 1 || !a.ends[0].After(a.begins[0])
	})
	slices.SortStableFunc(whole, func(a, b *attempt) int { return a.begins[0].Compare(b.begins[0]) })
	found := map[*attempt]string{}
	for i, latest := 1, 0; i < len(whole); i++ {
		if whole[i].begins[0].Before(whole[latest].ends[0]) {
			found[whole[i]] = overlapsWith(whole[latest])
			found[whole[latest]] = cmp.Or(found[whole[latest]], overlapsWith(whole[i]))
		}
		if whole[i].ends[0].After(whole[latest].ends[0]) {
			latest = i
		}
	}
	return found
}

func overlapsWith(a *attempt) string {
	return fmt.Sprintf("it overlaps with repetition %d of %s", a.replicate, a.arm)
}

// busyUntil are the moments at which loads ended, ascending.
func (c *collector) busyUntil() []time.Time {
	var ends []time.Time
	for _, a := range c.attempts {
		if a.load.lines > 0 {
			ends = append(ends, a.load.to)
		}
	}
	slices.SortFunc(ends, time.Time.Compare)
	return ends
}

// checkLoad notes what is odd about a load that may be used all the same.
func (c *collector) checkLoad(a *attempt) {
	if err := a.load.latency.problem(); err != nil {
		c.notes.add("latency-unreadable", fmt.Sprintf("The latencies of %s %d are left out: %v", a.arm, a.replicate, err))
	}
	planned, took := c.run.Header.Plan.ArmSeconds, a.load.seconds()
	if a.load.lines > 0 && planned > 0 && (took > 2*planned+1 || took < planned/2) {
		c.notes.add("load-length", fmt.Sprintf("The load of %s %d lasted %.3g s instead of %.3g", a.arm, a.replicate, took, planned))
	}
}

func (c *collector) replicate(a *attempt, idle bool, busy []time.Time) Replicate {
	r := Replicate{
		Number: a.replicate, Begin: a.begin(), End: a.end(),
		Work: a.load.work, Latency: a.load.latency.summary(), Counts: map[string]Count{}, Sessions: a.sessions,
	}
	loadEnd := r.Begin
	ours := !idle && a.load.lines > 0
	if ours {
		r.Seconds, loadEnd = a.load.seconds(), a.load.to
	}
	var othersEnd time.Time
	if ended := sort.Search(len(busy), func(i int) bool { return busy[i].After(r.Begin) }); ended > 0 {
		othersEnd = busy[ended-1]
	}
	for _, m := range c.run.Counters {
		if m.Type != runfile.Counter {
			continue
		}
		r.Counts[m.Name] = count(c.series(m.Name), r.Begin, r.End, loadEnd, othersEnd)
		if r.Counts[m.Name].Missing == nil && c.resetSaid(m.Name, r.Begin, r.End) {
			r.Counts[m.Name] = Count{Missing: &series.Missing{Reason: series.Reset, Detail: "its view says that it was reset"}}
		}
	}
	r.Log = c.anatomy(r, loadEnd, othersEnd)
	if !ours {
		r.Seconds = r.betweenReadings()
	}
	from, to, work := r.Begin, r.End, elapsed
	if ours {
		from, to, work = a.load.from, a.load.to, a.load.workIn
	}
	for metric := range c.stretched {
		if elsewhere := c.elsewhere(a, metric); elsewhere != nil {
			r.Counts[metric] = Count{Missing: elsewhere}
			continue
		}
		r.Counts[metric] = c.countIn(metric, from, to, work)
	}
	c.countTotals(a, r)
	return r
}

// betweenReadings is how far the readings at both ends of the replicate lie apart; without any, its length.
func (r Replicate) betweenReadings() float64 {
	longest := 0.0
	for _, c := range r.Counts {
		longest = max(longest, c.Seconds)
	}
	if longest == 0 {
		return r.End.Sub(r.Begin).Seconds()
	}
	return longest
}

// resetSaid tells whether a view of PostgreSQL's gives another moment of its last reset at the end than at the
// beginning. It knows of resets that later growth hides.
func (c *collector) resetSaid(metric string, begin, end time.Time) bool {
	view, _, _ := strings.Cut(metric, "/")
	when := c.series(view + "/stats_reset")
	before, errBefore := when.Before(begin)
	after, errAfter := when.Before(end)
	return errBefore == nil && errAfter == nil && before.Value != after.Value
}

// count is the delta of a counter over a replicate, if its readings stand where they should: after all other loads had
// ended, and after our own had.
func count(s series.Series, begin, end, loadEnd, othersEnd time.Time) Count {
	change, err := s.Delta(begin, end)
	switch {
	case err != nil:
		return Count{Missing: missing(err)}
	case change.From.Before(othersEnd):
		return Count{Missing: stale(change.From, "while another load still ran")}
	case change.To.Before(loadEnd):
		return Count{Missing: stale(change.To, "while its load still ran")}
	}
	return Count{Amount: change.Amount, Raw: change.Amount, Seconds: change.Seconds()}
}

func stale(at time.Time, when string) *series.Missing {
	detail := fmt.Sprintf("last read at %s, %s", at.UTC().Format("15:04:05.000"), when)
	return &series.Missing{Reason: series.Reason(runfile.Late), Detail: detail}
}
