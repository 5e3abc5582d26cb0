package sysstat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/fleet"
	"github.com/realiops/realiops/internal/measure/history"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Fleet is the machines in some files. A file is read when looking for machines, and again for each of its machines,
// since all together may not fit into memory.
type Fleet struct {
	read  func(ctx context.Context, name string) ([]byte, error)
	files map[string][]string // by machine
	span  runfile.Stretch
	now   time.Time
	ahead []string // files with intervals that end after now
	empty []string // files without an interval
	seen  map[string]*seen
}

// seen counts the intervals of a machine, and of each of its disks.
type seen struct {
	intervals     int
	disks         map[string]int
	written, raid float64 // bytes, if the machine has software RAID
}

// NewFleet finds the machines in files. It leaves out intervals after now, which another clock stamped.
func NewFleet(ctx context.Context, files []string, now time.Time, read func(ctx context.Context, name string) ([]byte,
	error)) (*Fleet, error) {
	f := &Fleet{read: read, files: map[string][]string{}, now: now, seen: map[string]*seen{}}
	for _, name := range files {
		hosts, ahead, err := f.open(ctx, name)
		if err != nil {
			return nil, err
		}
		if ahead > 0 {
			f.ahead = append(f.ahead, name)
		} else if !slices.ContainsFunc(hosts, func(h Host) bool { return len(h.Intervals)+len(h.partial) > 0 }) {
			f.empty = append(f.empty, name)
		}
		for _, h := range hosts {
			f.files[h.Name] = append(f.files[h.Name], name)
			f.count(h)
			for _, i := range h.Intervals {
				f.span.Extend(i.From, i.To)
			}
			for _, s := range h.partial {
				if !s.to.After(now) {
					f.span.Extend(s.from, s.to)
				}
			}
		}
	}
	if f.span.From.IsZero() && len(f.ahead) > 0 {
		return nil, fmt.Errorf("%s has only samples after %s, which is now by this machine's clock; is a clock wrong?",
			f.ahead[0], now.UTC().Format(time.RFC3339))
	}
	return f, nil
}

// count adds a file's intervals of a machine's disks.
func (f *Fleet) count(h Host) {
	if f.seen[h.Name] == nil {
		f.seen[h.Name] = &seen{disks: map[string]int{}}
	}
	of := f.seen[h.Name]
	if len(h.disks) > 0 {
		of.intervals += len(h.Intervals)
	}
	for disk, n := range h.disks {
		of.disks[disk] += n
	}
	if of.raid += h.raid; h.raid > 0 {
		for _, i := range h.Intervals {
			of.written += i.WriteBytes * i.To.Sub(i.From).Seconds()
		}
	}
}

// Notices returns what was left out, and which disks were missing at times: the files do not say whether a disk was
// detached or its figures are lost.
func (f *Fleet) Notices() (all []string) {
	for _, name := range f.ahead {
		all = append(all, "Skipped samples of "+name+" after now, by this machine's clock.")
	}
	for _, name := range f.empty {
		all = append(all, name+" has no interval: what its machine did in its time is unknown.")
	}
	for _, name := range slices.Sorted(maps.Keys(f.seen)) {
		all = append(all, f.doubts(name)...)
	}
	return all
}

// copied is the share by which disks write more than the RAID on them, from which on they hold copies or parity.
const copied = 1.2

func (f *Fleet) doubts(machine string) (all []string) {
	of := f.seen[machine]
	if of.raid > 0 && of.written > copied*of.raid {
		all = append(all, fmt.Sprintf("The disks of %s wrote %.1f times what its software RAID (md) did. Copies and parity count "+
			"here, and a cloud's volume needs none; an order may be too large.", machine, of.written/of.raid))
	}
	for _, disk := range slices.Sorted(maps.Keys(of.disks)) {
		if n := of.disks[disk]; n < of.intervals {
			all = append(all, fmt.Sprintf("Disk %s of %s is in %d of %d intervals and counts as detached in the others; if it "+
				"was attached, it did more than is shown.", disk, machine, n, of.intervals))
		}
	}
	return all
}

// open reads a file up to now, and returns the number of later intervals.
func (f *Fleet) open(ctx context.Context, name string) (hosts []Host, ahead int, err error) {
	text, err := f.read(ctx, name)
	if err != nil {
		return nil, 0, fmt.Errorf("read sadf output: %w", err)
	}
	if IsOwn(text) {
		return nil, 0, fmt.Errorf("%s is sysstat's binary file; convert it with %s and pass that", name, ToJSON(name))
	}
	if hosts, err = Read(text); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	for i, h := range hosts {
		hosts[i].Intervals = slices.DeleteFunc(h.Intervals, func(interval Interval) bool { return interval.To.After(f.now) })
		ahead += len(h.Intervals) - len(hosts[i].Intervals) // h is from before
	}
	return hosts, ahead, nil
}

// Span returns the hours that the files cover.
func (f *Fleet) Span() (from, to time.Time) {
	return f.span.From.Truncate(time.Hour), f.span.To.Add(time.Hour - 1).Truncate(time.Hour)
}

