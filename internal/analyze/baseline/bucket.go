package baseline

import (
	"fmt"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

// Bucket is a published credit bucket that explains a slowdown.
type Bucket struct {
	Title string  `json:"title"`
	Of    string  `json:"of"`            // IOPS, MiB/s, MB/s
	GiB   float64 `json:"gib,omitempty"` // of the volume; 0: it is a machine's
	Burst float64 `json:"burst"`         // while there are credits
	Base  float64 `json:"base"`          // without credits
	Full  float64 `json:"full_seconds"`  // duration of a full bucket at the rate before
	// fill level at the start, by the time it lasted
	Held    float64  `json:"held_percent"`
	Sources []string `json:"sources"`
}

// off is the tolerated relative difference from a published rate: a volume delivers nine tenths of it most of the time.
const off = 0.1

func near(measured, published float64) bool {
	return published > 0 && math.Abs(measured-published) <= off*published
}

// halfAnHour is the time, in seconds, for which machines can burst at least once a day.
const halfAnHour = 1800

// BucketsOf returns the published buckets with these rates before and after that last at least as long when full.
func BucketsOf(t Throttle, volumes []catalog.Volume, instances []catalog.Instance) (found []Bucket) {
	for _, v := range volumes {
		for i := range v.Tiers {
			found = append(found, t.ofTier(v, i)...)
		}
	}
	for _, m := range instances {
		found = append(found, t.ofMachine(m)...)
	}
	return found
}

const mib = 1 << 20

// ofTier tries the sizes of a tier that sustain the rate after.
func (t Throttle) ofTier(v catalog.Volume, i int) []Bucket {
	tier, last := v.Tiers[i], v.GiB[1]
	if i+1 < len(v.Tiers) {
		last = v.Tiers[i+1].FromGiB - 1
	}
	var found []Bucket
	for _, gib := range t.sizes(v, tier, last) {
		k, err := sizing.Config{Volume: v, GiB: gib}.Capacity()
		if err != nil {
			continue
		}
		if b, fits := t.matches(t.operations(v, t.Before), t.operations(v, t.After), k.BurstIOPS, k.IOPS,
			k.Credits); fits {
			b.Title, b.Of, b.GiB, b.Sources = titleOf(v, tier), "IOPS", gib, v.Sources
			found = append(found, b)
		}
		if b, fits := t.matches([2]float64{t.Before.Bytes / mib}, [2]float64{t.After.Bytes / mib}, k.BurstMiBps,
			k.MiBps, k.CreditsMiB); fits {
			b.Title, b.Of, b.GiB, b.Sources = titleOf(v, tier), "MiB/s", gib, v.Sources
			found = append(found, b)
		}
	}
	return slices.CompactFunc(found, func(a, b Bucket) bool { return a.Title == b.Title && a.Of == b.Of })
}

func titleOf(v catalog.Volume, tier catalog.Tier) string {
	if tier.Name != "" {
		return v.Title + " " + tier.Name
	}
	return v.Title
}

// sizes returns the sizes in a tier that may have the rate after as their base.
func (t Throttle) sizes(v catalog.Volume, tier catalog.Tier, last float64) []float64 {
	first := max(tier.FromGiB, v.GiB[0])
	var sizes []float64
	if r := tier.IOPS; r.Least > 0 && r.PerGiB > 0 && r.Least/r.PerGiB >= first {
		sizes = append(sizes, math.Floor(r.Least/r.PerGiB)) // the largest with just the least rate
	}
	add := func(rate float64, r catalog.Rule) {
		if r.PerGiB <= 0 {
			return
		}
		if gib := math.Round((rate - r.Free) / r.PerGiB); gib >= first && gib <= last {
			sizes = append(sizes, gib)
		}
	}
	for _, rate := range t.operations(v, t.After) {
		add(rate, tier.IOPS)
	}
	add(t.After.Bytes/mib, tier.MiBps)
	return append(sizes, first)
}

// operations returns what the provider counts at a level, at least and at most.
func (t Throttle) operations(v catalog.Volume, l *Level) [2]float64 {
	least, most := needs.Rate{Writes: l.Operations, WriteBytes: l.Bytes}.Operations(v.UnitKiB, v.Merges)
	return [2]float64{least, most}
}

// matches compares rates before and after, at least and at most, with a bucket.
func (t Throttle) matches(before, after [2]float64, burst, base, credits float64) (Bucket, bool) {
	if credits <= 0 || burst <= base {
		return Bucket{}, false
	}
	for i := range before {
		if !near(before[i], burst) || !near(after[i], base) {
			continue
		}
		b := Bucket{Burst: burst, Base: base, Full: credits / (burst - base)}
		b.Held = 100 * t.Seconds / b.Full
		return b, b.Held <= 100*(1+off)
	}
	return Bucket{}, false
}

// ofMachine compares the rates with the limits of a machine class.
func (t Throttle) ofMachine(m catalog.Instance) (found []Bucket) {
	const mb = 1e6
	if !m.Bursts {
		return nil
	}
	for _, d := range []struct {
		of                         string
		before, after, burst, base float64
	}{
		{"IOPS", t.Before.Operations, t.After.Operations, m.MostIOPS, m.BaseIOPS},
		{"MB/s", t.Before.Bytes / mb, t.After.Bytes / mb, m.MostMB, m.BaseMB},
	} {
		if d.burst > d.base && near(d.before, d.burst) && near(d.after, d.base) {
			b := Bucket{Title: fmt.Sprintf("instance %s", m.Class), Of: d.of, Burst: d.burst, Base: d.base,
				Full: halfAnHour, Sources: m.Sources}
			b.Held = 100 * t.Seconds / b.Full // may exceed 100: the half hour is a minimum
			found = append(found, b)
		}
	}
	return found
}
