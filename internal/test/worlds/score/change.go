package score

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/worlds"
)

// Change is a change to the run of a world that does not affect what its meters count, so that verdicts must stay the
// same.
type Change int

// The changes.
const (
	// Renamed loads have each other's names and are listed in another order, with their times and parameters.
	Renamed Change = iota
	// InMinutes and InPages multiply meters by 60 and 4,096, InThousands and OfPages by 1,000 and 1/8192.
	InMinutes
	InPages
	InThousands
	OfPages
	// Split gives the second repetition of a load its own name, so that it is another load with the same parameters.
	Split
	changes
)

// Pair is a meter before and after a change.
type Pair struct {
	Case
	Change Change
	After  attribution.Verdict
}

// Pairs judges the run of the cases' world again after each change.
func Pairs(method Method, cases []Case) ([]Pair, error) {
	world := cases[0].World
	records := world.Records()
	var all []Pair
	for change := range changes {
		run, err := Read(change.of(world, records))
		if err != nil {
			return nil, err
		}
		said := verdicts(method, run)
		for _, c := range cases {
			all = append(all, Pair{c, change, said[c.Meter.Name]})
		}
	}
	return all, nil
}

func (c Change) of(world worlds.World, records []runfile.Record) []runfile.Record {
	switch c {
	case Renamed:
		return renamed(records, world.Seed)
	case InMinutes:
		return scaled(records, 60)
	case InPages:
		return scaled(records, 4096)
	case InThousands:
		return scaled(records, 1000)
	case OfPages:
		return scaled(records, 1./8192)
	default:
		return split(records, world.Seed)
	}
}

func renamed(records []runfile.Record, seed uint64) []runfile.Record {
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // an order, not a secret
	var names []string
	for _, a := range records[0].(runfile.Run).Plan.Loads {
		names = append(names, a.Name)
	}
	order := random.Perm(len(names))
	named := func(name string) string { return names[order[slices.Index(names, name)]] }
	return rewritten(records, func(loads []runfile.Load) []runfile.Load {
		for i := range loads {
			loads[i].Name = named(loads[i].Name)
		}
		random.Shuffle(len(loads), func(i, k int) { loads[i], loads[k] = loads[k], loads[i] })
		return loads
	}, func(name string, repetition int) (string, int) { return named(name), repetition })
}

func split(records []runfile.Record, seed uint64) []runfile.Record {
	const again = " again"
	loads := records[0].(runfile.Run).Plan.Loads
	at := 1 + int(seed%uint64(len(loads)-1)) // the first one is idle
	return rewritten(records, func(loads []runfile.Load) []runfile.Load {
		other := loads[at]
		other.Name += again
		return append(loads, other)
	}, func(name string, repetition int) (string, int) {
		if name == loads[at].Name && repetition == 2 {
			return name + again, 1
		}
		return name, repetition
	})
}

// rewritten returns a run with other loads: load maps each repetition to the name of its load.
func rewritten(records []runfile.Record, plan func([]runfile.Load) []runfile.Load,
	load func(name string, repetition int) (string, int)) []runfile.Record {
	all := slices.Clone(records)
	for i, r := range all {
		switch r := r.(type) {
		case runfile.Run:
			r.Plan.Loads = plan(slices.Clone(r.Plan.Loads))
			all[i] = r
		case runfile.LoadEvent:
			r.Load, r.Repetition = load(r.Load, r.Repetition)
			all[i] = r
		case runfile.Work:
			r.Load, r.Repetition = load(r.Load, r.Repetition)
			all[i] = r
		}
	}
	return all
}

func scaled(records []runfile.Record, factor float64) []runfile.Record {
	all := slices.Clone(records)
	for i, r := range all {
		switch r := r.(type) {
		case runfile.Reading:
			if r.Probe != "meter" {
				continue
			}
			values := map[string]float64{}
			for name, v := range r.Values {
				values[name] = factor * v
			}
			r.Values = values
			all[i] = r
		case runfile.Period:
			r.Value *= factor
			all[i] = r
		}
	}
	return all
}

// saying returns what a verdict says that a meter counts, without numbers and names of loads.
func saying(v attribution.Verdict) string {
	var terms []metric.Quantity
	if v.Mixture != nil {
		for _, t := range v.Mixture.Terms {
			terms = append(terms, t.Quantity)
		}
	}
	return strings.TrimSpace(fmt.Sprintln(v.Kind, v.Counts, v.Between, terms))
}

// differs reports whether the change altered the verdict.
func (t Pair) differs() bool { return saying(t.Verdict) != saying(t.After) }

func (t Pair) statedAfter() bool { return t.After.Kind != attribution.CannotTell }

// opened reports whether there is a verdict before the change and none after it, or the other way round.
func (t Pair) opened() bool { return t.stated() != t.statedAfter() }

// contradicts reports whether the two verdicts cannot both be true: another side, or another quantity.
func (t Pair) contradicts() bool {
	one, two := t.Verdict, t.After
	return t.stated() && t.statedAfter() && (one.Kind.Or(two.Kind) == attribution.CannotTell ||
		one.Counts != two.Counts && one.Counts != "" && two.Counts != "")
}

// plain reports whether the verdict does not depend on a ratio of one, within the tolerance, or a wrap.
func (t Pair) plain() bool {
	one := func(term worlds.Term) bool {
		return math.Abs(math.Log(term.PerUnit)) < math.Log(attribution.DefaultTolerance)
	}
	return t.Meter.Trouble != worlds.Wrapping && !slices.ContainsFunc(t.Meter.Rule.Terms, one)
}

// ChangeTable returns the figures of verdicts that must be the same after a change.
func ChangeTable(pairs []Pair) []Figure {
	of := func(changes ...Change) []Pair {
		return where(pairs, func(t Pair) bool { return slices.Contains(changes, t.Change) })
	}
	return []Figure{
		atMost(0, "loads renamed and reordered: verdict changed", of(Renamed), Pair.differs),
		atMost(0, "meters scaled by 60, 1,000, 4,096 or 1/8,192: verdict changed",
			where(of(InMinutes, InThousands, InPages, OfPages), Pair.plain), Pair.differs),
		atMost(0, "one load split in two: verdict contradicts the one before", of(Split), Pair.contradicts),
		seen("one load split in two: verdict only before or only after", of(Split), Pair.opened),
	}
}
