package worlds

import (
	"math"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Layer is a layer between a file system and its disks.
type Layer string

// The layers.
const (
	Striped     Layer = "stripes"
	Encrypted   Layer = "encryption"
	CopyOnWrite Layer = "copy-on-write"
	InUnits     Layer = "requests in units" // of 256 KiB, as EBS counts them
	Replicated  Layer = "replication"
	Compressed  Layer = "compression"
)

// Layers returns all layers.
func Layers() []Layer {
	return []Layer{Striped, Encrypted, CopyOnWrite, InUnits, Replicated, Compressed}
}

// The work of the disks beneath a layer, which no quantity counts.
const (
	DiskRequests metric.Quantity = "requests of disks"
	DiskBytes    metric.Quantity = "bytes of disks"
	DiskFlushes  metric.Quantity = "flushes of disks"
)

// storage is a layer and its effect on a request. Like servers, it is drawn from wide ranges.
type storage struct {
	layer   Layer
	unit    float64 // bytes that it stores or counts as one
	copies  float64 // disks that a flush, or everything, goes to
	merged  float64 // requests that become one
	ratio   float64 // of bytes stored to bytes requested
	beside  float64 // its own requests per flush
	beneath bool    // the kernel counts beneath it, as on the disks of a stripe
}

func newStorage(d *dice) *storage {
	s := &storage{layer: pick(d, Layers()), copies: 1, merged: 1, ratio: 1, beneath: d.chance(1.0 / 3)}
	switch s.layer {
	case Striped:
		s.unit, s.copies = pick(d, []float64{16e3, 64e3, 256e3, 512e3}), pick(d, []float64{2, 4, 8})
	case Encrypted:
		s.unit, s.ratio = pick(d, []float64{512, 4096}), 1+d.uniform(0, 0.04)
	case CopyOnWrite:
		s.unit, s.copies, s.beside, s.ratio = pick(d, []float64{8192, 16384, 131072}), 1+float64(d.IntN(2)),
			d.uniform(1, 6), d.uniform(0.4, 1)
	case InUnits:
		s.unit, s.merged = 256<<10, d.between(1, 8)
	case Replicated:
		s.copies, s.beside, s.ratio = pick(d, []float64{2, 3, 6}), d.uniform(0, 1), d.uniform(1, 1.1)
	case Compressed:
		s.unit, s.ratio = 4096, d.uniform(0.15, 0.8)
	}
	return s
}

// does returns the work of the disks for the given requests, bytes and flushes. Compression and merging depend on the
// load.
func (s *storage) does(t variation, requests, bytes, flushes float64) amounts {
	if requests <= 0 {
		return amounts{DiskFlushes: s.copies * flushes}
	}
	size := bytes / requests
	all := amounts{DiskRequests: requests, DiskBytes: bytes, DiskFlushes: s.copies * flushes}
	switch s.layer {
	case Striped:
		all[DiskRequests] = requests * (1 + size/s.unit)
	case Encrypted:
		all[DiskBytes] = requests * math.Ceil(size/s.unit) * s.unit * s.ratio
		all[DiskRequests] = requests * max(1, size/(128<<10))
	case CopyOnWrite:
		blocks := math.Ceil(size / s.unit)
		all[DiskBytes] = requests*blocks*s.unit*min(1, s.ratio*t.extra) + s.beside*flushes*16384
		all[DiskRequests] = requests*max(1, blocks*s.unit/(1<<20)) + s.beside*flushes
	case InUnits:
		all[DiskRequests] = requests * max(1/(1+(s.merged-1)*min(1, t.merging)), size/s.unit)
	case Replicated:
		all[DiskRequests] = s.copies * (requests + s.beside*flushes)
		all[DiskBytes] = s.copies * bytes * s.ratio
	case Compressed:
		all[DiskBytes] = requests * max(s.unit, size*min(1, s.ratio*t.extra))
	}
	return all
}

// put adds the work of the disks for the device's work, given in parts of similar requests. If the kernel counts
// beneath the layer, that is the device's work.
func (s *storage) put(a amounts, t variation, parts ...amounts) amounts {
	if s == nil {
		return a
	}
	for _, p := range parts {
		a.add(s.does(t, p[metric.DeviceRequests], p[metric.DeviceBytes], p[metric.DeviceFlushes]))
	}
	if s.beneath {
		a[metric.DeviceRequests], a[metric.DeviceBytes], a[metric.DeviceFlushes] = a[DiskRequests], a[DiskBytes],
			a[DiskFlushes]
	}
	return a
}

// backup reads everything, and writes it to the same storage, from a moment on.
type backup struct{ from, to, bytes float64 }

func (b *backup) does(from, to float64) amounts {
	seconds := min(to, b.to) - max(from, b.from)
	if b.bytes == 0 || seconds <= 0 {
		return nil
	}
	const request = 512 << 10
	bytes := b.bytes * seconds
	return amounts{devRead: bytes, devReads: bytes / request, metric.DeviceBytes: bytes,
		metric.DeviceRequests: bytes / request, metric.DeviceFlushes: seconds / 5}
}

// The troubles of meters that do not count one by one.
const (
	Sampled  Trouble = "samples"
	Rounded  Trouble = "rounded"
	Switched Trouble = "switched"
)

const (
	backedUp   = 0.2  // of worlds
	ofDisks    = 0.4  // of meters count the work of disks
	ofDisksToo = 0.12 // of meters count it and something else
)

// NewStorage draws a world whose storage is no plain disk. Many of its meters count the work of disks beneath, some of
// them by samples, in large units, or one thing after the other.
func NewStorage(seed uint64, meters int) World {
	d := newDice(seed)
	design := d.wildDesign()
	if d.chance(0.25) {
		design = Both
	}
	w := serverOn(d, seed, design, newStorage(d))
	for i := range meters {
		w.Meters = append(w.Meters, onStorage(d, meterName(i), w))
	}
	return w
}

// disks returns the counts of disks, which are all physical.
func disks() []counts.Quantity {
	return []counts.Quantity{{Name: DiskRequests, Side: counts.Physical}, {Name: DiskBytes, Side: counts.Physical},
		{Name: DiskFlushes, Side: counts.Physical}}
}

func onStorage(d *dice, name string, w World) Meter {
	done := loaded(w.repetitions)
	var rule Rule
	switch roll := d.Float64(); {
	case roll < ofDisks:
		of := pick(d, disks())
		rule = Rule{Sort: Single, Terms: []Term{{of.Name, of.Side, d.factor(smallest(done, func(a amounts) float64 {
			return a[of.Name]
		})), 1}}}
	case roll < ofDisks+ofDisksToo:
		rule = d.mixture(done, pick(d, disks()), pick(d, w.moved()))
	default:
		return d.troubled(name, w)
	}
	m := Meter{Name: name, Rule: rule, Noise: d.noise(), kind: runfile.Counter, missing: d.blind(w.repetitions)}
	m.Trouble = pick(d, []Trouble{NoTrouble, NoTrouble, NoTrouble, Sampled, Rounded, Switched, Curved, Lagging})
	m = counting(d, m, w)
	switch m.Trouble {
	case Sampled:
		m.sum = samples(d, m.sum)
	case Rounded:
		m.unit = w.least(m.Rule) / d.between(2, 200)
	}
	return m
}

// samples returns the counts of a meter that sees a share of all.
func samples(d *dice, sum []float64) []float64 {
	kept := d.between(0.01, 0.5)
	all, seen := make([]float64, len(sum)), 0.0
	for i := 1; i < len(sum); i++ {
		amount := sum[i] - sum[i-1]
		seen += max(0, math.Round(amount*kept+d.normal(math.Sqrt(amount*kept*(1-kept)))))
		all[i] = seen / kept
	}
	return all
}

// switches returns the amounts, in each slice, of a meter that counts the first term of its rule until a moment, and the
// second one, or more of the first, from then on.
func switches(d *dice, m *Meter, w World) (shown []float64) {
	at, times := w.course.end()*d.uniform(0.2, 0.8), d.between(1.5, 4)
	if all := m.Rule.Terms; len(all) > 1 {
		shown := [2]float64{}
		for _, s := range *w.course {
			k := 0
			if s.from >= at {
				k = 1
			}
			shown[k] += all[k].PerUnit * s.done[all[k].Quantity]
		}
		for k := range all {
			all[k].Share = shown[k] / (shown[0] + shown[1])
		}
	}
	for _, s := range *w.course {
		rule, factor := m.Rule, 1.0
		switch {
		case len(rule.Terms) > 1 && s.from < at:
			rule.Terms = rule.Terms[:1]
		case len(rule.Terms) > 1:
			rule.Terms = rule.Terms[1:]
		case s.from >= at:
			factor = times
		}
		shown = append(shown, factor*(rule.of(s.done)+rule.of(s.besides)))
	}
	return shown
}
