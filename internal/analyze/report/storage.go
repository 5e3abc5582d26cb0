package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// holdings lists the files that a server may keep apart from its data, by their role in the run file.
var holdings = []struct {
	role, name string
}{{"wal", "WAL"}, {"tablespaces", "tablespaces"}, {"temp", "temporary files"}}

// Under says what the server's files are on.
func Under(s runfile.Storage) string {
	if s.Device == "" {
		return ""
	}
	var text strings.Builder
	text.WriteString("data on " + s.Device + words.InBrackets(s.FileSystem))
	if s.Own {
		text.WriteString(", a device of its own")
	}
	for _, h := range holdings {
		if on := holding(s, h.role); on != "" && on != holding(s, "data") {
			text.WriteString(", " + h.name + " on " + on)
		}
	}
	return text.String()
}

func holding(s runfile.Storage, role string) string {
	with := slices.DeleteFunc(slices.Clone(s.Devices), func(d runfile.StorageDevice) bool {
		return !slices.Contains(d.Holds, role)
	})
	return strings.Join(words.Each(func(d runfile.StorageDevice) string { return d.Name }, with), "+")
}

// unseen names the server's files whose writes were not counted.
func unseen(s runfile.Storage) string {
	if len(s.Unseen) == 0 || s.Device == "" {
		return ""
	}
	return fmt.Sprintf("This user may not read %s. If it is on another device than %s, the figures leave it out.",
		words.Enumerated(words.Few(s.Unseen), " or "), s.Device)
}

// sharedFrom is the share of the quietest load's requests from which a background is worth a warning.
const sharedFrom = 0.10

// sharedDevice warns if much of the device's work in the quietest load was background.
func sharedDevice(r Report) string {
	if r.Run.OfServer {
		return "" // no figure includes the work of others
	}
	if r.Observed != nil {
		return sharedWhileObserved(r)
	}
	loads, s := r.Loads, r.Run.Target.Storage
	idle, quietest := idleWork(loads, metric.DeviceRequests), quietest(loads)
	if idle.Value <= 0 || quietest == nil {
		return ""
	}
	share := idle.Value / (idle.Value + max(0, quietest.Of(metric.DeviceRequests).Value))
	if share <= sharedFrom {
		return ""
	}
	much := number.Percent(share) + " of all requests under the load " + quietest.Name
	if share == 1 {
		much = "no fewer than with it under the load " + quietest.Name
	}
	who, advice := "The device is shared or never idle",
		"Longer loads, more repetitions or a separate device would tell more."
	if r.Run.Target.Kind == "embedded" {
		advice = "Longer loads, more repetitions or a separate device (--own-device) would tell more."
	}
	if s.Own {
		who, advice = "The server writes by itself", "Longer loads or more repetitions would tell more."
	}
	return fmt.Sprintf("%s: %s %s requests/s without our load, %s. They are subtracted at their mean rate.%s%s %s",
		who, idle.Rate(1), idle.PlusMinus(), much, others(r.Metrics), alsoOn(s), advice)
}

// backgroundMoved notes that the background changed during the run, by enough to matter in the quietest load.
func backgroundMoved(run *counts.Run, loads []Load) string {
	requests := run.Quantity(metric.DeviceRequests)
	quietest := quietest(loads)
	for _, a := range run.Loads {
		if !a.Idle() || len(a.Repetitions) < 2 || quietest == nil {
			continue
		}
		early, late := a.Repetitions[0].BeforeEnd(), a.Repetitions[len(a.Repetitions)-1].BeforeEnd()
		first, before := requests.Count(a, early)
		last, after := requests.Count(a, late)
		if before != nil || after != nil {
			continue
		}
		first, last = first/early.Seconds, last/late.Seconds
		least, most := min(first, last), max(first, last)
		if most > 2*least && most-least > sharedFrom*quietest.Of(metric.DeviceRequests).Value {
			return fmt.Sprintf("Without our load the device did %s requests/s at the start and %s at the end: "+
				"other programs' use changed, and its mean was subtracted from all "+
				"loads.", number.Rate(first), number.Rate(last))
		}
	}
	return ""
}

