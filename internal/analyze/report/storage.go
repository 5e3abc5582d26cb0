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

// Under says what the server's files lie on.
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
	var names []string
	for _, d := range s.Devices {
		if slices.Contains(d.Holds, role) {
			names = append(names, d.Name)
		}
	}
	return strings.Join(names, "+")
}

// unseen says what of the server may write where nobody counted.
func unseen(s runfile.Storage) string {
	if len(s.Unseen) == 0 || s.Device == "" {
		return ""
	}
	return fmt.Sprintf("This user may not read %s: if it is on another device than %s, no figure here includes it.",
		words.Enumerated(words.Few(s.Unseen), " or "), s.Device)
}

// sharedFrom is the part of the quietest load's requests from which a background is more than a remark.
const sharedFrom = 0.10

// sharedDevice warns when much of what the device did in the quietest load was not that load's.
func sharedDevice(r Report) string {
	if r.Run.OfServer {
		return "" // what others did is in no figure
	}
	if r.Observed != nil {
		return sharedWhileObserved(r)
	}
	loads, s := r.Loads, r.Run.Target.Storage
	idle, quietest := idleWork(loads, counts.DeviceRequests), quietest(loads)
	if idle.Value <= 0 || quietest == nil {
		return ""
	}
	share := idle.Value / (idle.Value + max(0, quietest.Of(counts.DeviceRequests).Value))
	if share <= sharedFrom {
		return ""
	}
	much := number.Percent(share) + " of all requests under the load " + quietest.Name
	if share == 1 {
		much = "no fewer than with it under the load " + quietest.Name
	}
	who, advice := "The device is shared or never idle",
		"Longer loads, more repetitions or a device of its own would tell more."
	if r.Run.Target.Kind == "embedded" {
		advice = "Longer loads, more repetitions or a device of its own (--own-device) would tell more."
	}
	if s.Own {
		who, advice = "The server writes of its own accord", "Longer loads or more repetitions would tell more."
	}
	return fmt.Sprintf("%s: %s %s requests/s without our load, %s. They are subtracted at their mean rate.%s%s %s",
		who, number.Rate(idle.Value), idle.PlusMinus(), much, others(r.Metrics), alsoOn(s), advice)
}

// backgroundMoved notes that the device did more or less without our load at the end of the run than at its start, by
// more than would be a remark in the quietest load.
func backgroundMoved(run *counts.Run, loads []Load) string {
	requests := run.Quantity(counts.DeviceRequests)
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
		if most > 2*least && most-least > sharedFrom*quietest.Of(counts.DeviceRequests).Value {
			return fmt.Sprintf("Without our load the device did %s requests/s at first and %s at last: what others "+
				"do on it changed, "+
				"and its mean was subtracted from all loads.", number.Rate(first), number.Rate(last))
		}
	}
	return ""
}

// What a device may write, while nobody puts a load on the server, for what the server's processes ask for: a file
// system notes in its journal what changes, be it ever so little.
const (
	journaled = 4
	unnoticed = 128e3 // bytes a second
)

// others says that somebody else writes to the device, where the server cannot have asked for as much.
func others(metrics []Metric) string {
	asked, done := idleMetric(metrics, askedMetric), idleMetric(metrics, doneMetric)
	if !byOthers(asked, done) {
		return ""
	}
	return fmt.Sprintf(" Somebody else writes to it: the server's processes asked for %s kB/s then, and the "+
		"device wrote %s kB/s.", number.Rate(asked.Value/1000), number.Rate(done.Value/1000))
}

// sharedWhileObserved warns when somebody else writes to the device: nothing is taken off for that in an observation.
// What the server asks for under one load may reach the device under the next, so that all of them are taken together.
func sharedWhileObserved(r Report) string {
	asked, done := r.throughout(askedMetric), r.throughout(doneMetric)
	if !byOthers(asked, done) {
		return ""
	}
	return fmt.Sprintf("Somebody else writes to the device: the server's processes asked for %s kB/s, and it "+
		"wrote %s kB/s. "+
		"What the device did is not the server's alone.", number.Rate(asked.Value/1000), number.Rate(done.Value/1000))
}

// throughout returns a metric's rate under all loads together; not known where it is not under one of them.
func (r Report) throughout(metric string) Figure {
	var sum, seconds float64
	loads := r.Loads.Loaded()
	for _, a := range loads {
		f, lasted := metricIn(r.Metrics, metric, a.Name), a.Seconds.Value*float64(a.Repetitions)
		if !f.Known() {
			return f
		}
		sum, seconds = sum+f.Value*lasted, seconds+lasted
	}
	return Figure{Value: sum / seconds, N: len(loads)}
}

// What the server's processes asked to be written, and what the device wrote.
const (
	askedMetric = metric.ProcessesWrote
	doneMetric  = metric.BlockWriteBytes
)

// byOthers reports whether the server cannot have asked for what the device wrote.
func byOthers(asked, done Figure) bool {
	return asked.Known() && done.Known() && done.Value > journaled*asked.Value+unnoticed
}

func metricIn(metrics []Metric, name, load string) Figure {
	for _, m := range metrics {
		for _, a := range m.Loads {
			if m.Metric == name && a.Load == load {
				return a.PerSecond
			}
		}
	}
	return Figure{}
}

func idleMetric(metrics []Metric, name string) Figure {
	for _, m := range metrics {
		for _, a := range m.Loads {
			if m.Metric == name && len(a.Per) == 0 && a.PerSecond.Known() {
				return a.PerSecond
			}
		}
	}
	return Figure{}
}

// alsoOn says what else is on the devices.
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

// idleWork returns a quantity's rate without our load; unknown where no idle load was measured.
func idleWork(loads []Load, quantity string) Figure {
	for _, a := range loads {
		if f := a.Of(quantity); a.Idle && f.Known() {
			return f
		}
	}
	return Figure{}
}

// quietest returns the load that writes rows with the fewest requests to the device, or nil where none were counted.
// Where nothing is written there is nothing to be hidden.
func quietest(loads []Load) *Load {
	var quietest *Load
	for i, a := range loads {
		requests, rows := a.Of(counts.DeviceRequests), a.Of(counts.Rows)
		if onlyReads := rows.Known() && rows.Value == 0; a.Idle || onlyReads || !requests.Known() {
			continue
		}
		if quietest == nil || requests.Value < quietest.Of(counts.DeviceRequests).Value {
			quietest = &loads[i]
		}
	}
	return quietest
}
