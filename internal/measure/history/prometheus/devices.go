package prometheus

import (
	"context"
	"regexp"
	"slices"

	"github.com/prometheus/common/model"
)

// partOf is a name of a partition: of sda1, or of nvme0n1p1.
var partOf = regexp.MustCompile(`^(.*[a-z])[0-9]+$|^(.*[0-9])p[0-9]+$`)

// split are the devices of a machine that are counted, and those that are parts of them or made of them: partitions beside their disk, and what has no place
// on a bus where others have one.
func split(devices []string, onBus map[string]bool) (whole, without []string) {
	anyOnBus := slices.ContainsFunc(devices, func(d string) bool { return onBus[d] })
	for _, d := range devices {
		parent := ""
		if m := partOf.FindStringSubmatch(d); m != nil {
			parent = m[1] + m[2]
		}
		_, told := onBus[d]
		if slices.Contains(devices, parent) || anyOnBus && told && !onBus[d] {
			without = append(without, d)
		} else {
			whole = append(whole, d)
		}
	}
	return whole, without
}

// buses tell of each device of an instance of node_exporter whether it has a place on a bus.
func (f *Fleet) buses(ctx context.Context) (map[string]map[string]bool, error) {
	sets, err := f.store.series(ctx, f.query, selector("node_disk_info", wholeDisks, f.query.Host), 10*mostDatabases)
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]bool{}
	for _, set := range sets {
		instance, device := string(set[model.InstanceLabel]), string(set[deviceLabel])
		if all[instance] == nil {
			all[instance] = map[string]bool{}
		}
		all[instance][device] = all[instance][device] || set["path"] != ""
	}
	return all, nil
}