// What the device may write without load beyond what the server's processes request: a file system journals even small
// changes.
const (
	journaled = 4
	unnoticed = 128e3 // bytes per second
)

// others says that another program writes to the device, if the server cannot have requested that much.
func others(metrics []Metric) string {
	asked, done := idleMetric(metrics, askedMetric), idleMetric(metrics, doneMetric)
	if !byOthers(asked, done) {
		return ""
	}
	return fmt.Sprintf(" Other programs write to it: the server's processes asked for %s kB/s then, and the device "+
		"wrote %s kB/s.", asked.Rate(1000), done.Rate(1000))
}

// sharedWhileObserved warns if another program writes to the device, since an observation subtracts no background. It
// takes all loads together, because a request under one load may reach the device under the next.
func sharedWhileObserved(r Report) string {
	asked, done := r.throughout(askedMetric), r.throughout(doneMetric)
	if !byOthers(asked, done) {
		return ""
	}
	return fmt.Sprintf("Other programs write to the device, too: the server's processes asked for %s kB/s, and the "+
		"device wrote %s kB/s. Device figures include the others.", asked.Rate(1000), done.Rate(1000))
}

// throughout returns a metric's rate under all loads together; unknown if it is unknown under one of them.
func (r Report) throughout(metric string) Figure {
	var sum, seconds float64
	loads := r.Loads.Loaded()
	for _, a := range loads {
		f := rateIn(r.Metrics, metric, func(l MetricLoad) bool { return l.Load == a.Name })
		lasted := a.Seconds.Value * float64(a.Repetitions)
		if !f.Known() {
			return f
		}
		sum, seconds = sum+f.Value*lasted, seconds+lasted
	}
	return Figure{Value: sum / seconds, N: len(loads)}
}

// The bytes that the server's processes wrote, and that the device wrote.
const (
	askedMetric = metric.ProcessesWrote
	doneMetric  = metric.BlockWriteBytes
)

// byOthers reports whether the device wrote more than the server can have requested.
func byOthers(asked, done Figure) bool {
	return asked.Known() && done.Known() && done.Value > journaled*asked.Value+unnoticed
}

// rateIn returns a metric's rate under the first load that is meant.
func rateIn(metrics []Metric, name string, meant func(MetricLoad) bool) Figure {
	for _, m := range metrics {
		if i := slices.IndexFunc(m.Loads, meant); m.Metric == name && i >= 0 {
			return m.Loads[i].PerSecond
		}
	}
	return Figure{}
}

func idleMetric(metrics []Metric, name string) Figure {
	return rateIn(metrics, name, func(a MetricLoad) bool { return len(a.Per) == 0 && a.PerSecond.Known() })
}

// alsoOn lists what else is on the devices.
func alsoOn(s runfile.Storage) string {
	var all []string
	for _, d := range s.Devices {
		for _, carried := range d.Carries {
			if !slices.Contains(all, carried) {
				all = append(all, carried)
			}
		}
	}
	if s.Own || len(all) == 0 {
		return ""
	}
	return " The same disks carry " + words.Enumerated(words.Few(all), " and ") + "."
}

// idleWork returns a quantity's rate when idle; unknown if no idle load was measured.
func idleWork(loads []Load, quantity metric.Quantity) Figure {
	for _, a := range loads {
		if f := a.Of(quantity); a.Idle && f.Known() {
			return f
		}
	}
	return Figure{}
}

// quietest returns the load with the fewest requests to the device among those that write rows, or nil if none were
// counted.
func quietest(loads []Load) *Load {
	var quietest *Load
	for i, a := range loads {
		requests, rows := a.Of(metric.DeviceRequests), a.Of(metric.RowsWritten)
		if onlyReads := rows.Known() && rows.Value == 0; a.Idle || onlyReads || !requests.Known() {
			continue
		}
		if quietest == nil || requests.Value < quietest.Of(metric.DeviceRequests).Value {
			quietest = &loads[i]
		}
	}
	return quietest
}
