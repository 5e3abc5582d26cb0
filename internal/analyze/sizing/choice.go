package sizing

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/printable"
)

// choice returns the choice; nil if there is none.
func (s Sizing) choice() (*Choice, error) {
	i := slices.IndexFunc(s.Options, Option.chosen)
	if i < 0 {
		return nil, nil //nolint:nilnil // nothing carries the need
	}
	c := &Choice{Option: s.Options[i], If: s.Options[i].Why}
	for _, o := range s.Options[i+1:] {
		same := o.chosen() && o.Standing == c.Standing
		if same && c.Next == nil && o.Volume.Name != c.Volume.Name && (o.cost() != nil || c.cost() == nil) {
			c.Next = &o
		}
		if same && c.Single == nil && c.Disks > 1 && o.Disks == 1 && (o.cost() != nil || c.cost() == nil) {
			c.Single = &o
		}
	}
	c.Also, c.Raised = s.also(*c), s.raised(*c)
	return c, s.addTurns(c)
}

// also returns the other volumes that carry the need but have no price to rank them, and smaller sizes of any kind.
func (s Sizing) also(c Choice) (all []Also) {
	named := map[string]bool{c.Volume.Name: true}
	for _, o := range s.Options {
		if !o.chosen() || o.Standing != c.Standing || strings.HasSuffix(o.Volume.Name, logSuffix) {
			continue
		}
		if o.cost() == nil && !named[o.Volume.Name] {
			all = append(all, Also{o.Volume, *o.Order, o.Disks, o.Bill})
		}
		named[o.Volume.Name] = true
		if o.Smaller != nil && (o.Bill == nil || c.cost() != nil) {
			all = append(all, Also{o.Volume, *o.Smaller, o.Disks, o.SmallerBill})
		}
	}
	return all
}

// addTurns tries other loads and other amounts of data, the nearest first.
func (s Sizing) addTurns(c *Choice) error {
	more, less := []float64{1.1, 1.25, 1.5, 2, 3, 5, 10}, []float64{0.9, 0.75, 0.5, 0.25, 0.1}
	load := func(f float64) Turn { return Turn{Load: f, Data: 1} }
	data := func(f float64) Turn { return Turn{Load: 1, Data: f} }
	for _, way := range []struct {
		factors []float64
		at      func(float64) Turn
	}{{more, load}, {less, load}, {more, data}, {less, data}} {
		for _, factor := range way.factors {
			turn := way.at(factor)
			turned, err := s.turn(c, &turn)
			if err != nil {
				return err
			}
			if turned {
				c.Turns = append(c.Turns, turn)
				break
			}
		}
	}
	return nil
}

// turn finds the order for a turn's need, and reports whether it is of another kind.
func (s Sizing) turn(c *Choice, t *Turn) (bool, error) {
	q := s.question()
	q.Need, q.GiB, q.Repeat = q.Need.Times(t.Load), q.GiB*t.Data, 0
	q.Demand = q.demanded(t.Load, s.Ask.Instances)
	options, err := Options(q, s.Ask.Volumes, s.Ask.Instances, s.Ask.Tariff)
	if err != nil {
		return false, err
	}
	if i := slices.IndexFunc(options, Option.chosen); i >= 0 {
		t.Option = &options[i]
	}
	t.HeldBack = slices.ContainsFunc(options, func(o Option) bool { return o.Standing == HeldBack })
	return t.Option == nil || t.Option.Volume.Name != c.Volume.Name, nil
}

// demanded returns the seconds of the demand, scaled, if a machine's burst may carry them; else none.
func (q Question) demanded(times float64, instances []catalog.Instance) (all []needs.Rate) {
	if m := machineOf(q.Instance, instances); m == nil || m.limits == nil || !m.limits.Bursts {
		return nil
	}
	for _, r := range q.Demand {
		all = append(all, r.Times(times))
	}
	return all
}

// warnOfMachine adds warnings about the requested machine class if some options are not available behind it.
func (s *Sizing) warnOfMachine() {
	m := machineOf(s.Ask.Instance, s.Ask.Instances)
	held := slices.ContainsFunc(s.Options, func(o Option) bool { return o.Cap != nil && !o.Cap.Carries })
	carried := slices.ContainsFunc(s.Options, func(o Option) bool { return o.Standing == Carries })
	switch need := s.Target.Most.Times(1 + s.Ask.Headroom/100); {
	case m == nil:
	case m.limits == nil:
		s.Warnings = append(s.Warnings, fmt.Sprintf("No order here is checked against the limits of the %s: %s.%s",
			m.class, m.unknown, m.advice))
	case held && !carried:
		s.Warnings = append(s.Warnings, fmt.Sprintf("The %s is too small, whatever the volume: it sustains %s "+
			"operations/s and %s MiB/s, "+
			"and you need %s requests/s and %s MiB/s with headroom.", m.class, printable.Count(m.limits.BaseIOPS),
			printable.Count(m.limits.BaseMB*1e6/mib), printable.Count(math.Ceil(number.Tidy(need.Requests()))),
			printable.Count(math.Ceil(number.Tidy(need.Bytes()/mib)))))
	}
}