// Databases returns the machines, by name.
func (f *Fleet) Databases() (all []fleet.Database) {
	for name := range f.files {
		all = append(all, fleet.Database{Name: name, Target: runfile.Target{Kind: "history", Flavor: "postgres",
			Host: name}})
	}
	slices.SortFunc(all, func(a, b fleet.Database) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// AtOnce returns how many are read together.
func (*Fleet) AtOnce() int { return 1 }

// Hours returns the files' data on some machines.
func (f *Fleet) Hours(ctx context.Context, machines []fleet.Database, from, to time.Time) ([]history.Data, error) {
	data := make([]history.Data, len(machines))
	for i, machine := range machines {
		intervals, err := f.intervals(ctx, machine.Name)
		if err != nil {
			return nil, err
		}
		data[i] = byHour(intervals, from, to)
		for _, notice := range f.doubts(machine.Name) { // which the ranking says of the machine
			data[i].Gaps = append(data[i].Gaps, runfile.Gap{At: from, Probe: "sysstat", Reason: runfile.Absent,
				Detail: strings.TrimSuffix(notice, ".")})
		}
	}
	return data, nil
}

// History returns the files' data on one machine, hour by hour, or by interval if there is no complete hour.
func (f *Fleet) History(ctx context.Context, machine string) (history.Data, error) {
	intervals, err := f.intervals(ctx, machine)
	if err != nil {
		return history.Data{}, err
	}
	from, to := f.Span()
	data := byHour(intervals, from, to)
	if len(data.Periods) == 0 {
		data, err = byInterval(intervals)
	}
	data.Asked = f.span
	return data, err
}

// intervals returns a machine's intervals in order, without duplicates from several files.
func (f *Fleet) intervals(ctx context.Context, machine string) (all []Interval, err error) {
	for _, name := range f.files[machine] {
		hosts, _, err := f.open(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, h := range hosts {
			if h.Name == machine {
				all = append(all, h.Intervals...)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Interval) int { return cmp.Or(a.To.Compare(b.To), a.From.Compare(b.From)) })
	all = slices.Compact(all)
	for i := 1; i < len(all); i++ {
		// sysstat writes whole seconds.
		if overlap := all[i-1].To.Sub(all[i].From); overlap > time.Second {
			return nil, fmt.Errorf("the files have two values for %s at %s; do two machines have that name?", machine,
				all[i].From.Format(time.RFC3339))
		}
	}
	return all, nil
}

// rows returns the metrics of a machine's disks.
func rows() []string {
	return []string{metric.BlockReads, metric.BlockWrites, metric.BlockReadBytes, metric.BlockWriteBytes}
}

// hour holds the known seconds of an hour with their sums and peaks.
type hour struct {
	seconds   float64
	sum, peak [4]float64
}

// mostOfHour is the part of an hour that must be known. sysstat begins a new file at midnight, so the ten minutes
// after a day's last reading are in no file.
const mostOfHour = 0.8

// byHour makes periods of nearly complete hours: the mean, and the highest interval.
func byHour(intervals []Interval, from, to time.Time) (data history.Data) {
	hours, apart := map[time.Time]*hour{}, time.Duration(0)
	for _, i := range intervals {
		length := i.To.Sub(i.From)
		at := i.From.Add(length / 2).Truncate(time.Hour)
		if at.Before(from) || !at.Before(to) {
			continue
		}
		if hours[at] == nil {
			hours[at] = &hour{}
		}
		hours[at].seconds += length.Seconds()
		for k, rate := range i.rates() {
			hours[at].sum[k] += rate * length.Seconds()
			hours[at].peak[k] = max(hours[at].peak[k], rate)
		}
		apart = max(apart, length)
	}
	for _, name := range rows() {
		announced := metric.All().Row(name).InPeriods(time.Hour)
		announced.Caveat = fmt.Sprintf("of all disks together, as sysstat kept it; the highest of an hour is a mean over "+
			"up to %s", printable.Duration(apart))
		data.Metrics = append(data.Metrics, announced)
	}
	for _, at := range slices.SortedFunc(maps.Keys(hours), time.Time.Compare) {
		h := hours[at]
		if h.seconds < mostOfHour*time.Hour.Seconds() {
			continue
		}
		for k, name := range rows() {
			p := runfile.Period{From: at, To: at.Add(time.Hour), Probe: "block", Metric: name, Fetched: to}
			p.Statistic, p.Value = runfile.Average, h.sum[k]/h.seconds
			data.Periods = append(data.Periods, p)
			p.Statistic, p.Value = runfile.Maximum, h.peak[k]
			data.Periods = append(data.Periods, p)
		}
	}
	return data
}

// byInterval makes a period of each interval.
func byInterval(intervals []Interval) (data history.Data, err error) {
	if len(intervals) == 0 {
		return data, errors.New("the files have no complete interval: each disk needs requests and bytes, read and " +
			"written, from the second reading on")
	}
	longest := time.Duration(0)
	for _, i := range intervals {
		longest = max(longest, i.To.Sub(i.From))
		for k, rate := range i.rates() {
			data.Periods = append(data.Periods, runfile.Period{From: i.From, To: i.To, Probe: "block",
				Metric: rows()[k], Statistic: runfile.Average, Value: rate, Fetched: intervals[len(intervals)-1].To})
		}
	}
	for _, name := range rows() {
		announced := metric.All().Row(name).InPeriods(longest)
		announced.Caveat = "of all disks together, as sysstat kept it, which is less than an hour"
		data.Metrics = append(data.Metrics, announced)
	}
	return data, nil
}
