package score

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/worlds"
)

// flagship returns the rules that the program is for: candidates for WriteIOPS, VolumeWriteIOPs, blks_read and flushes.
func flagship() map[string]worlds.Rule {
	const volume = 0.33 / 4096 // billed writes per byte of WAL
	rule := func(perUnit float64, quantities ...metric.Quantity) worlds.Rule {
		r := worlds.Rule{Sort: worlds.Single}
		for _, q := range quantities {
			r.Terms = append(r.Terms, worlds.Term{Quantity: q, Side: counts.Side(q.Side()),
				PerUnit: perUnit})
		}
		if len(quantities) > 1 {
			r.Sort = worlds.Mixture
		}
		return r
	}
	return map[string]worlds.Rule{
		"meter/records": rule(1, metric.WALRecords), "meter/some": rule(0.37, metric.WALRecords),
		"meter/third": rule(0.31, metric.RowsWritten),
		"meter/rows":  rule(1, metric.RowsWritten), "meter/entries": rule(1, metric.Entries),
		"meter/volume": rule(volume, metric.WALBytes), "meter/missed": rule(1, metric.PagesMissed),
		"meter/writes": rule(1, metric.DeviceRequests), "meter/flushes": rule(1, metric.DeviceFlushes),
		"meter/syncs": rule(2, metric.WALSyncs),
		"meter/io":    rule(1, metric.DeviceRequests, metric.DeviceReads),
	}
}

// mustName reports whether a plan must name what a meter counts: its loads move it, and the run records it or models
// it, like WAL records. Without writes, the little WAL there is follows the pages touched.
func (c Case) mustName(p worlds.Plan) bool {
	writes := func(a runfile.Load) bool { return !a.Idle() && !load.Reads(a.Method) }
	quantity, terms := c.term().Quantity, len(c.Meter.Rule.Terms)
	return p.Name != some && terms == 1 && (c.World.Recorded(quantity) || quantity == metric.WALRecords) && c.World.Tells(c.Meter.Rule) &&
		(quantity.OfReads() || slices.ContainsFunc(p.Loads, writes))
}

// shipped returns the plans that ship, each on the server that it is for.
func shipped() (all []worlds.Plan) {
	for _, p := range []runfile.Plan{experiment.Cloud(), experiment.Published(), experiment.Default(),
		experiment.Identify(), experiment.Reads(), experiment.Updates(), experiment.Everything()} {
		aurora := []bool{false}
		switch p.Name {
		case "cloud":
			aurora = []bool{true}
		case "published", "default", "reads":
			aurora = []bool{false, true}
		}
		for _, on := range aurora {
			plan := worlds.Plan{Plan: complete(p), Aurora: on}
			all = append(all, plan)
			plan.Background = 7.66
			all = append(all, plan)
			plan.Tidying = 0.05
			all = append(all, plan)
		}
	}
	for _, on := range []bool{false, true} {
		for _, background := range []float64{0, 7.66} {
			plan := worlds.Plan{Plan: complete(experiment.Everything()), Aurora: on, Background: background}
			plan.Name = some
			all = append(all, plan)
		}
	}
	return all
}

// some is the name of plans of a few loads, as a user may choose: two to five, with one client or more.
const some = "two to five loads of all"

// chosen draws the loads of such a plan.
func chosen(p worlds.Plan, seed uint64) worlds.Plan {
	if p.Name != some {
		return p
	}
	random := rand.New(rand.NewPCG(seed, 0))
	var idle, loads []runfile.Load
	for _, l := range p.Loads {
		if l.Idle() {
			idle = append(idle, l)
		} else {
			loads = append(loads, l)
		}
	}
	random.Shuffle(len(loads), func(i, k int) { loads[i], loads[k] = loads[k], loads[i] })
	p.Loads = append(idle, loads[:2+random.IntN(4)]...)
	if random.IntN(2) == 0 {
		for i := range p.Loads {
			p.Loads[i].Clients = 1
		}
	}
	return p
}

// complete gives each load of a plan the parameters of the known load with its name.
func complete(p runfile.Plan) runfile.Plan {
	known := slices.Concat(load.Loads(), load.ReadLoads(), load.ChangeLoads())
	p.Loads = slices.Clone(p.Loads)
	for i, l := range p.Loads {
		if k := slices.IndexFunc(known, func(a runfile.Load) bool { return a.Name == l.Name }); k >= 0 {
			p.Loads[i] = known[k]
		}
	}
	return p
}

