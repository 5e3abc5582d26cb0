// Package block reads the kernel's counters of block devices: the requests that reach the storage
// under a PostgreSQL on this machine.
//
// [New] finds the devices under everything that a server writes to, down through partitions, volumes and arrays to
// the disks, and returns a sampler of them: block/writes and the others are the sum over all, each disk once. If the
// WAL, the tablespaces or the temporary files are on other disks, block.wal/writes and so on show them separately.
// Package layout finds the directories. [StorageOf] only describes.
//
// A device's counters hold everybody's requests, and are recorded as the kernel keeps them. An empty flush counts as
// a completed write, so the requests that carry data are writes minus flushes. Two further counts are the server's
// alone, and say less: the requests of its processes (block.process), and of its control group (block.cgroup).
package block

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/prometheus/procfs/blockdevice"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Name is the sampler's name and the prefix of its metrics.
const Name = "block"

// Sampler reads the counters of a server's devices and processes.
type Sampler struct {
	host     host
	sys      blockdevice.FS
	data     string // the first directory, without symbolic links
	groups   []group
	storage  runfile.Storage
	counters []counters

	directories []layout.Root
}

// New returns a sampler of everything that a server writes to. The error, a *probe.Error, means that the data
// directory is unreadable; other unreadable parts are gaps in every sample.
func New(roots []layout.Root) (*Sampler, error) { return thisHost().sampler(roots) }

// NewOfDirectory returns a sampler of only the devices under a directory.
func NewOfDirectory(path string) (*Sampler, error) {
	h := thisHost()
	roots, err := h.rootsIn(path)
	if err != nil {
		return nil, asError(err)
	}
	return h.devicesUnder(roots)
}

// StorageOf describes the storage under a data directory. An unknown device is empty; an error means that the
// directory itself cannot be read.
func StorageOf(path string) (runfile.Storage, error) {
	h := thisHost()
	roots, err := h.rootsIn(path)
	if err != nil {
		return runfile.Storage{Directory: path}, err
	}
	l, err := h.lay(roots)
	if err != nil {
		return runfile.Storage{Directory: path}, err
	}
	storage := h.storage(l)
	storage.Directory = path
	return storage, nil
}

// rootsIn returns the data and WAL directory of a server that cannot be asked, or any other directory.
func (h host) rootsIn(path string) ([]layout.Root, error) {
	if h.unable != nil {
		return nil, h.unable
	}
	l, err := layout.Find(layout.Server{Data: path})
	if err != nil {
		return nil, err
	}
	return l.Roots, nil
}

func (h host) sampler(roots []layout.Root) (*Sampler, error) {
	s, err := h.devicesUnder(roots)
	if err == nil {
		s.counters = h.countersOf(s.data, s.groups[0].devices)
	}
	return s, err
}

func (h host) devicesUnder(roots []layout.Root) (*Sampler, error) {
	parts, err := h.lay(roots)
	if err != nil {
		return nil, asError(err)
	}
	sys, err := blockdevice.NewFS(h.proc, h.sys)
	if err != nil {
		return nil, asError(fmt.Errorf("read the counters of block devices: %w", err))
	}
	return &Sampler{
		host: h, sys: sys, data: parts.parts[0].path, groups: h.groups(parts), storage: h.storage(parts),
		directories: parts.directories(),
	}, nil
}

// Name is block.
func (s *Sampler) Name() string { return Name }

// Storage describes the storage under the server.
func (s *Sampler) Storage() runfile.Storage { return s.storage }

// Directories returns one directory on each file system that the server writes to, the data directory's first.
func (s *Sampler) Directories() []layout.Root { return s.directories }

// Metrics lists the kernel's counters of these devices and this server.
func (s *Sampler) Metrics() (metrics []runfile.Metric) {
	for _, g := range s.groups {
		metrics = append(metrics, figuresOf(g.view)...)
	}
	for _, c := range s.counters {
		metrics = append(metrics, c.metrics...)
	}
	return metrics
}

