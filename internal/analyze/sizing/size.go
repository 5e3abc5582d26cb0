package sizing

import (
	"errors"
	"time"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

// errTooShort is the error for a history without a period inside a window.
var errTooShort = errors.New("sizing needs four whole hours of history; give realiops history more hours, or the busiest " +
	"figures to realiops size --need")

// LeastObserved is the shortest observation taken as typical of a server: a week, which has its busiest day.
const LeastObserved = 7 * 24 * time.Hour

// ErrNoDemand is the error for a need of zero.
var ErrNoDemand = errors.New("nothing was written or read, so there is nothing to size")

// Options returns all ways to carry a need: those that do first, by cost if known. A stripe that saves little comes after
// one volume.
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
	sortOptions(all)
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

// Question holds the requirements that the catalog's volumes are tried against.
type Question struct {
	Need     needs.Rate   // per second, sustained
	Demand   []needs.Rate // by the second, for bursts; nil: unknown
	GiB      float64      // of data
	Headroom float64      // percent
	Instance string       // class of machine; empty: not considered
	Balance  Balance
	Log      *needs.WALShare // nil: unknown
	Repeat   int             // seconds for which the demand lasts; 0: credits are not considered

	HardDisks bool // requested by name
	MultiAZ   bool // RDS keeps a standby in another zone, with its own storage
	Disks     int  // striped over by the user; up to 1: no stripe
	MostDisks int  // the most to try if that is cheaper, or nothing else carries it; up to 1: only Disks
}

// Option is one way to carry a need.
type Option struct {
	Volume   catalog.Volume
	Standing Standing
	Order    *Fitted // nil: none is large enough
	Why      string  // why it does not, or may not, carry the need; empty: it does

	Disks int // number of disks, each as in Order; 1 unless more were requested

	unknownMachine bool // nothing else about it is unknown
	// rank without a price: the cost in the cloud's best-known region
	rank *float64

	// a smaller size that also carries the need, without a known price; nil: none
	Smaller     *Fitted
	SmallerBill *Bill   // by an inferred price; nil: none is known
	OnCredits   float64 // seconds per day in which the machine needs its burst; 0: none
	// Operations that the provider counts for the need, headroom included: with the most merging, and without.
	Least, Most float64
	Bill        *Bill       // nil: see NoBill
	BillSpan    *[2]float64 // range of the cost; nil: it is no estimate
	NoBill      string
	Unpriced    catalog.Per // the unknown price, if there is no bill
	Cap         *Cap        // what the machine passes; nil: not requested, or unknown
	Burst       *Bursting   // a smaller order that credits carry; nil: none, or not requested
	// the smallest order that holds the data, and how long its credits last; nil: as for Burst
	Bare *Bursting
}

func (q Question) with(amount float64) float64 { return number.Tidy(amount * (100 + q.Headroom) / 100) }

// of returns the same question about another need.
func (q Question) of(need needs.Rate) Question {
	q.Need = need
	return q
}

// requirement returns the need with headroom, as the provider counts it at most.
func (q Question) requirement(v catalog.Volume) Requirement {
	_, most := q.Need.Operations(v.UnitKiB, v.Merges)
	step := v.Step()
	return Requirement{GiB: number.Tidy(q.GiB), IOPS: q.with(most), MiBps: q.with(q.Need.Charged(v)/(mib*step)) * step}
}

// cost returns the cost for ranking; nil if unknown or inferred.
func (o Option) cost() *float64 {
	if o.Bill == nil || o.Bill.Inferred {
		return nil
	}
	return &o.Bill.Total
}
