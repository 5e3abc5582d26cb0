package sizing

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/burst"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/shell"
)

// unseen warns if more time is unknown than the percentile leaves out, or if credits fell against their rule.
func (s Sizing) unseen() (all []string) {
	seen := map[*counts.Run]bool{}
	all = append(all, s.withJournal())
	for _, p := range s.Parts {
		if p.Basis == ByMean {
			all = append(all, "The busiest seconds of "+p.Need.Load+" are unknown, only means of its repetitions: this order "+
				"may be too small for them")
		}
		if seen[p.Run] {
			continue
		}
		seen[p.Run] = true
		if p.Run != nil {
			all = append(all, AgainstRule(p.Run), needs.MeansAlone(p.Run), needs.LowMaxima(p.Run))
			if what := p.Need.ReadsUnread(p.Run); what != "" && !p.Need.ForServer {
				all = append(all, what+" of the disk were not recorded and count as 0: this order may be too small")
			}
			for _, notice := range p.Run.Header.Notices {
				all = append(all, strings.TrimSuffix(notice, "."))
			}
			if o := p.Run.Observed; o != nil && o.SetBack.Lost > 0 {
				all = append(all, strings.TrimSuffix(o.SetBack.Text(), ".")+": if it was busier then, this order is too small")
			}
			all = append(all, s.outside(p), s.partly(p))
		}
		if h := needs.HoleIn(p.Run); h.Lost > 0 && h.Lost.Seconds() > (1-s.Ask.percentile()/100)*h.Of.Seconds() {
			all = append(all, h.String()+": if it was busier then, this order is too small")
		}
	}
	once := []string{}
	for _, text := range all {
		if text != "" && !slices.Contains(once, text) { // runs may share it
			once = append(once, text)
		}
	}
	return once
}

// outside warns if the disk did more than the order carries in more windows of an observation than the percentile leaves
// out. Windows without writes, and those that are like no others, belong to no load. A model has no part of what the
// disk did.
func (s Sizing) outside(of Part) string {
	forServer := false
	for _, p := range s.Parts {
		if p.Run == of.Run && p.Need.Model != nil {
			return ""
		}
		forServer = forServer || p.Run == of.Run && p.Need.ForServer
	}
	if s.Ask.Load != "" || s.Ask.RowsPerSecond > 0 {
		return ""
	}
	all, ordered := needs.Everywhere(of.Run, forServer), s.Target.Most.Times(1+s.Ask.Headroom/100)
	above := s.Ask.above(ordered, all)
	if len(above) == 0 {
		return ""
	}
	_, several := needs.Stretches(of.Run.Observed.Window)
	return fmt.Sprintf("In %s of %s %s the disk did more than this order carries, %s: if this server did that, "+
		"the order is too small, and %s", printable.Count(len(above)), printable.Count(len(all)), several,
		upTo(above), sizesFor(above))
}

// partly warns if storage did more than the order carries in periods in which not all of its numbers are known.
func (s Sizing) partly(of Part) string {
	all, ordered := needs.Partly(of.Run), s.Target.Most.Times(1+s.Ask.Headroom/100)
	if len(all) == 0 || s.Ask.Load != "" || s.Ask.RowsPerSecond > 0 {
		return ""
	}
	all = append(all, of.Need.Seconds...)
	above := s.Ask.above(ordered, all)
	if len(above) == 0 {
		return ""
	}
	_, several := needs.Stretches(of.Run.Observed.Period)
	return fmt.Sprintf("In %s of %s %s storage did more than this order carries, %s, though not all of its metrics have "+
		"points then: the order is too small, and %s", printable.Count(len(above)), printable.Count(len(all)), several,
		upTo(all), sizesFor(all))
}

// above returns the windows in which a disk did more than a rate; none if they are no more than the percentile leaves
// out.
func (a Ask) above(rate needs.Rate, windows []needs.Rate) []needs.Rate {
	above := slices.DeleteFunc(slices.Clone(windows), func(r needs.Rate) bool {
		return !(r.Requests() > rate.Requests() || r.Bytes() > rate.Bytes())
	})
	if float64(len(above)) <= (1-a.percentile()/100)*float64(len(windows)) {
		return nil
	}
	return above
}