// Metrics lists the metrics of all samplers of this package.
func Metrics() []runfile.Metric {
	metrics := figuresOf("")
	for _, role := range roles {
		metrics = append(metrics, figuresOf("."+role)...)
	}
	return slices.Concat(metrics, processMetrics(), cgroupMetrics())
}

// Sample reads all counters of each device in one read of one file.
func (s *Sampler) Sample(ctx context.Context) (probe.Sample, error) {
	if err := ctx.Err(); err != nil {
		return probe.Sample{}, err
	}
	sample := probe.Sample{Values: map[string]float64{}}
	read := map[string]reading{}
	for _, g := range s.groups {
		s.sum(g, read, &sample)
	}
	for _, c := range s.counters {
		values, err := c.read()
		for _, m := range c.metrics {
			if err != nil {
				sample.Gaps = append(sample.Gaps, gapIn(m.Name, err))
			} else {
				sample.Values[m.Name] = values[m.Name]
			}
		}
	}
	return sample, nil
}

type reading struct {
	stats  blockdevice.IOStats
	fields int
	err    error
}

// sum adds a group's figures to a sample. A figure that some device lacks is a gap.
func (s *Sampler) sum(g group, read map[string]reading, sample *probe.Sample) {
	why := g.missing
	for _, device := range g.devices {
		if _, known := read[device]; !known {
			read[device] = s.read(device)
		}
		if err := read[device].err; err != nil && why == nil {
			why = err
		}
	}
	for _, f := range all {
		value, lacks := 0.0, why
		for _, device := range g.devices {
			if err := s.without(f, device, read[device].fields); err != nil && lacks == nil {
				lacks = err
			}
			value += f.value(read[device].stats)
		}
		if lacks != nil {
			sample.Gaps = append(sample.Gaps, gapIn(f.name(g.view), lacks))
			continue
		}
		sample.Values[f.name(g.view)] = value
	}
}

func (s *Sampler) read(device string) reading {
	stats, fields, err := s.sys.SysBlockDeviceStat(device)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoDevice) {
		err = &probe.Error{Reason: runfile.Failed, Code: "ENODEV", Err: fmt.Errorf("the device %s is gone",
			written(device))}
	} else if err != nil {
		err = fmt.Errorf("read the counters of %s: %w", written(device), err)
	}
	return reading{stats, fields, err}
}

// without says why a device lacks a figure, or returns nil.
func (s *Sampler) without(f figure, device string, fields int) error {
	switch {
	case fields < f.fields && f.fields == withDiscards:
		return unsupported("this kernel does not count discards; Linux %s and later do", probe.Discards.Linux)
	case fields < f.fields:
		return unsupported("this kernel does not count flushes; Linux %s and later do", probe.Flushes.Linux)
	case f.fields == withFlushes && !s.host.passesFlushes(device):
		return unsupported("the kernel does not count flushes of %s, which passes requests on to other devices",
			written(device))
	default:
		return nil
	}
}

func gapIn(metric string, err error) runfile.Gap {
	gap := probe.GapOf(err)
	gap.Metric = metric
	return gap
}

// asError converts an error to the terms of a gap, unless it is one.
func asError(err error) error {
	if known, ok := errors.AsType[*probe.Error](err); ok {
		return known
	}
	return &probe.Error{Reason: probe.GapOf(err).Reason, Err: err}
}

func unsupported(format string, args ...any) error {
	return &probe.Error{Reason: runfile.Unsupported, Err: fmt.Errorf(format, args...)}
}

func notLocal(format string, args ...any) error {
	return &probe.Error{Reason: runfile.NotLocal, Err: fmt.Errorf(format, args...)}
}

// written returns a device's usual name: /sys has an exclamation mark for a slash.
func written(device string) string { return strings.ReplaceAll(device, "!", "/") }

// Absent returns the sampler of a server whose devices and processes cannot be read.
func Absent(why error) probe.Sampler {
	return probe.Absent(Name, slices.Concat(figuresOf(""), processMetrics(), cgroupMetrics()), why)
}

