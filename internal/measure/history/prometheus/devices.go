package prometheus

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/prometheus/common/model"

	"github.com/realiops/realiops/internal/runfile"
)

// partOf is a name of a partition: of sda1, or of nvme0n1p1.
var partOf = regexp.MustCompile(`^(.*[0-9])p[0-9]+$|^(.*[a-z])[0-9]+$`)

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
		instance, device := instanceOf(set), string(set[deviceLabel])
		if all[instance] == nil {
			all[instance] = map[string]bool{}
		}
		all[instance][device] = all[instance][device] || set["path"] != ""
	}
	return all, nil
}

// compare looks for disks of a machine that do the same hour by hour: one may be made of the other.
func (b *batch) compare(ctx context.Context) error {
	if len(b.of.devices) < 2 {
		return nil
	}
	byMachine := map[string]map[string][]map[model.Time]float64{} // and by device, of each metric
	for i, name := range b.of.of.copies {
		matrix, err := b.matrix(ctx, rateOfDisk, name)
		if err != nil {
			return err
		}
		for _, stream := range matrix {
			machine, device := tuple(model.LabelSet(stream.Metric), b.of.labels), string(stream.Metric[deviceLabel])
			if byMachine[machine] == nil {
				byMachine[machine] = map[string][]map[model.Time]float64{}
			}
			for len(byMachine[machine][device]) <= i {
				byMachine[machine][device] = append(byMachine[machine][device], map[model.Time]float64{})
			}
			for _, v := range stream.Values {
				byMachine[machine][device][i][v.Timestamp] = float64(v.Value)
			}
		}
	}
	for machine, disks := range byMachine {
		told := b.told[machine]
		if told == nil {
			continue
		}
		names := slices.Sorted(maps.Keys(disks))
		for i, one := range names {
			for _, other := range names[i+1:] {
				if alike(disks[one], disks[other]) {
					told.Gaps = append(told.Gaps, runfile.Gap{At: b.from, Probe: b.of.of.probe, Reason: runfile.Absent, Detail: fmt.Sprintf(
						"%s and %s do the same hour by hour, and both are counted: if one is made of the other or mirrors it, leave it out with --host 'device!=\"%s\"'", one, other, one)})
				}
			}
		}
	}
	return nil
}

// alike reports whether two disks do the same, which is not nothing.
func alike(a, b []map[model.Time]float64) bool {
	busy := false
	for i := range min(len(a), len(b)) {
		hours, idle, agree := agree(a[i], b[i])
		if hours == 0 || !agree {
			return false
		}
		busy = busy || !idle
	}
	return busy && len(a) == len(b)
}
