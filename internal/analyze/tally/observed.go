package tally

import (
	"maps"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally/sieve"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// observer makes the windows of an observation.
type observer struct{ *builder }

// keepThin adds the sieved readings of an observation to the series. If a source has periods, windows are long enough
// to hold them; if there are only periods, they hold the longest of them.
func (o observer) keepThin() {
	if len(o.periods) > 0 && !o.onlyPeriods() {
		o.thin.OnGrid()
	}
	if o.onlyPeriods() {
		from, to, longest := o.spanOfPeriods()
		o.thin.LengthenTo(max(longest, to.Sub(from)/sieve.MostWindows))
	}
	for row := range o.thin.Rows {
		o.keep(row)
	}
}

// observe cuts windows and groups them: a group stands for a load.
func (o observer) observe() {
	made := &counts.Observation{Window: time.Duration(o.thin.Length), Backups: o.backups.all}
	if o.onlyPeriods() {
		_, _, made.Period = o.spanOfPeriods()
	}
	for _, probe := range slices.Sorted(maps.Keys(o.setBack)) {
		if set := o.setBack[probe]; set.Lost > made.SetBack.Lost {
			made.SetBack = set
		}
	}
	all := o.cutWindows()
	made.Windows = len(all)
	made.Unread, made.Why = unread(all)
	whole := o.wholeWindows(all, made)
	made.Whole = len(whole)
	made.RowsPerSecond = rowsPerSecond(whole)
	busy := busyWindows(whole)
	made.Quiet = len(whole) - len(busy)
	groups := grouped(busy)
	if len(groups) == 0 && made.Period > 0 && len(busy) >= fewestWindows { // nothing separates kinds of load
		groups = [][]window{busy}
	}
	for _, g := range groups {
		made.Used += len(g)
		o.run.Loads = append(o.run.Loads, loadOf(len(o.run.Loads), g))
	}
	o.run.Observed = made
}

// unread counts the windows in which the server's commits could not be followed, which all versions count for all
// roles.
func unread(all []window) (n int, why string) {
	times := map[string]int{}
	for _, w := range all {
		count, asked := w.repetition.Counts[metric.CommitsOfAll]
		if !asked || count.Missing == nil {
			continue
		}
		n++
		reason := count.Missing.Error()
		times[reason]++
		if times[reason] >= times[why] { // among equally frequent reasons, the latest
			why = reason
		}
	}
	return n, why
}

// rowsPerSecond returns the rates of row changes over the windows that counted them.
func rowsPerSecond(whole []window) map[string]float64 {
	rates := map[string]float64{}
	for name, metric := range map[string]string{
		"inserted":      metric.ClusterTupInserted,
		"updated":       metric.ClusterTupUpdated,
		"deleted":       metric.ClusterTupDeleted,
		"hot":           metric.TablesNTupHOTUpd,
		"index_entries": metric.TablesIndexEntriesLeast,
	} {
		amount, seconds := 0.0, 0.0
		for _, w := range whole {
			if c, known := w.repetition.Counts[metric]; known && c.Missing == nil {
				amount, seconds = amount+c.Amount, seconds+c.Seconds
			}
		}
		if seconds > 0 {
			rates[name] = amount / seconds
		}
	}
	return rates
}

// backups finds base backups in all readings of an observation, before they are thinned.
type backups struct {
	all     []counts.Backup
	running bool // at the last reading
}

// mostBackups bounds the backups listed; later ones count as one.
const mostBackups = 1000

func (b *backups) take(r runfile.Row) {
	i := slices.Index(r.Names, metric.BaseBackups)
	if i < 0 {
		return
	}
	was := b.running
	b.running = r.Values[i] > 0
	switch {
	case !b.running:
	case was || len(b.all) == mostBackups:
		b.all[len(b.all)-1].To = r.At
	default:
		b.all = append(b.all, counts.Backup{From: r.At, To: r.At})
	}
}
