package sizing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/printable"
)

// The dedicated log volume of RDS, by its user guide: of one size, with provisioned IOPS only. We infer that its price
// and throughput are those of any such volume.
const (
	logVolumeGiB  = 1024
	logVolumeIOPS = 3000
)

// logSuffix ends the name of a volume with a log volume.
const logSuffix = "-log"

// besideLog returns an order with a dedicated log volume for the WAL, if the kind of volume allows one.
func (q Question) besideLog(v catalog.Volume, m *machine, t Tariff) (Option, bool) {
	if q.Log == nil || !slices.Contains([]string{"rds-io1", "rds-io2"}, v.Name) {
		return Option{}, false
	}
	log, rest := q.Need, q.Need
	log.Reads, log.ReadBytes = 0, 0
	log.Writes, log.WriteBytes = q.Need.Writes*q.Log.Requests, q.Need.WriteBytes*q.Log.Bytes
	rest.Writes, rest.WriteBytes = q.Need.Writes-log.Writes, q.Need.WriteBytes-log.WriteBytes
	o := q.of(rest).order(v, t)
	o.Disks = 1
	o.Least, o.Most = q.Need.Operations(v.UnitKiB, v.Merges)
	o.Volume.Name += logSuffix
	o.Volume.Title = strings.TrimSuffix(v.Title, " Block Express") + " + log"
	o.Volume.Note = fmt.Sprintf("with a dedicated log volume of %s GiB and %s IOPS; PostgreSQL from 13.10, 14.7, "+
		"15.2 and 16.1 on", printable.Count(logVolumeGiB), printable.Count(logVolumeIOPS))
	beside := Config{Volume: v, GiB: logVolumeGiB, IOPS: logVolumeIOPS}
	if need := q.of(log).requirement(v); need.IOPS > logVolumeIOPS || need.MiBps > oneVolume(v) {
		o.Standing, o.Order, o.Bill, o.Why = TooSmall, nil, nil,
			fmt.Sprintf("the WAL needs %s IOPS and %s MiB/s, and its volume has %s and %s", printable.Count(need.IOPS),
				printable.Count(need.MiBps), printable.Count(logVolumeIOPS), printable.Count(oneVolume(v)))
		return o, true
	}
	if o.Order != nil {
		o.addLogVolume(beside, t)
		if q.MultiAZ && o.Bill != nil {
			o.Bill.addStandby()
		}
		if m.behind(v) {
			o.Cap = capped(*m.limits, *o.Order, q.requirement(v))
		}
	}
	o.stand(q, m)
	return o, true
}

// oneVolume returns the MiB/s of the log volume, which is not striped.
func oneVolume(v catalog.Volume) float64 {
	return holds(v.Tiers[0].MiBps, logVolumeGiB, 0, logVolumeIOPS)
}

// addLogVolume adds the log volume to an order's capacity and cost.
func (o *Option) addLogVolume(beside Config, t Tariff) {
	k := &o.Order.Capacity
	k.IOPS, k.BurstIOPS = k.IOPS+logVolumeIOPS, k.BurstIOPS+logVolumeIOPS
	k.MiBps, k.BurstMiBps = k.MiBps+oneVolume(beside.Volume), k.BurstMiBps+oneVolume(beside.Volume)
	if o.Bill == nil {
		return
	}
	bill, err := t.Monthly(beside)
	if err != nil {
		o.Bill, o.NoBill = nil, err.Error()
		return
	}
	for _, line := range bill.Lines {
		line.What += " of log volume"
		o.Bill.Lines = append(o.Bill.Lines, line)
	}
	o.Bill.Total += bill.Total
}
