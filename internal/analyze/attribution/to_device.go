package attribution

import (
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
)

// toDevice returns nil if the metric counts no requested reads, or the device's reads for them are unknown.
func (e *evidence) toDevice(v Verdict, y column) *ToDevice {
	if v.Kind != Requested || len(v.named()) == 0 || slices.ContainsFunc(v.named(), func(name metric.Quantity) bool {
		return !slices.Contains(readsAsked(), name)
	}) {
		return nil
	}
	of := ToDevice{Of: metric.DeviceReads}
	if v.Metric.Unit == "bytes" {
		of.Of = metric.DeviceReadSize
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
			continue // the device also did reads that the metric does not count
		}
		if ratio, known := reachedDevice(y[a], device[a]); known && !blank[a] && e.does(a, reads) {
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

// readsOf returns the device's reads of some of the server's files; nil if requests were not traced to files.
func (e *evidence) readsOf(view string) column {
	all := e.run.Metrics()
	i := slices.IndexFunc(all, func(m counts.Metric) bool { return m.Name == view+"/reads" })
	if i < 0 {
		return nil
	}
	return e.column(all[i], all[i].From, metric.Step(all[i].Unit))
}

// nearlyAll reports whether a metric that counts part of a quantity shows nearly all of it in a load, for one of the
// quantities.
func (e *evidence) nearlyAll(y []cell, a int, quantities []metric.Quantity) bool {
	const nearly = 0.95
	return slices.ContainsFunc(quantities, func(name metric.Quantity) bool {
		share, known := reachedDevice(e.columnOf(name)[a], y)
		return known && share >= nearly
	})
}

// readsAsked returns the quantities of reads that a cache may answer.
func readsAsked() []metric.Quantity {
	return []metric.Quantity{metric.PagesMissed, metric.ReadCalls, metric.BytesAsked}
}

// reachedDevice returns the device's total over the request's total in the repetitions that have both. Device counts
// that may be background count as zero.
func reachedDevice(y, device []cell) (ratio float64, known bool) {
	const tells = 0.05 // share of the requests that the device's background may hide
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