// counters are metrics that are read together.
type counters struct {
	metrics []runfile.Metric
	read    func() (map[string]float64, error)
}

// absent returns metrics that cannot be read.
func absent(metrics []runfile.Metric, why error) counters {
	return counters{metrics, func() (map[string]float64, error) { return nil, why }}
}

// countersOf returns the counters of the server in a directory: of its processes and its control group.
func (h host) countersOf(data string, devices []string) []counters {
	p, err := h.processesIn(data)
	if err != nil {
		return []counters{absent(processMetrics(), err), absent(cgroupMetrics(), err)}
	}
	c, err := h.cgroupOf(p.postmaster, devices)
	account := counters{cgroupMetrics(), c.read}
	if err != nil {
		account = absent(cgroupMetrics(), err)
	}
	return []counters{{processMetrics(), p.read}, account}
}

// Remedy returns one sentence of advice about a gap of this package. It is empty if the gap's own
// text has it, or there is none.
func Remedy(gap runfile.Gap) probe.Remedy {
	own := strings.HasPrefix(gap.Metric, processView) || strings.HasPrefix(gap.Metric, cgroupView)
	if own && gap.Reason == runfile.Permission {
		return probe.Remedy{Machine: true, Text: "run realiops as the server's user, or as root"}
	}
	return probe.Remedy{}
}

// sector is the kernel's unit of length, whatever the device's sectors are ("standard UNIX 512-byte sectors").
const sector = 512

// tick is the kernel's unit of time here: milliseconds, in 32 bits, so the sums wrap around after 49.7 days. The
// clock of the probes then reports a reset.
const tick = 1e-3

// The number of fields in a stat file, by the kernel's version.
const (
	beforeDiscards = 11
	withDiscards   = 15 // from 4.18 on
	withFlushes    = 17 // from 5.5 on
)

// figure is one field of a device's stat file.
type figure struct {
	field  string // its name in internal/metric
	fields int    // the least fields of a file that has it
	value  func(blockdevice.IOStats) float64
}

var all = []figure{
	{"reads", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.ReadIOs) }},
	{"reads_merged", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.ReadMerges) }},
	{"read_bytes", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.ReadSectors) * sector }},
	{"read_time", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.ReadTicks) * tick }},
	{"writes", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.WriteIOs) }},
	{"writes_merged", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.WriteMerges) }},
	{"write_bytes", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.WriteSectors) * sector }},
	{"write_time", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.WriteTicks) * tick }},
	{"flushes", withFlushes, func(s blockdevice.IOStats) float64 { return float64(s.FlushRequestsCompleted) }},
	{"flush_time", withFlushes, func(s blockdevice.IOStats) float64 { return float64(s.TimeSpentFlushing) * tick }},
	{"discards", withDiscards, func(s blockdevice.IOStats) float64 { return float64(s.DiscardIOs) }},
	{"discards_merged", withDiscards, func(s blockdevice.IOStats) float64 { return float64(s.DiscardMerges) }},
	{"discard_bytes", withDiscards, func(s blockdevice.IOStats) float64 { return float64(s.DiscardSectors) * sector }},
	{"discard_time", withDiscards, func(s blockdevice.IOStats) float64 { return float64(s.DiscardTicks) * tick }},
	{"io_time", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.IOsTotalTicks) * tick }},
	{"weighted_time", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.WeightedIOTicks) * tick }},
	{"in_flight", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.IOsInProgress) }},
}

// figuresOf lists the metrics of one group of devices.
func figuresOf(view string) []runfile.Metric {
	oid, apart := metric.TablespaceIn(strings.TrimPrefix(view, "."))
	if !apart {
		return metric.All().View(Name + view).Announced()
	}
	figures := figuresOf("." + tablespaces)
	for i := range figures {
		f := &figures[i]
		f.Name = metric.InRole(metric.TablespaceRole(oid), Name+"/"+path.Base(f.Name))
		f.Help = strings.Replace(f.Help, "the tablespaces", "tablespace "+oid, 1)
	}
	return figures
}

func (f figure) name(view string) string { return Name + view + "/" + f.field }
