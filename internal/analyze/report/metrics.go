package report

import (
	"cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

// Metric is what one counter made of each arm's work.
type Metric struct {
	Metric  string `json:"metric"` // as in the run file
	Name    string `json:"name"`   // as people write it, on this version of the server
	Unit    string `json:"unit"`
	Help    string `json:"help,omitempty"`
	Source  string `json:"source,omitempty"`  // where its meaning is documented
	Derived string `json:"derived,omitempty"` // how it was computed from others
	Moved   Moved  `json:"moved"`
	// Missing says why no arm has a figure of it.
	Missing *series.Missing `json:"missing,omitempty"`
	// AcrossArms are the ratios to References in all loaded arms: what a metric counts is what it keeps the same ratio to.
	AcrossArms map[string]Span `json:"across_arms"`
	Arms       []MetricArm     `json:"arms"`

	attribution.Verdict
	Rivals   []Rival `json:"rivals"`             // every quantity, held against it
	Misnomer string  `json:"misnomer,omitempty"` // what it is called though it counts logical work
}

// Span is how far a ratio moves from arm to arm.
type Span struct {
	All      Figure `json:"all"`      // over all replicates of all arms: the mean of the arms' figures
	Smallest InArm  `json:"smallest"` // where it is least
	Largest  InArm  `json:"largest"`  // and where it is most
	// Without says why an arm has no such ratio, where others have one.
	Without *series.Missing `json:"without,omitempty"`
}

// MetricArm is what a counter made of one arm's work.
type MetricArm struct {
	Arm       string            `json:"arm"`
	PerSecond Figure            `json:"per_second"`
	Per       map[string]Figure `json:"per"` // one of each of References

	amount Figure // of a load of which nobody says how long it lasted
}

// shown is the rate of the metric, or where there is none its amount.
func (a MetricArm) shown() Figure {
	if a.PerSecond.Known() {
		return a.PerSecond
	}
	return a.amount
}

// Moved tells whether load moved a metric at all.
type Moved string

// Whether load moved a metric.
const (
	Yes       Moved = "yes"       // in some arm, in every replicate, whichever background is taken off
	No        Moved = "no"        // in no arm
	Uncertain Moved = "uncertain" // what it did cannot be told from the background
	Unknown   Moved = "unknown"   // no arm has a figure of it
)

// References are the drivers that every metric is set against.
func References() []string {
	return []string{drivers.Rows, drivers.Entries, drivers.WALRecords, drivers.DeviceRequests}
}

func metrics(run *drivers.Run) []Metric {
	all := []Metric{}
	references := each(func(name string) drivers.Quantity { return countedAs(run, name) }, References())
	for _, c := range run.Metrics() {
		m := Metric{
			Metric: c.Name, Name: metric.Printed(c.Name, metric.VersionNum(run.Header.Target.Version)), Unit: c.Unit, Help: c.Help, Source: c.Source, Derived: c.Derived,
			AcrossArms: map[string]Span{}, Arms: []MetricArm{},
		}
		for _, a := range run.Arms {
			m.Arms = append(m.Arms, metricArm(c, a, references))
		}
		m.Moved = moved(m.Arms)
		m.Missing = missingEverywhere(m.Arms)
		for _, name := range References() {
			m.AcrossArms[name] = acrossArms(m.Arms, name)
		}
		all = append(all, m)
	}
	return all
}

// moved looks at the loaded arms, which have ratios.
func moved(arms []MetricArm) Moved {
	is := Unknown
	for _, a := range arms {
		f := a.shown()
		switch {
		case len(a.Per) == 0 || !f.Known():
		case f.Lowest > resolution:
			return Yes
		case f.Highest > resolution:
			is = Uncertain
		case is == Unknown:
			is = No
		}
	}
	return is
}

// missingEverywhere is nil when an arm has a figure; otherwise it says why the first does not.
func missingEverywhere(arms []MetricArm) *series.Missing {
	var why *series.Missing
	for _, a := range arms {
		if a.shown().Known() {
			return nil
		}
		why = cmp.Or(why, a.PerSecond.Missing)
	}
	return why
}

func metricArm(c drivers.Metric, a drivers.Arm, references []drivers.Quantity) MetricArm {
	arm := MetricArm{Arm: a.Name, Per: map[string]Figure{}}
	arm.PerSecond = over(a, func(r drivers.Replicate) (float64, error) {
		return r.PerSecond(c.Count(a, r))
	})
	if !arm.PerSecond.Known() {
		arm.amount = over(a, func(r drivers.Replicate) (float64, error) { return c.Count(a, r) })
	}
	if a.Idle() {
		return arm
	}
	for _, q := range references {
		arm.Per[q.Name] = ratio(c.Count, a, q)
	}
	return arm
}

// acrossArms spans the ratios of all arms that have one.
func acrossArms(arms []MetricArm, name string) Span {
	var span Span
	for _, a := range arms {
		f, compared := a.Per[name]
		switch {
		case !compared, missingFor(f.Missing, leftOut): // an idle arm, or one that was not measured
		case !f.Known() && span.Without == nil:
			span.Without = f.Missing
		case f.Known():
			extend(&span.Smallest, &span.Largest, InArm{a.Arm, f})
			span.All = span.All.joined(f)
		}
	}
	if !span.All.Known() {
		span.All.Missing, span.Without = cmp.Or(span.Without, &series.Missing{Reason: leftOut, Detail: "no load was measured"}), nil
	}
	return span
}
