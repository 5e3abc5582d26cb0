package sizing

import (
	"fmt"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// mostDisks is the largest stripe tried by default.
const mostDisks = 8

// stripes reports whether the user may stripe over several volumes of a kind, each of which adds its throughput. A
// Google disk's depends on the machine, and RDS and Aurora stripe themselves.
func stripes(v catalog.Volume) bool { return v.Provider == "ebs" || v.Provider == "azure" }

// disks returns the number of striped volumes of a kind; 1 for RDS and Aurora, which stripe themselves.
func (q Question) disks(v catalog.Volume) int {
	if v.Provider == "rds" || v.Unlimited {
		return 1
	}
	return max(1, q.Disks)
}

// over returns the need of each disk, with requests and data spread evenly.
func (q Question) over(v catalog.Volume) Question {
	n := float64(q.disks(v))
	q.Need, q.GiB = q.Need.Times(1/n), q.GiB/n
	return q
}

// stripe turns an order for one disk into one for all of them.
func (o *Option) stripe(q Question, v catalog.Volume) {
	o.Disks = q.disks(v)
	n := float64(o.Disks)
	o.Least, o.Most = o.Least*n, o.Most*n
	if o.Order == nil || o.Disks == 1 {
		return
	}
	k := &o.Order.Capacity
	*k = Capacity{k.IOPS * n, k.MiBps * n, k.BurstIOPS * n, k.BurstMiBps * n, k.Credits * n, k.CreditsMiB * n}
	if o.rank != nil {
		o.rank = new(*o.rank * n)
	}
	o.Bill.times(o.Disks)
	o.SmallerBill.times(o.Disks)
}

// leastSaved is the least that a stripe must save per month against fewer volumes, the smallest amount billed.
const leastSaved = 0.01

// saves reports whether a stripe is better than fewer volumes of its kind: it carries what they do not, or costs less.
func (o Option) saves(fewer Option) bool {
	less := func(a, b *float64) bool { return a != nil && b != nil && *a <= *b-leastSaved }
	if cheaper(o, fewer) >= 0 {
		return false
	}
	priced := o.cost() != nil && fewer.cost() != nil
	return o.Standing != fewer.Standing || priced && less(o.cost(), fewer.cost()) || !priced &&
		(o.cost() != nil || fewer.rank == nil || less(o.rank, fewer.rank))
}

// times multiplies a bill; nil stays nil.
func (b *Bill) times(n int) {
	if b == nil {
		return
	}
	b.Total *= float64(n)
	for i := range b.Lines {
		line := &b.Lines[i]
		line.What, line.Amount = fmt.Sprintf("%d x %s", n, line.What), line.Amount*float64(n)
	}
}
