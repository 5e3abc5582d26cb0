package sizing

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Volume is the set of devices that hold a part of a server's files.
type Volume struct {
	Holds   []string     // roles, as metric.WALRole
	Spaces  []string     // names of its tablespaces, if tablespaces are on different devices
	Devices []string     // as in /proc/diskstats
	Shared  bool         // another volume shares some of the devices, whose work is in both
	Needs   []needs.Need // of every load but idle ones, without a model for missing counts
}

// Volumes returns the volumes of a server that keeps WAL, tablespaces or temporary files apart; none if it has one, or
// the run does not count them separately.
func Volumes(run *counts.Run) (all []Volume) {
	under := run.Header.Target.Storage.Devices
	for _, role := range rolesOf(under) {
		devices := holding(under, role)
		if _, counted := run.Counter(metric.InRole(role, metric.BlockWrites)); !counted || len(devices) == 0 {
			continue
		}
		if i := slices.IndexFunc(all, func(v Volume) bool { return slices.Equal(v.Devices, devices) }); i >= 0 {
			all[i].Holds = append(all[i].Holds, role)
			all[i].Spaces = append(all[i].Spaces, spacesIn(run, role)...)
			continue
		}
		all = append(all, Volume{Holds: []string{role}, Spaces: spacesIn(run, role), Devices: devices,
			Needs: needs.In(run, role)})
	}
	if len(all) < 2 {
		return nil
	}
	for i, v := range all {
		all[i].Shared = slices.ContainsFunc(all, func(other Volume) bool {
			return !slices.Equal(other.Devices, v.Devices) && slices.ContainsFunc(v.Devices, func(d string) bool {
				return slices.Contains(other.Devices, d)
			})
		})
	}
	return all
}

// rolesOf returns the roles of devices, with tablespaces by device if they are on different ones.
func rolesOf(devices []runfile.StorageDevice) []string {
	var apart []string
	for _, d := range devices {
		for _, role := range d.Holds {
			if _, ok := metric.TablespaceIn(role); ok && !slices.Contains(apart, role) {
				apart = append(apart, role)
			}
		}
	}
	if len(apart) == 0 {
		apart = []string{metric.TablespacesRole}
	}
	return slices.Concat([]string{metric.DataRole, metric.WALRole}, apart, []string{metric.TempRole})
}

// spacesIn returns the names of the tablespaces in a role; a shared run has numbers.
func spacesIn(run *counts.Run, role string) []string {
	oid, apart := metric.TablespaceIn(role)
	if names := run.Header.Target.Storage.Tablespaces[oid]; len(names) > 0 || !apart {
		return names
	}
	return []string{oid}
}

func holding(devices []runfile.StorageDevice, role string) (names []string) {
	for _, d := range devices {
		if slices.Contains(d.Holds, role) {
			names = append(names, d.Name)
		}
	}
	return names
}

// apart sizes each volume of a run by itself, for the load that was sized for together. It returns none if their sums
// overlap.
func (s Sizing) apart(run *counts.Run) (all []Apart, err error) {
	for _, v := range Volumes(run) {
		alone := Sizing{Ask: s.Ask}
		alone.Ask.Volumes = slices.DeleteFunc(slices.Clone(s.Ask.Volumes), func(v catalog.Volume) bool {
			return v.Provider == "rds" || v.Provider == "aurora"
		})
		if run.Observed == nil {
			alone.Ask.Load = s.Need.Load
		}
		a, sized := Apart{Volume: v}, true
		if slices.Equal(v.Holds, []string{metric.WALRole}) {
			alone.Ask.GiB, sized = walGiB(run)
		}
		if alone.Parts, err = alone.parts(run, v.Needs); err == nil {
			alone, err = alone.answered()
		}
		missing, _ := errors.AsType[*series.Missing](err)
		switch idle := errors.Is(err, ErrNoDemand); {
		case v.Shared || len(alone.Ask.Volumes) == 0:
			return nil, nil
		case missing != nil:
			a.Why = missing.Detail + ", so there is nothing to size"
		case idle:
			a.Why = "nothing was written to it or read from it, so there is nothing to size"
		case err != nil:
			return nil, fmt.Errorf("the volume of %s: %w", strings.Join(v.Holds, " and "), err)
		case !sized:
			a.Why = "the size it must hold is unknown: the run does not have max_wal_size"
		default:
			a.Sizing = &alone
		}
		all = append(all, a)
	}
	return all, nil
}

// walGiB returns the size of a volume for WAL alone: twice max_wal_size, which a busy server may exceed, and at least 2
// GiB. known is false if the run lacks the setting.
func walGiB(run *counts.Run) (gib float64, known bool) {
	var amount float64
	var unit string
	_, err := fmt.Sscanf(run.Header.Target.Settings["max_wal_size"], "%f%s", &amount, &unit)
	each, known := map[string]float64{"MB": 1.0 / 1024, "GB": 1, "TB": 1024}[unit]
	return math.Ceil(max(2, 2*amount*each)), known && err == nil
}

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

// leastEarned is the share of one volume's price that a stripe must save to be ordered, since the user sets it up, and
// loses all data with any of its volumes.
const leastEarned = 0.1

// earns reports whether a stripe saves enough to be ordered instead of a single volume that carries the need too.
func (o Option) earns(single Option) bool {
	price, instead := o.cost(), single.cost()
	if price == nil && instead == nil {
		price, instead = o.rank, single.rank
	}
	return price != nil && (instead == nil || *price <= *instead*(1-leastEarned))
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
			fmt.Sprintf("the WAL needs %s IOPS and %s MiB/s, and its volume has %s and %s", number.Rate(need.IOPS),
				number.Rate(need.MiBps), printable.Count(logVolumeIOPS), printable.Count(oneVolume(v)))
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
