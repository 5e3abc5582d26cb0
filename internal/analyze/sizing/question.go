package sizing

import (
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

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