// NoKind reports that the disk of an observation did more than under any of its kinds of load, in more windows than the
// default percentile leaves out; empty if it did not, or that is unknown. These windows had no writes or were like no
// others.
func NoKind(run *counts.Run) string {
	var most needs.Rate
	all := needs.Of(run)
	for _, n := range all {
		if n.Peaks == nil || n.Model != nil {
			return ""
		}
		most = needs.Quantile([]needs.Rate{most, n.Peaks.PeakSecond}, 1)
	}
	windows := needs.Everywhere(run, slices.ContainsFunc(all, func(n needs.Need) bool { return n.ForServer }))
	above := Ask{}.above(most, windows)
	if len(all) == 0 || len(above) == 0 {
		return ""
	}
	_, several := needs.Stretches(run.Observed.Window)
	return fmt.Sprintf("In %s of %s %s the disk did more than under any kind of load shown here, %s: nothing was written "+
		"then, or nothing like it happened again, so no figure of a load includes it.", printable.Count(len(above)),
		printable.Count(len(windows)), several, upTo(above))
}

// idle is the error for an observation without writes, in which no load is recognized.
func idle(run *counts.Run) error {
	const why = "the server wrote almost nothing, so its loads cannot be told apart"
	all := needs.Everywhere(run, false)
	if len(all) == 0 || !(needs.Quantile(all, 1).Requests() > 0) {
		return errors.New(why)
	}
	return fmt.Errorf("%s; its disk did %s: %s", why, upTo(all), sizesFor(all))
}

func upTo(all []needs.Rate) string {
	most := needs.Quantile(all, 1)
	return fmt.Sprintf("up to %s requests/s and %s MB/s", number.Rate(most.Requests()),
		number.Rate(most.Bytes()/number.Mega))
}

func sizesFor(all []needs.Rate) string {
	most := needs.Quantile(all, 1)
	figures := fmt.Sprintf("iops=%.0f,mbps=%.3f", math.Ceil(most.Requests()), max(0.001, math.Ceil(most.Bytes()/1e3)/1e3))
	return shell.New("realiops size").Flag("--need", figures, "FIGURES").String() + " sizes for it"
}

// AgainstRule reports credits of an instance on gp2 that fell in hours in which it needed no more than its volume
// earns; empty if they did not, or that is unknown.
func AgainstRule(run *counts.Run) string {
	c := run.Header.Target.Cloud
	if c == nil || c.Storage != "gp2" || c.SizeGiB == 0 {
		return ""
	}
	volumes := catalog.Volumes()
	of := slices.IndexFunc(volumes, func(v catalog.Volume) bool { return v.Name == "rds-gp2" })
	if of < 0 {
		return ""
	}
	held, err := Hold(Config{Volume: volumes[of], GiB: float64(c.SizeGiB)}, "", false, nil, Tariff{})
	i := slices.IndexFunc(held.Limits, func(l burst.Limit) bool { return l.Name == "operations" && l.Capacity > 0 })
	shown := run.Rates(metric.CloudWatchBurstBalance, runfile.Minimum)
	if err != nil || i < 0 || len(shown) == 0 {
		return ""
	}
	first := shown[0].From.Truncate(time.Hour)
	hours := int(shown[len(shown)-1].To.Sub(first).Hours()) + 1
	balance := make([]float64, hours)
	for h := range balance {
		balance[h] = math.NaN()
	}
	for _, l := range shown {
		if at := int(l.From.Sub(first) / time.Hour); !(l.Value >= balance[at]) {
			balance[at] = l.Value
		}
	}
	metrics := needs.OfInstance()
	rates, known := metrics.Hourly(run, first, hours)
	asked := make([]float64, hours)
	for h, demand := range held.Demands(rates, 1) {
		if asked[h] = demand[held.Limits[i].Of]; known[h] < len(metrics.Names()) {
			asked[h] = math.NaN()
		}
	}
	percent, _ := held.Limits[i].Percent(balance, asked)
	by, n := held.Limits[i].Fell(percent, asked)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Its credits fell by %s%% in %s hours in which it did less than its %s GiB of gp2 earn: "+
		"its volume is not the one named, or it does more than its metrics show", number.Rate(by), printable.Count(n),
		printable.Count(c.SizeGiB))
}
