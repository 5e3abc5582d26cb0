package prometheus

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/realiops/realiops/internal/measure/history"
	"github.com/realiops/realiops/internal/runfile"
)

// partOf matches the name of a partition: sda1, or nvme0n1p1.
var partOf = regexp.MustCompile(`^(.*[0-9])p[0-9]+$|^(.*[a-z])[0-9]+$`)

// anyHead matches disks that may have several paths, and ofSCSI SCSI names, of which
// several may be paths to one disk.
const anyHead = deviceLabel + `=~"nvme[0-9]+n[0-9]+"`

var ofSCSI = regexp.MustCompile(`^sd[a-z]+$`)

type diskInfo struct {
	onBus bool
	id    string // of the disk; its paths have the same
}

// split divides a machine's devices into those to count, and partitions, paths and devices made of others. It
// recognizes the latter by a missing bus address where others have one, or an alias. For an NVMe disk that counts
// nothing, as before Linux 6.3, the paths count.
func split(devices []string, infos map[string]diskInfo, counting map[string]bool) (whole, without []string) {
	anyOnBus := slices.ContainsFunc(devices, func(d string) bool { return infos[d].onBus })
	for _, d := range devices {
		parent := ""
		if m := partOf.FindStringSubmatch(d); m != nil {
			parent = m[1] + m[2]
		}
		info, known := infos[d]
		head := history.HeadOf(d)
		isHead := slices.ContainsFunc(devices, func(other string) bool { return history.HeadOf(other) == d })
		switch {
		case isHead:
			known = counting[d]
		case head != "":
			known = !slices.Contains(devices, head) || !counting[head]
		default:
			again := !ofSCSI.MatchString(d) && info.id != "" && slices.ContainsFunc(devices, func(other string) bool {
				return ofSCSI.MatchString(other) && infos[other].id == info.id
			})
			known = !(slices.Contains(devices, parent) || anyOnBus && known && !info.onBus || again)
		}
		if known {
			whole = append(whole, d)
		} else {
			without = append(without, d)
		}
	}
	return whole, without
}

// diskInfos returns the devices of each node_exporter.
func (f *Fleet) diskInfos(ctx context.Context) (map[string]map[string]diskInfo, error) {
	sets, err := f.store.series(ctx, f.query, selector("node_disk_info", wholeDisks, f.query.Host), 10*mostDatabases)
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]diskInfo{}
	for _, set := range sets {
		instance, device := instanceOf(set), set[deviceLabel]
		if all[instance] == nil {
			all[instance] = map[string]diskInfo{}
		}
		info := all[instance][device]
		info.onBus = info.onBus || set["path"] != ""
		info.id = cmp.Or(set["wwn"], set["serial"], info.id)
		all[instance][device] = info
	}
	return all, nil
}

// counting returns, for each instance, the disks with paths whose own counters are not all 0.
func (f *Fleet) counting(ctx context.Context, s shape, sets []labelSet) (map[string]map[string]bool, error) {
	all := map[string]map[string]bool{}
	if !slices.ContainsFunc(sets, func(set labelSet) bool {
		return history.HeadOf(set[deviceLabel]) != ""
	}) {
		return all, nil
	}
	for _, name := range s.copies {
		const above = `max by (` + instanceLabel + `,` + federatedLabel + `,` + deviceLabel + `) ($1 > 0)`
		matrix, err := f.rangeOf(ctx, s.query(above, nil, []string{f.query.Host, anyHead}, name),
			f.query.From, f.query.To)
		if err != nil {
			return nil, err
		}
		for _, stream := range matrix {
			instance := instanceOf(stream.Metric)
			if all[instance] == nil {
				all[instance] = map[string]bool{}
			}
			all[instance][stream.Metric[deviceLabel]] = true
		}
	}
	return all, nil
}

// compare looks for disks of a machine with equal figures in each hour: one may be made of the other.
func (b *batch) compare(ctx context.Context) error {
	if len(b.of.devices) < 2 {
		return nil
	}
	byMachine := map[string]map[string][]map[instant]float64{} // by machine and device, for each metric
	for i, name := range b.of.of.copies {
		matrix, err := b.matrix(ctx, rateOfDisk, name)
		if err != nil {
			return err
		}
		for _, stream := range matrix {
			machine, device := tuple(stream.Metric, b.of.labels), stream.Metric[deviceLabel]
			if byMachine[machine] == nil {
				byMachine[machine] = map[string][]map[instant]float64{}
			}
			for len(byMachine[machine][device]) <= i {
				byMachine[machine][device] = append(byMachine[machine][device], map[instant]float64{})
			}
			for _, v := range stream.Values {
				byMachine[machine][device][i][v.Timestamp] = v.Value
			}
		}
	}
	for machine, disks := range byMachine {
		data := b.data[machine]
		if data == nil {
			continue
		}
		names := slices.Sorted(maps.Keys(disks))
		for i, disk := range names {
			for _, other := range names[i+1:] {
				if info := b.infos[machine]; history.HeadOf(disk) != "" && history.HeadOf(disk) == history.HeadOf(other) ||
					ofSCSI.MatchString(disk) && ofSCSI.MatchString(other) && info[disk].id != "" &&
						info[disk].id == info[other].id {
					continue // paths to one disk, each with a part of its load
				}
				if alike(disks[disk], disks[other]) {
					data.Gaps = append(data.Gaps, runfile.Gap{At: b.from, Probe: b.of.of.probe, Reason: runfile.Absent,
						Detail: fmt.Sprintf("%s and %s do the same hour by hour, and both count; if one is part of the other or "+
							"mirrors it, exclude it with --host 'device!=\"%s\"'", disk, other, disk)})
				}
			}
		}
	}
	return nil
}

// alike reports whether two disks have the same figures, which are not all zero.
func alike(a, b []map[instant]float64) bool {
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
