package sizing

import (
	"fmt"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// disks is how many of a kind of volume are striped: RDS and Aurora do that themselves.
func (q Question) disks(v catalog.Volume) int {
	if v.Provider == "rds" || v.Unlimited {
		return 1
	}
	return max(1, q.Disks)
}

// over is what is asked of each of the disks, among which requests and data are shared out evenly.
func (q Question) over(v catalog.Volume) Question {
	n := float64(q.disks(v))
	q.Need, q.GiB = q.Need.Times(1/n), q.GiB/n
	return q
}

// stripe makes an order for one disk one for all of them.
func (o *Option) stripe(q Question, v catalog.Volume) {
	o.Disks = q.disks(v)
	n := float64(o.Disks)
	o.Least, o.Most = o.Least*n, o.Most*n
	if o.Order == nil || o.Disks == 1 {
		return
	}
	k := &o.Order.Capacity
	*k = Capacity{k.IOPS * n, k.MiBps * n, k.BurstIOPS * n, k.BurstMiBps * n, k.Credits * n, k.CreditsMiB * n}
	if o.Bill == nil {
		return
	}
	o.Bill.Total *= n
	for i := range o.Bill.Lines {
		line := &o.Bill.Lines[i]
		line.What, line.Amount = fmt.Sprintf("%d x %s", o.Disks, line.What), line.Amount*n
	}
}
