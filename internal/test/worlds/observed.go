package worlds

import (
	"fmt"
	"maps"
	"math"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Observed is the design of a world in which nobody set up any load.
const Observed Design = "observed"

// A server that others use does a few sorts of work at a time, in mixes that last for a while and recur.
const (
	fewestSorts, mostSorts = 2, 5
	fewestMixes, mostMixes = 1, 6
	fewestSteps, mostSteps = 60, 240 // of stepSeconds each
	stepSeconds            = 5
	meanStay               = 12   // steps
	absent                 = 0.25 // of the sorts of work in a mix
	intensityVaries        = 1.2  // between mixes
	stepVaries             = 0.15 // between steps
	drifts                 = 0.01 // between steps, permanently
	leastBusy, mostBusy    = 0.01, 0.5
	mostLate               = 0.2 // of a step's counts arrive with the next one
)

// NewObserved draws a world that was observed.
func NewObserved(seed uint64, meters int) World {
	d := newDice(seed)
	w := World{Seed: seed, observed: true, period: time.Second, every: stepSeconds,
		plan: runfile.Plan{Name: string(Observed), Repetitions: 1}}
	m, background := d.machine(), d.background()
	m.flushes = 0 // of no particular checkpoint
	all := measured()
	var habits []habit
	for _, i := range d.Perm(len(all))[:fewestSorts+d.IntN(mostSorts-fewestSorts+1)] {
		habits = append(habits, d.shifted(all[i], m))
	}
	mixes := d.mixes(len(habits))
	for k := range mixes {
		w.plan.Loads = append(w.plan.Loads, runfile.Load{Name: fmt.Sprintf("mix %d", k+1), Method: "insert"})
	}
	mix, level := 0, 1.0
	for step := range d.IntN(mostSteps-fewestSteps) + fewestSteps {
		if d.chance(1.0 / meanStay) {
			mix = d.IntN(len(mixes))
		}
		level *= d.lognormal(drifts)
		r := work{load: w.plan.Loads[mix], repetition: step + 1, seconds: stepSeconds, between: stepSeconds,
			done: amounts{}, besides: amounts{}}
		for i, h := range habits {
			h = d.jittered(h)
			h.rowsPerSecond *= mixes[mix][i] * level * d.lognormal(stepVaries)
			r.done.add(h.amounts(m, stepSeconds))
		}
		for _, quantity := range counts.OfInserts() {
			r.besides[quantity.Name] = math.Round(background[quantity.Name] * stepSeconds * d.lognormal(0.1))
			r.done[quantity.Name] = max(1, r.done[quantity.Name])
		}
		w.repetitions = append(w.repetitions, r)
	}
	w.watch(d, meters)
	return w
}

// watch draws the meters of a world that was observed: counters without missing readings.
func (w *World) watch(d *dice, meters int) {
	w.remote = d.chance(remotes)
	w.lost = make([]string, len(w.repetitions))
	for i := range meters {
		meter := d.meter(meterName(i), w.repetitions)
		meter.kind, meter.missing = runfile.Counter, make([]bool, len(w.repetitions))
		w.Meters = append(w.Meters, meter)
	}
}

// mixes returns how much of each sort of work is done in each mix, as a share of the machine's capacity.
func (d *dice) mixes(sorts int) (mixes [][]float64) {
	for range fewestMixes + d.IntN(mostMixes-fewestMixes+1) {
		mix, busy := make([]float64, sorts), d.between(leastBusy, mostBusy)
		for i := range mix {
			if i == 0 || !d.chance(absent) {
				mix[i] = busy * d.lognormal(intensityVaries)
			}
		}
		mixes = append(mixes, mix)
	}
	return mixes
}

// observedMetrics returns the counters that replace our clients' counts.
func observedMetrics() []string {
	return []string{
		"pgstat.cluster/xact_commit", "pgstat.cluster/tup_inserted", "pgstat.cluster/tup_updated",
		"pgstat.cluster/tup_deleted",
		"pgstat.database/tup_inserted", "pgstat.database/tup_updated", "pgstat.database/tup_deleted",
		"pgstat.tables/index_entries_least", "pgstat.tables/index_entries_most",
	}
}

// steps writes a world that was observed: a reading at the end of each step. Part of the server's counts arrive late;
// positions and the kernel's counters do not.
func (p *recorder) steps() {
	p.pass(seconds(p.world.every) - 50*time.Millisecond) // readings are taken just before windows end
	p.readBefore()
	late := map[string]float64{}
	for i, r := range p.world.repetitions {
		before := maps.Clone(p.totals[pgstat])
		p.grow(i, r)
		rows := r.total(metric.RowsWritten)
		p.add(pgstat, "pgstat.cluster/xact_commit", r.total(metric.Commits))
		p.add(pgstat, "pgstat.cluster/tup_inserted", rows)
		p.add(pgstat, "pgstat.database/tup_inserted", rows)
		p.add(pgstat, "pgstat.tables/index_entries_least", r.total(metric.Entries)-rows)
		p.add(pgstat, "pgstat.tables/index_entries_most", r.total(metric.Entries)-rows)
		share := p.dice.uniform(0, mostLate)
		for name := range p.totals[pgstat] {
			if name == "pgstat.lsn/insert" {
				continue
			}
			held := math.Round(share * (p.totals[pgstat][name] - before[name]))
			p.totals[pgstat][name] += late[name] - held
			late[name] = held
		}
		p.pass(seconds(p.world.every))
		p.readAfter(i)
	}
}
