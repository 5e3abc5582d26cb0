package attribution

import (
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
)

// ToDevice is the number of the device's reads, or of their bytes, for each one that a metric shows, under the loads
// with the least and with the most. Requests have no fixed ratio to the device: a cache answers some of them, or
// all.
type ToDevice struct {
	Of    string    `json:"of"` // the quantity of the device
	Least RatioWith `json:"least"`
	Most  RatioWith `json:"most"`
}

// RatioWith is a ratio under a load.
type RatioWith struct {
	Load  string  `json:"load"`
	Ratio float64 `json:"ratio"`
}

// toDevice is nil where the metric counts no reads that are requested, or what the device did for these is out of
// sight.
func (e *evidence) toDevice(v Verdict, y column) *ToDevice {
	if v.Kind != Requested || len(v.named()) == 0 || slices.ContainsFunc(v.named(), func(name string) bool {
		return !slices.Contains(readsAsked(), name)
	}) {
		return nil
	}
	of := ToDevice{Of: string(metric.DeviceReads)}
	if v.Metric.Unit == "bytes" {
		of.Of = string(metric.DeviceReadSize)
	}
	row := metric.All().Row(v.Metric.Name)
	device, blank, found, most := e.columnOf(of.Of), e.blank(y), false, 0.0
	if row.Files != "" {
		device = e.readsOf(row.Files)
	}
	if device == nil {
		return nil
	}
	for a := range y {
		if row.Part != "" && row.Files == "" && !e.nearlyAll(y[a], a, v.named()) {
			continue // the device read what the metric does not count as well
		}
		if ratio, known := becameOf(y[a], device[a]); known && !blank[a] && e.does(a, reads) {
			with := RatioWith{e.loads[a].Name, ratio}
			if rate := e.rate(y, a); !found || ratio < of.Least.Ratio || ratio == of.Least.Ratio && rate > most {
				of.Least, most = with, rate
			}
			if !found || ratio > of.Most.Ratio {
				of.Most = with
			}
			found = true
		}
	}
	if !found {
		return nil
	}
	return &of
}

// readsOf returns the device's reads of some of the server's files; nil where requests were not followed to their
// files.
func (e *evidence) readsOf(view string) column {
	all := e.run.Metrics()
	i := slices.IndexFunc(all, func(m counts.Metric) bool { return m.Name == view+"/reads" })
	if i < 0 {
		return nil
	}
	return e.column(all[i], all[i].From, metric.Step(all[i].Unit))
}

// nearlyAll reports whether a metric that counts some of a quantity shows nearly all there was of it in a load, of one
// of several.
func (e *evidence) nearlyAll(y []cell, a int, quantities []string) bool {
	const nearly = 0.95
	return slices.ContainsFunc(quantities, func(name string) bool {
		share, known := becameOf(e.columnOf(name)[a], y)
		return known && share >= nearly
	})
}

// readsAsked returns the quantities of reads that a cache may answer.
func readsAsked() []string {
	return []string{string(metric.PagesMissed), string(metric.ReadCalls), string(metric.BytesAsked)}
}

// becameOf returns the sum of one count over that of another in the repetitions of a load that have both; what the
// device cannot be told to have done above its background is none.
func becameOf(y, device []cell) (ratio float64, known bool) {
	const tells = 0.05 // of what was asked: the device's background may hide no more
	asked, done, hidden := 0.0, 0.0, 0.0
	for r := range y {
		if y[r].missing != nil || device[r].missing != nil {
			continue
		}
		asked, hidden = asked+y[r].value, hidden+device[r].stdErr
		if device[r].value > device[r].stdErr {
			done += device[r].value
		}
	}
	return done / max(asked, 1), hidden < tells*asked
}
