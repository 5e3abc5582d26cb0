package baseline

import (
	"cmp"
	"fmt"
	"math"

	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

// What may limit a need on a device.
const (
	ByRequests = "requests"
	ByBytes    = "bytes"
	ByFlushes  = "flush latency"
)

// Bound is one limit of a device.
type Bound struct {
	Of   string  `json:"of"`
	Need float64 `json:"need"` // per second, without headroom; NaN: unknown
	// per second, for the need's mix of reads and writes; NaN: see Why, or there is no need
	Most  float64  `json:"most"`
	Share float64  `json:"share"`         // of the device, headroom included; NaN: as above
	Jobs  []string `json:"jobs"`          // jobs of the baseline used
	Why   string   `json:"why,omitempty"` // why it is unknown
}

// Fit compares a need with a device.
type Fit struct {
	Bounds []Bound
	First  *Bound // the tightest bound; nil: unknown
	// Fits is nil if a part of the need was not measured and no other bound is exceeded.
	Fits *bool
}

// Hold compares a need with headroom, in percent, with what a device delivered. Reads and writes share it: a need of
// both takes the sum of the shares that each would take alone. WAL is flushed by one process at a time, so flushes take
// as much of a second as that many consecutive commits. For a throttled device, the rate after throttling counts.
func Hold(need needs.Rate, headroom float64, b Baseline) Fit {
	factor := 1 + headroom/100
	bytes := b.shared(ByBytes, need, factor, byteWays())
	if bytes.Share > 1 && b.small(bytes.Jobs, need) {
		bytes.Share, bytes.Most, bytes.Jobs = math.NaN(), math.NaN(), nil
		bytes.Why = "no job of the baseline has requests as large as needed, and small requests do not show the " +
			"highest throughput"
	}
	f := Fit{Bounds: []Bound{b.shared(ByRequests, need, factor, requestWays()), bytes, b.flushes(factor, need.Flushes)}}
	all, exceeded := true, false
	for i, bound := range f.Bounds {
		if math.IsNaN(bound.Share) {
			all = false
			continue
		}
		exceeded = exceeded || bound.Share > 1
		if f.First == nil || bound.Share > f.First.Share {
			f.First = &f.Bounds[i]
		}
	}
	if all || exceeded {
		f.Fits = new(!exceeded)
	}
	return f
}

// way is one direction of a device's work.
type way struct {
	name      string
	job       string // job that measures it, if the baseline has it; else the fastest is used
	of, other func(needs.Rate) float64
}

func requestWays() []way {
	reads, writes := func(r needs.Rate) float64 { return r.Reads }, func(r needs.Rate) float64 { return r.Writes }
	return []way{{"reads", "random-read", reads, writes}, {"writes", "random-write", writes, reads}}
}

func byteWays() []way {
	reads, writes := func(r needs.Rate) float64 {
		return r.ReadBytes
	}, func(r needs.Rate) float64 { return r.WriteBytes }
	return []way{{"reads", "", reads, writes}, {"writes", "", writes, reads}}
}

// shared returns a bound that reads and writes share.
func (b Baseline) shared(of string, need needs.Rate, factor float64, ways []way) Bound {
	bound := Bound{Of: of}
	for _, w := range ways {
		needed := w.of(need)
		if needed <= 0 {
			continue
		}
		bound.Need += needed
		most, job := b.most(w)
		if most <= 0 {
			bound.Why = cmp.Or(bound.Why, fmt.Sprintf("the baseline has no job of %s alone", w.name))
			continue
		}
		bound.Share += factor * needed / most
		bound.Jobs = append(bound.Jobs, job)
	}
	if bound.Why != "" {
		bound.Share = math.NaN()
	}
	bound.Most = bound.Need * factor / bound.Share // NaN if nothing is needed, or unknown
	return bound
}

// most returns the highest rate of a job that does nothing else.
func (b Baseline) most(w way) (most float64, job string) {
	_, named := b.Row(w.job)
	for _, r := range b.Rows {
		rate := b.delivered(r)
		pure := w.other(r.Fio.Rate) == 0 && r.Fio.Rate.Flushes == 0 && !(r.Load.Buffered && r.Device == nil)
		if v := w.of(rate); pure && (!named || r.Load.Name == w.job) && v > most {
			most, job = v, r.Load.Name
		}
	}
	return most, job
}

// delivered returns the device's sustained rate, or fio's if the device is unknown.
func (b Baseline) delivered(r Row) needs.Rate {
	rate := r.Fio.Rate
	if r.Device != nil {
		rate = r.Device.Rate
	}
	return rate.Times(b.lasting(r))
}

// lasting returns the share of a job's rate that was left after throttling.
func (b Baseline) lasting(r Row) float64 {
	if b.Throttle == nil || !b.Throttle.Found {
		return 1
	}
	return b.Throttle.After.Operations / r.Fio.Rate.Requests()
}

// small reports whether a job had smaller requests than a need. Above enough bytes, larger requests move no more.
func (b Baseline) small(jobs []string, need needs.Rate) bool {
	const enough = 128 << 10
	for _, name := range jobs {
		r, _ := b.Row(name)
		if did := b.delivered(r); did.Bytes()/did.Requests() < min(enough, need.Bytes()/need.Requests()) {
			return true
		}
	}
	return false
}

// flushes returns the bound of consecutive commits.
func (b Baseline) flushes(factor, need float64) Bound {
	bound := Bound{Of: ByFlushes, Need: need, Most: math.NaN()}
	for _, r := range b.Rows {
		if flushes := r.Fio.Rate.Flushes * b.lasting(r); r.Load.Depth == 1 && flushes > 0 && !(bound.Most >= flushes) {
			bound.Most, bound.Jobs = flushes, []string{r.Load.Name}
		}
	}
	switch {
	case need == 0:
		return bound
	case math.IsNaN(need):
		bound.Share, bound.Why = math.NaN(), "the number of flushes needed is unknown"
	case math.IsNaN(bound.Most):
		bound.Share, bound.Why = math.NaN(), "the baseline has no job that alternates writes and flushes"
	default:
		bound.Share = factor * need / bound.Most
	}
	return bound
}
