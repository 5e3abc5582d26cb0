package sizing

import (
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
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

func (q Question) with(amount float64) float64 { return number.Tidy(amount * (100 + q.Headroom) / 100) }

// of returns the same question about another need.
func (q Question) of(need needs.Rate) Question {
	q.Need = need
	return q
}

// requirement returns the need with headroom as the provider counts it, at most.
func (q Question) requirement(v catalog.Volume) Requirement {
	_, most := q.Need.Operations(v.UnitKiB, v.Merges)
	step := v.Step()
	return Requirement{GiB: number.Tidy(q.GiB), IOPS: q.with(most), MiBps: q.with(q.Need.Charged(v)/(mib*step)) * step}
}

// cost returns what ranks an option: no inferred price does; nil: nothing.
func (o Option) cost() *float64 {
	if o.Bill == nil || o.Bill.Inferred {
		return nil
	}
	return &o.Bill.Total
}
