package sizes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// NewSize returns a sizing in the form that is shown.
func NewSize(s sizing.Sizing) Size {
	basis := unmeasured(s)
	v := Size{
		Machines: words.Each(sizeMachine, s.Machines), Passing: s.Passing,
		Cautions: append(slices.Clone(basis), s.Cautions...), basis: len(basis),
		Schema: SizeSchema, Run: sizeRun(s.Part), Needs: []SizeNeed{}, Options: []SizeOption{},
		Warnings: append([]string{}, s.Warnings...), Omitted: s.Omitted, Aurora: sizeAurora(s.Aurora),
		Misread: misread(s), Spreads: s.Spreads,
		Sized: Sized{
			Load: s.Need.Load, Basis: s.Basis, Factor: s.Scale.Factor, Law: append([]string{}, s.Scale.Law...),
			Headroom: s.Ask.Headroom, GiB: s.Ask.GiB, DefaultGiB: s.Ask.DefaultGiB, Region: s.Ask.Tariff.Region,
			DefaultRegion: s.Ask.DefaultRegion, Currency: s.Ask.Tariff.Currency(),
			Instance: strings.TrimPrefix(s.Ask.Instance, "db."), Rate: s.Target.Most, Least: s.Target.Least,
			Balances: balances(s.Balance), Runs: sizedRuns(s), Observed: observedFor(s.Parts).Seconds(),
		},
	}
	v.addNeeds(s.Parts)
	region := func(o sizing.Option) string { return s.Ask.Tariff.RegionOf(o.Volume.Cloud()) }
	for _, o := range s.Options {
		v.Options = append(v.Options, sizeOption(o, region(o)))
	}
	if in := s.Ask.Tariff.RegionOf(catalog.AWS); s.Ask.DefaultRegion || in != s.Ask.Tariff.Region {
		v.inAurora = " in " + in
	}
	v.Order = v.order(s.Choice, region)
	v.Apart = apart(s, region)
	if v.Aurora != nil && v.Aurora.IOCost != nil {
		v.Aurora.AsOf = s.Ask.Tariff.AsOf(catalog.Volume{Name: "aurora"})
	}
	v.Sources = v.cited()
	return v
}