// rightlyNamed reports whether the quantity was named with its ratio, alone or with those that the world ties to it.
func rightlyNamed(c Case) bool {
	v, term := c.Verdict, c.term()
	if quantity := metric.WALBytes; term.Quantity == quantity && !c.World.Recorded(metric.WALWrites) {
		// indistinguishable from the storage work for it
		return v.Kind == attribution.Physical && (v.Counts == quantity || slices.Contains(v.Between, quantity))
	}
	if v.Kind == attribution.CannotTell || !c.named() {
		return false
	}
	return v.PerUnit == nil || math.Abs(v.PerUnit.Value/term.PerUnit-1) < 0.05
}

// Flagship judges the flagship rules in a plan.
func Flagship(method Method, seed uint64, p worlds.Plan) ([]Case, error) {
	return Judged(method, worlds.NewOf(seed, p, flagship()), "")
}

// called reports whether the verdict has logical work in a metric of storage work.
func (c Case) called() bool {
	return !c.Meter.Rule.Sides(0)[counts.Logical] && (c.Verdict.Kind == attribution.Logical ||
		c.Verdict.Kind == attribution.Mixed)
}

// contradicted reports whether the world contradicts the verdict. Silent does not count, if few loads move the meter.
func (c Case) contradicted() bool { return c.Verdict.Kind != attribution.Silent && c.Wrong() != "" }

// mostLost is the share of metrics that plans must name but that noise may leave unnamed.
const mostLost = 0.01

// WritePlans judges the flagship rules in every plan that ships, with the given number of draws, and prints a table and
// what is not named although it must be. It fails if anything said is wrong, a physical metric is called logical, or
// more than one in a hundred is not named.
func WritePlans(out io.Writer, method Method, seed uint64, draws int) error {
	fmt.Fprintln(out, "| plan | server | metrics | must name | named | side told | cannot tell | wrong | physical "+
		"called logical |\n|---|---|---|---|---|---|---|---|---|")
	var wrong, lost []string
	var row []Case
	asked := 0
	plans := shipped()
	for i, p := range plans {
		for k := range draws {
			seed := seed + uint64(len(plans)*k+i) //nolint:gosec // small
			cases, err := Flagship(method, seed, chosen(p, seed))
			if err != nil {
				return err
			}
			row = append(row, cases...)
			for _, c := range cases {
				text := fmt.Sprintf("%s, world %d, background %g, tidying %g: %s\n  said: %s", p.Name, c.World.Seed,
					p.Background, p.Tidying, truth(c.Meter), c.said())
				if c.mustName(p) {
					asked++
				}
				switch {
				case c.called() || c.contradicted():
					wrong = append(wrong, text)
				case c.mustName(p) && !rightlyNamed(c):
					lost = append(lost, text)
				}
			}
		}
		if i+1 < len(plans) && plans[i+1].Name == p.Name && plans[i+1].Aurora == p.Aurora {
			continue
		}
		server := "PostgreSQL"
		if p.Aurora {
			server = "Aurora"
		}
		n := func(conditions ...func(Case) bool) int { return len(where(row, conditions...)) }
		must := func(c Case) bool { return c.mustName(p) }
		open := func(c Case) bool { return !c.stated() }
		fmt.Fprintf(out, "| %s | %s | %d | %d | %d | %d | %d | %d | %d |\n", p.Name, server, len(row), n(must),
			n(must, rightlyNamed), n(Case.sideTold), n(open), n(Case.contradicted), n(Case.called))
		row = nil
	}
	if len(lost) > 0 {
		fmt.Fprintf(out, "\nNot named, of %d:\n%s\n", asked, strings.Join(lost, "\n"))
	}
	switch {
	case len(wrong) > 0:
		return fmt.Errorf("wrong about what the program is for:\n%s", strings.Join(wrong, "\n"))
	case float64(len(lost)) > mostLost*float64(asked):
		return fmt.Errorf("%d of %d metrics that the plans must name are not named", len(lost), asked)
	}
	return nil
}
