package sizing

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/metric"
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
