package sizing

import (
	"errors"
	"slices"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// Question holds the requirements that the catalog's volumes are tried against.
type Question struct {
	Need     needs.Rate   // a second, that must be carried for good
	Demand   []needs.Rate // second by second, for what may burst; nil: not known
	GiB      float64      // of data
	Headroom float64      // percent
	Instance string       // class of machine; empty: not considered
	Balance  Balance
	Log      *needs.WALShare // nil: not known
	Repeat   int             // seconds that the demand goes on for; 0: credits are not considered

	HardDisks bool // they were asked for by name
	MultiAZ   bool // RDS keeps a standby in another zone, with storage of its own
	Disks     int  // that it is striped over, by whoever orders them; up to 1: it is not
	MostDisks int  // up to so many are tried where that is cheaper, or nothing else carries it; up to 1: Disks alone
}

// Option is one way to carry a need.
type Option struct {
	Volume   catalog.Volume
	Standing Standing
	Order    *Fitted // nil: none is large enough
	Why      string  // it does not carry the need, or is not known to; empty: it does

	Disks int // that the order is for, each as it stands there; 1 unless more were asked for

	unknownMachine bool // that is all that is not known of it
	// by what it is held against others of its standing where neither has a price: the cloud's best known region's
	rank *float64

	// a smaller size of it that carries the need, too, and whose price is not known; nil: there is none
	Smaller     *Fitted
	SmallerBill *Bill   // of an inferred price; nil: none is known
	OnCredits   float64 // seconds of a day for which the machine needs its burst; 0: none
	// Operations that the provider counts for the need, headroom included: where it merges all it can, and where
	// nothing.
	Least, Most float64
	Bill        *Bill       // nil: see NoBill
	BillSpan    *[2]float64 // what it may come to; nil: it is no estimate
	NoBill      string
	Unpriced    catalog.Per // the price that is not known, where there is no bill
	Cap         *Cap        // what the machine lets through; nil: not asked, or not known
	Burst       *Bursting   // a smaller order that credits carry; nil: none does, or it was not asked
	// a still smaller one, that only holds the data: how long its credits last; nil: as for Burst
	Bare *Bursting
}

// errTooShort is a history of periods in which none lies within a window.
var errTooShort = errors.New("it covers too little time to size from, which takes four hours: give realiops history " +
	"more of them, or the busiest figures to realiops size --need")

// ErrNoDemand is a need of nothing.
var ErrNoDemand = errors.New("there is no demand: nothing was written or read, so there is nothing to size")

// Options returns all ways to carry a need, those that do first, by their cost where that is known.
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
			continue // no limit of it decides an order, or the machine does not take it
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

// ways returns one volume of a kind, or as many as were asked for, and the stripe of it that is better, if one is.
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

// Ranked reports whether there is a price that holds it against others, be it another region's.
func (o Option) Ranked() bool { return o.cost() != nil || o.rank != nil }

// option returns what a kind of volume, behind a machine, makes of a need.
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

// requirement returns the need with headroom as the provider counts it, at most.
func (q Question) requirement(v catalog.Volume) Requirement {
	_, most := q.Need.Operations(v.UnitKiB, v.Merges)
	step := v.Step()
	return Requirement{GiB: number.Tidy(q.GiB), IOPS: q.with(most), MiBps: q.with(q.Need.Charged(v)/(mib*step)) * step}
}

func (q Question) with(amount float64) float64 { return number.Tidy(amount * (100 + q.Headroom) / 100) }

// order returns the cheapest of a kind of volume that carries the need.
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
		fitted, _ = cheapest(found, sure(home)) // so it is the same order whether its price is known here or not
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
