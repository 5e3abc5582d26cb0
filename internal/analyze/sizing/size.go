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
	Log      *LogShare // nil: not known
	Repeat   int       // seconds that the demand goes on for; 0: credits are not considered
}

// Option is one way to carry a need.
type Option struct {
	Volume catalog.Volume
	Order  *Fitted // nil: it cannot; see Why
	Why    string
	// Operations that the provider counts for the need, headroom included: where it merges all it can, and where nothing.
	Least, Most float64
	Bill        *Bill       // nil: see NoBill
	BillSpan    *[2]float64 // what it may come to; nil: it is no estimate
	NoBill      string
	Cap         *Cap      // what the machine lets through; nil: not asked, or not known
	Burst       *Bursting // a smaller order that credits carry; nil: none does, or it was not asked
	Bare        *Bursting // a still smaller one, that only holds the data: how long its credits last; nil: as for Burst
}

// ErrNoDemand is a need of nothing.
var ErrNoDemand = errors.New("there is no demand: nothing was written or read, so there is nothing to size")

// Options are all ways to carry a need, those that can first, by their cost where that is known.
func Options(q Question, volumes []catalog.Volume, instances []catalog.Instance, t Tariff) ([]Option, error) {
	if q.Need.Requests() == 0 && q.Need.Bytes() == 0 {
		return nil, ErrNoDemand
	}
	machine, err := machine(q.Instance, instances)
	if err != nil {
		return nil, err
	}
	var all []Option
	for _, v := range volumes {
		if v.Unlimited {
			continue // no limit of it decides an order
		}
		o := q.option(v, t)
		if machine != nil && behind(*machine, v) && o.Order != nil {
			o.Cap = capped(*machine, *o.Order, q.requirement(v))
		}
		b, err := q.burst(v, o.Order, machine, t)
		if err != nil {
			return nil, err
		}
		o.Burst, o.Bare = b.enough, b.bare
		all = append(all, o)
		if beside, has := q.besideLog(v, machine, t); has {
			all = append(all, beside)
		}
	}
	slices.SortStableFunc(all, cheaper)
	return all, nil
}

// requirement is the need with headroom as the provider counts it, at most.
func (q Question) requirement(v catalog.Volume) Requirement {
	headroom := 1 + q.Headroom/100
	_, most := q.Need.Operations(v.UnitKiB, v.Merges)
	return Requirement{GiB: q.GiB, IOPS: most * headroom, MiBps: q.Need.Bytes() / mib * headroom}
}

func (q Question) option(v catalog.Volume, t Tariff) Option {
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

func cheaper(a, b Option) int {
	rank := func(o Option) (int, float64) {
		switch {
		case o.Order == nil:
			return 2, 0
		case o.Bill == nil:
			return 1, 0
		default:
			return 0, o.Bill.Total
		}
	}
	ra, ca := rank(a)
	rb, cb := rank(b)
	switch {
	case ra != rb:
		return ra - rb
	case ca < cb:
		return -1
	case ca > cb:
		return 1
	default:
		return 0
	}
}
