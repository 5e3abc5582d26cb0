package sizing

import (
	"errors"
	"slices"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// Question is what is asked of the catalog.
type Question struct {
	Need     Rate    // a second, that must be carried for good
	Demand   []Rate  // second by second, for what may burst; nil: not known
	GiB      float64 // of data
	Headroom float64 // percent
	Instance string  // class of machine; empty: not considered
	Balance  Balance
	Log      *WALShare // nil: not known
	Repeat   int       // seconds that the demand goes on for; 0: credits are not considered

	HardDisks bool // they were asked for by name
	MultiAZ   bool // RDS keeps a standby in another zone, with storage of its own
	Disks     int  // that it is striped over, by whoever orders them; up to 1: it is not
}

// Option is one way to carry a need.
type Option struct {
	Volume   catalog.Volume
	Standing Standing
	Order    *Fitted // nil: none is large enough
	Why      string  // it does not carry the need, or is not known to; empty: it does

	Disks int // that the order is for, each as it stands there; 1 unless more were asked for

	unknownMachine bool // that is all that is not known of it
	// Operations that the provider counts for the need, headroom included: where it merges all it can, and where nothing.
	Least, Most float64
	Bill        *Bill       // nil: see NoBill
	BillSpan    *[2]float64 // what it may come to; nil: it is no estimate
	NoBill      string
	Cap         *Cap      // what the machine lets through; nil: not asked, or not known
	Burst       *Bursting // a smaller order that credits carry; nil: none does, or it was not asked
	Bare        *Bursting // a still smaller one, that only holds the data: how long its credits last; nil: as for Burst
}

// errTooShort is a history of periods in which none lies within a window.
var errTooShort = errors.New("it tells of too little time to size from, which takes four hours: give realiops history more of them, or the busiest figures to realiops size --need")

// ErrNoDemand is a need of nothing.
var ErrNoDemand = errors.New("there is no demand: nothing was written or read, so there is nothing to size")

// Options are all ways to carry a need, those that do first, by their cost where that is known.
func Options(q Question, volumes []catalog.Volume, instances []catalog.Instance, t Tariff) ([]Option, error) {
	if q.Need.Requests() == 0 && q.Need.Bytes() == 0 {
		return nil, ErrNoDemand
	}
	m := machineOf(q.Instance, instances)
	var all []Option
	for _, v := range volumes {
		if v.Unlimited {
			continue // no limit of it decides an order
		}
		o, err := q.option(v, m, t)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
		if beside, has := q.besideLog(v, m, t); has {
			all = append(all, beside)
		}
	}
	slices.SortStableFunc(all, cheaper)
	return all, nil
}

// option is what a kind of volume, behind a machine, makes of a need.
func (q Question) option(v catalog.Volume, m *machine, t Tariff) (Option, error) {
	o := q.over(v).order(v, t)
	o.stripe(q, v)
	if q.MultiAZ && v.Provider == "rds" && o.Bill != nil {
		o.Bill = new(t.withStandby(o.Order.Config, *o.Bill))
	}
	if m.behind(v) && o.Order != nil {
		o.Cap = capped(*m.limits, *o.Order, q.requirement(v))
	}
	o.stand(q, m)
	if v.HardDisk && !q.HardDisks || o.Disks > 1 {
		return o, nil
	}
	var err error
	o.Burst, o.Bare, err = q.burst(v, o.Order, m, t)
	return o, err
}

// requirement is the need with headroom as the provider counts it, at most.
func (q Question) requirement(v catalog.Volume) Requirement {
	headroom := 1 + q.Headroom/100
	_, most := q.Need.Operations(v.UnitKiB, v.Merges)
	return Requirement{GiB: q.GiB, IOPS: most * headroom, MiBps: q.Need.Charged(v) / mib * headroom}
}

// order is the cheapest of a kind of volume that carries the need.
func (q Question) order(v catalog.Volume, t Tariff) Option {
	o := Option{Volume: v}
	headroom := 1 + q.Headroom/100
	o.Least, o.Most = q.Need.Operations(v.UnitKiB, v.Merges)
	o.Least, o.Most = o.Least*headroom, o.Most*headroom
	cost := func(c Config) (float64, bool) {
		b, err := t.Monthly(c)
		return b.Total, err == nil
	}
	fitted, err := Fit(v, q.requirement(v), cost)
	if err != nil {
		o.Why = err.Error()
		return o
	}
	o.Order = &fitted
	if bill, err := t.Monthly(fitted.Config); err != nil {
		o.NoBill = err.Error()
	} else {
		o.Bill = &bill
	}
	return o
}
