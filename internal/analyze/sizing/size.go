package sizing

import (
	"errors"
	"slices"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// errTooShort is the error for a history without a period inside a window.
var errTooShort = errors.New("sizing needs four hours of history; give realiops history more hours, or the busiest " +
	"figures to realiops size --need")

// ErrNoDemand is the error for a need of zero.
var ErrNoDemand = errors.New("nothing was written or read, so there is nothing to size")

// Options returns all ways to carry a need: those that do first, by cost if known.
func Options(q Question, volumes []catalog.Volume, instances []catalog.Instance, t Tariff) ([]Option, error) {
	if q.Need.Requests() == 0 && q.Need.Bytes() == 0 {
		return nil, ErrNoDemand
	}
	m := machineOf(q.Instance, instances)
	if m != nil {
		m.daily = q.grant(m)
	}
	var all []Option
	for _, v := range volumes {
		if v.Unlimited || !catalog.Attaches(q.Instance, v) {
			continue // no limit of it decides an order, or the machine cannot have it
		}
		v = m.attached(v)
		ways, err := q.ways(v, m, t)
		if err != nil {
			return nil, err
		}
		all = append(all, ways...)
		if beside, has := q.besideLog(v, m, t); has {
			all = append(all, beside)
		}
	}
	slices.SortStableFunc(all, cheaper)
	return all, nil
}

// ways returns one volume of a kind, or the requested number, and a better stripe of it if there is one.
func (q Question) ways(v catalog.Volume, m *machine, t Tariff) ([]Option, error) {
	single, err := q.option(v, m, t)
	if err != nil || q.Disks > 1 {
		return []Option{single}, err
	}
	best := single
	for n := 2; n <= q.MostDisks && stripes(v); n++ {
		q.Disks = n
		o, err := q.option(v, m, t)
		if err != nil {
			return nil, err
		}
		if o.saves(best) {
			best = o
		}
	}
	if best.Disks == single.Disks {
		return []Option{single}, nil
	}
	return []Option{single, best}, nil
}

// Ranked reports whether a price ranks it, even another region's.
func (o Option) Ranked() bool { return o.cost() != nil || o.rank != nil }

// option returns the order of a kind of volume, behind a machine, for a need.
func (q Question) option(v catalog.Volume, m *machine, t Tariff) (Option, error) {
	o := q.over(v).order(v, t)
	o.stripe(q, v)
	if q.MultiAZ && v.Provider == "rds" && o.Bill != nil {
		o.Bill = new(t.withStandby(o.Order.Config, *o.Bill))
	}
	if m.behind(v) && o.Order != nil {
		o.Cap = capped(*m.limits, *o.Order, q.requirement(v))
		if !o.Cap.Carries && m.daily > 0 && o.Order.Capacity.carries(q.requirement(v)) {
			o.OnCredits, o.Cap.Carries = m.daily, true
		}
	}
	o.stand(q, m)
	if v.HardDisk && !q.HardDisks || o.Disks > 1 {
		return o, nil
	}
	var err error
	o.Burst, o.Bare, err = q.burst(v, o.Order, m, t)
	return o, err
}

// order returns the cheapest order of a kind of volume that carries the need.
func (q Question) order(v catalog.Volume, t Tariff) Option {
	o := Option{Volume: v}
	o.Least, o.Most = q.Need.Operations(v.UnitKiB, v.Merges)
	o.Least, o.Most = q.with(o.Least), q.with(o.Most)
	prices, home := t.of(v), t.in(v, v.Cloud().Home())
	sure := func(l list) func(Config) (float64, bool) {
		return func(c Config) (float64, bool) {
			b, err := l.monthly(c)
			return b.Total, err == nil && !b.Inferred
		}
	}
	found := fits(v, q.requirement(v))
	fitted, priced := cheapest(found, sure(prices))
	if !priced {
		fitted, _ = cheapest(found, sure(home)) // the same order, whether its price is known here or not
	}
	if len(found) == 0 {
		o.Why = tooMuch(v, q.requirement(v)).Error()
		return o
	}
	o.Order = &fitted
	if b, err := home.monthly(fitted.Config); err == nil {
		o.rank = &b.Total
	}
	if bill, err := prices.monthly(fitted.Config); err != nil {
		o.NoBill = err.Error()
		if missing, ok := errors.AsType[*noPrice](err); ok {
			o.Unpriced = missing.per
		}
	} else {
		o.Bill = &bill
	}
	if o.Smaller = smaller(found, fitted, sure(prices)); o.Smaller != nil {
		if b, err := prices.monthly(o.Smaller.Config); err == nil {
			o.SmallerBill = &b
		}
	}
	return o
}