// unmeasured describes unmeasured parts of the order: a model in place of the device, and planned loads that may need
// more.
func unmeasured(s sizing.Sizing) []string {
	all := []string{}
	if i := slices.IndexFunc(s.Parts, func(p sizing.Part) bool { return p.Basis == sizing.ByModel }); i >= 0 {
		text := "The size is from a model of this server's writes, since the run did not see the disk"
		if s.Parts[i].Need.Model.Reason == needs.Others {
			text = "The size is from a model of this server's writes, since other programs used the disk"
		}
		all = append(all, text)
	}
	if s.Basis == sizing.BySaying {
		return all
	}
	if s.Run.Observed == nil {
		all = append(loadsOf(s), all...)
	}
	if text := seen(observedFor(s.Parts)); text != "" {
		all = append([]string{text}, all...)
	}
	for i, p := range s.Parts {
		if text := cutShort(p.Run, s.Ask.Load); text != "" && (i == 0 || p.Run != s.Parts[i-1].Run) {
			all = append(all, text)
		}
		for _, text := range []string{unread(p, s.Ask.Load), shared(p, s.Ask.Load)} {
			if text != "" && !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	if s.Ask.Load != "" {
		return all
	}
	var loads []string
	for _, p := range s.Parts {
		for _, l := range p.Run.Loads {
			i := slices.IndexFunc(p.Needs, func(n needs.Need) bool { return n.Load == l.Name })
			lost := i >= 0 && p.Needs[i].Missing != nil && p.Needs[i].Missing.Reason != needs.Background
			if (i < 0 || lost) && !l.Idle() && !l.Cold && !slices.Contains(loads, l.Name) {
				loads = append(loads, l.Name)
			}
		}
	}
	if len(loads) > 0 {
		all = append(all, "What "+words.Enumerated(loads, " and ")+" needed is unknown: if it was more, this order "+
			"is too small")
	}
	return all
}

// loadsOf says for which load the order is, and which reads are not in it.
func loadsOf(s sizing.Sizing) (all []string) {
	if s.Ask.Load == "" && len(s.Needs) > 1 && len(s.Parts) == 1 {
		all = append(all, "The order is for "+s.Need.Load+", which moved the most bytes")
	}
	const little = 0.01
	need := s.Target.Most
	unread := need.Reads < little*need.Requests()
	without := "Reads that memory does not answer are left out"
	if unread {
		without = "This load reads almost nothing"
	}
	left := s.LeftOut()
	switch {
	case len(left) > 0:
		most := slices.MaxFunc(left, func(a, b needs.Need) int { return cmp.Compare(a.Mean.Requests(), b.Mean.Requests()) })
		all = append(all, fmt.Sprintf("%s: %s, whose table does not fit in memory, made %s requests/s (--load %s sizes for it)",
			without, most.Load, number.Rate(most.Mean.Requests()), most.Load))
	case unread && s.Need.ReadsUnread(s.Run) == "":
		all = append(all, without+": if your data does not fit in memory, this order is too small")
	}
	return all
}

// unread says in how many repetitions of the requested load, or of all loads, the disk was not read; empty if in none.
func unread(p sizing.Part, load string) string {
	var loads []string
	var read, all int
	for _, n := range p.Needs {
		cold := slices.ContainsFunc(p.Run.Loads, func(l counts.Load) bool { return l.Name == n.Load && l.Cold })
		if n.Unread > 0 && (load == "" && !cold || n.Load == load) {
			loads, read, all = append(loads, n.Load), read+n.Repetitions, all+n.Repetitions+n.Unread
		}
	}
	if len(loads) == 0 {
		return ""
	}
	what, others := "repetitions", "others"
	if p.Run.Observed != nil {
		what = "stretches"
	}
	if all-read == 1 {
		others = "other"
	}
	return fmt.Sprintf("The disk was read in %s of the %s %s of %s: if it did more in the %s, this order is too small",
		printable.Count(read), printable.Count(all), what, words.Enumerated(loads, " and "), others)
}

// shared says that the order may include other programs' work, if it is unknown whether there was some; else empty.
func shared(p sizing.Part, load string) string {
	unchecked := func(n needs.Need) bool { return n.Unchecked != nil && (load == "" || n.Load == load) }
	if i := slices.IndexFunc(p.Needs, unchecked); i >= 0 {
		return fmt.Sprintf("The order is for everything that used the disk, since this server's share is unknown (%v)",
			p.Needs[i].Unchecked)
	}
	return ""
}

// observedFor returns the time observed, over all observations, without gaps; 0 if loads were run.
func observedFor(parts []sizing.Part) (all time.Duration) {
	for i, p := range parts {
		if p.Run != nil && p.Run.Observed != nil && (i == 0 || p.Run != parts[i-1].Run) {
			all += time.Duration(p.Run.Observed.Whole) * p.Run.Observed.Window
		}
	}
	return all
}

// seen says how long a server was observed, and warns if it was less than a week; empty for no observation.
func seen(length time.Duration) string {
	if length == 0 {
		return ""
	}
	text := "The server was observed for " + printable.About(length)
	if length < sizing.LeastObserved {
		text += ": if it is busier at other times, this order is too small"
	}
	return text
}

// cutShort says how much of an observation is missing that did not end well, or of the repetitions planned for the
// requested load or all loads; empty if none.
func cutShort(run *counts.Run, load string) string {
	how := map[string]string{"cut-off": "was cut off", string(runfile.Interrupted): "was interrupted",
		string(runfile.Broken): "failed"}
	status, _ := run.Ended.How()
	short := how[status]
	switch o := run.Observed; {
	case o != nil && short == "":
		return ""
	case o != nil:
		return fmt.Sprintf("The observation %s after %s", short, printable.About(time.Duration(o.Windows)*o.Window))
	}
	var measured, planned int
	for _, l := range run.Loads {
		if !l.Idle() && (load == "" || l.Name == load) {
			times := run.Header.Plan.Times(l.Load)
			measured, planned = measured+min(times, len(l.Repetitions)), planned+times
		}
	}
	if measured >= planned {
		return ""
	}
	text := fmt.Sprintf("%d of the %d repetitions of its loads", measured, planned)
	if short == "" {
		return "The run has " + text
	}
	return "The run " + short + " with " + text
}

// Caution adds what makes all numbers of a run doubtful, and so the order, without duplicates. It stands right after
// the order.
func (s *Size) Caution(texts ...string) {
	for _, text := range texts {
		if !slices.Contains(s.Cautions, text) {
			s.Cautions = slices.Insert(s.Cautions, s.basis, text)
			s.basis++
		}
	}
}

// sizeRun returns the run that was sized; empty if the need was given.
func sizeRun(p sizing.Part) SizeRun {
	if p.Run == nil {
		return SizeRun{}
	}
	return SizeRun{p.Run.Header.ID, p.Run.Header.Target, p.Run.Observed != nil}
}

// addNeeds adds the need of every load of every run, with the run if there are several.
func (s *Size) addNeeds(parts []sizing.Part) {
	several := parts[0].Run != parts[len(parts)-1].Run
	for i, p := range parts {
		if i > 0 && p.Run == parts[i-1].Run {
			continue // another load of the same run
		}
		for _, n := range p.Needs {
			need := sizeNeed(n)
			if several {
				need.Run, need.Of = p.Run.Header.ID, p.Run.Name()
			}
			s.Needs = append(s.Needs, need)
		}
	}
}

func (s Size) cited() []metric.Source {
	var keys []string
	for _, o := range s.Options {
		keys = append(keys, o.sourceKeys()...)
	}
	for _, d := range s.Spreads {
		keys = append(keys, d.Sources...)
	}
	slices.Sort(keys)
	all := []metric.Source{}
	for _, key := range slices.Compact(keys) {
		source, found := metric.SourceOf(key)
		if !found { // the key of a price file
			source.Key = key
		}
		all = append(all, source)
	}
	return all
}

// sizedRuns returns the part of each run, or of each load of an observation, in the sized rate.
func sizedRuns(s sizing.Sizing) (all []SizedRun) {
	for _, p := range s.Parts {
		run := SizedRun{ID: sizeRun(p).ID, Load: p.Need.Load, Basis: p.Basis, Factor: p.Scale.Factor,
			Rate: p.Own.Most, Least: p.Own.Least}
		if p.Run != nil {
			run.Name = p.Run.Name()
		}
		if p.Above != nil {
			run.Above = &p.Above.Seconds
		}
		all = append(all, run)
	}
	return all
}

func sizeNeed(n needs.Need) SizeNeed {
	v := SizeNeed{Load: n.Load, Rows: n.Rows, Commits: n.Commits, WALRecords: n.WALRecords}
	if n.Missing != nil {
		v.Missing = counts.WhyMissing(n.Missing)
		return v
	}
	if n.Model != nil {
		v.Model = n.Model.Error()
	}
	v.RowsPerRequest, v.RecordsPerRequest = perRequest(n.Rows, n), perRequest(n.WALRecords, n)
	v.Mean, v.Lowest, v.Highest = &n.Mean, &n.Lowest, &n.Highest
	if p := n.Peaks; p != nil {
		v.Each = p.Length.Seconds()
		v.Seconds, v.MeanSecond, v.P95, v.P99, v.PeakSecond, v.PeakMinute = p.Seconds, &p.Mean, &p.P95, &p.P99,
			&p.PeakSecond, p.PeakMinute
	}
	return v
}

// perRequest returns v per request.
func perRequest(v *float64, n needs.Need) *float64 {
	if v == nil || n.Mean.Requests() <= 0 {
		return nil
	}
	return new(*v / n.Mean.Requests())
}

func sizeMachine(m sizing.MachineCost) SizeMachine { return SizeMachine{m, catalog.AsOf(m.Source)} }

// misread returns the order that WAL records would suggest.
func misread(s sizing.Sizing) *SizeMisread {
	m := s.Misread
	if m == nil {
		return nil
	}
	v := &SizeMisread{Requests: m.Records, Factor: m.Factor, IOCost: m.IOCost}
	if m.IOCost != nil {
		v.IOCostAsOf = s.Ask.Tariff.AsOf(catalog.Volume{Name: "aurora"})
	}
	if m.Cheapest != nil {
		v.Volume = sizeOption(*m.Cheapest, "").name()
		if m.Cheapest.Bill != nil {
			v.Cheapest, v.AsOf = &m.Cheapest.Bill.Total, m.Cheapest.Bill.AsOf()
		}
	}
	return v
}

func sizeAurora(a *sizing.AuroraAnswer) *SizeAurora {
	if a == nil {
		return nil
	}
	w, read, c := a.Forecast.BilledWrites, a.Forecast.BilledReads, a.Forecast.Calibration
	v := &SizeAurora{
		WriteIOPS: a.Forecast.WriteIOPS, BilledWrites: [3]float64{w.Least, w.Value, w.Most}, BilledReads: read.Value,
		ReadsSpan: [2]float64{read.Least, read.Most}, PagesAsked: a.Forecast.PagesAsked,
		IOCost: a.IOCost, Calibration: calibrationText(c), Calibrated: c.Run,
	}
	if b := a.Bills; b != nil {
		v.Standard = &[3]float64{b[0].Standard, b[1].Standard, b[2].Standard}
		v.Optimized, v.BreakEven = &b[0].Optimized, &b[0].BreakEven
	}
	return v
}

// calibrationText says how billed writes are estimated, and how accurately.
func calibrationText(c sizing.Calibration) string {
	var ways []string
	if r := c.OfWALUnits; r != nil {
		ways = append(ways, fmt.Sprintf("%.2f for 4,096 bytes of WAL (%.2f to %.2f)", r.Value, r.Least, r.Most))
	}
	if r := c.RowsPerWrite; r != nil {
		ways = append(ways, fmt.Sprintf("one billed write for %s rows (%s)",
			number.Within(r.Value, r.Least, r.Most), within(r.Least, r.Most)))
	}
	return strings.Join(ways, ", or where that is not known ") + ", in " + restsOn(c)
}

func restsOn(c sizing.Calibration) string {
	if c.Run == "" {
		return "published loads"
	}
	text := printable.Counted(c.Repetitions, "repetition")
	if c.Load != "" {
		text += " of " + c.Load
	}
	text += " of your run " + runfile.ShownID(c.Run)
	if c.NotIdle {
		text += ", which was not measured idle"
	}
	return text
}
