// Package block reads what the kernel counts of a block device: the requests that really went to the storage under a
// PostgreSQL on this machine.
//
// [ForDirectory] finds the device that does the work below a data directory and gives a sampler of it; its error says
// in the terms of a gap why there is none: the directory is in memory, on another machine, or out of our sight.
// [LocalDataDirectory] tells first whether the server is one of this machine at all. [StorageOf] only describes.
//
// The counters are the device's, so they hold everything that everybody does on it, and they are as the kernel keeps
// them: nothing is derived here. In particular an empty flush counts as a write completed as well; the requests that
// carry data are writes minus flushes.
package block

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/prometheus/procfs/blockdevice"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// Name of the sampler, and of its metrics up to the slash.
const Name = "block"

// Sampler reads the counters of one device.
type Sampler struct {
	sys     blockdevice.FS
	device  string // as in /sys/block
	flushes bool   // the kernel counts them for this kind of device
}

// ForDirectory makes a sampler of the device that holds the directory. The error is a *probe.Error.
func ForDirectory(path string) (*Sampler, error) { return thisHost().forDirectory(path) }

// StorageOf describes what lies under a directory. A device that cannot be told is left empty; an error means that
// the directory itself cannot be looked at.
func StorageOf(path string) (runfile.Storage, error) { return thisHost().storageOf(path) }

func (h host) forDirectory(path string) (*Sampler, error) {
	p, err := h.place(path)
	if err == nil {
		err = errors.Join(p.missing, h.mustCount(p.device), h.mustHoldAll(p))
	}
	if err != nil {
		return nil, asError(err)
	}
	sys, err := blockdevice.NewFS(h.proc, h.sys)
	if err != nil {
		return nil, asError(fmt.Errorf("read the counters of block devices: %w", err))
	}
	return &Sampler{sys: sys, device: p.device, flushes: h.passesFlushes(p.device)}, nil
}

func (h host) storageOf(path string) (runfile.Storage, error) {
	p, err := h.place(path)
	return runfile.Storage{Directory: path, FileSystem: p.fileSystem, Device: written(p.device), RAM: p.ram}, err
}

// Name is block.
func (s *Sampler) Name() string { return Name }

// Device is the device's name, as in /proc/diskstats.
func (s *Sampler) Device() string { return written(s.device) }

// Metrics lists what the kernel counts of a device.
func (s *Sampler) Metrics() []runfile.Metric { return Metrics() }

// Sample reads all counters of the device in one read of one file.
func (s *Sampler) Sample(ctx context.Context) (probe.Sample, error) {
	if err := ctx.Err(); err != nil {
		return probe.Sample{}, err
	}
	stats, fields, err := s.sys.SysBlockDeviceStat(s.device)
	if err != nil {
		return probe.Sample{}, s.lost(err)
	}
	sample := probe.Sample{Values: map[string]float64{}}
	for _, f := range all {
		if why := s.without(f, fields); why != "" {
			gap := runfile.Gap{Metric: f.metric().Name, Reason: runfile.Unsupported, Detail: why}
			sample.Gaps = append(sample.Gaps, gap)
			continue
		}
		sample.Values[f.metric().Name] = f.value(stats)
	}
	return sample, nil
}

// without says why the device has no such figure, or nothing.
func (s *Sampler) without(f figure, fields int) string {
	switch {
	case fields < f.fields:
		return "this kernel does not count flushes: 5.5 and later do"
	case f.fields > beforeFlushes && !s.flushes:
		return "the kernel does not count flushes of " + s.Device() + ", which hands requests on to other devices"
	default:
		return ""
	}
}

func (s *Sampler) lost(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoDevice) {
		return &probe.Error{Reason: runfile.Failed, Code: "ENODEV", Err: fmt.Errorf("the device %s is gone", s.Device())}
	}
	return fmt.Errorf("read the counters of %s: %w", s.Device(), err)
}

// asError puts what went wrong into the terms of a gap, unless it is there already.
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

// written is a device's name as people and /proc/diskstats write it: /sys has an exclamation mark for a slash.
func written(device string) string { return strings.ReplaceAll(device, "!", "/") }
