package sizing

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
)

// Size returns what to order for the maximum need of the runs.
func Size(ask Ask, runs ...*counts.Run) (Sizing, error) {
	s := Sizing{Ask: ask}
	for _, run := range runs {
		parts, err := s.parts(run, needs.Of(run))
		if err != nil && len(runs) > 1 {
			return Sizing{}, fmt.Errorf("%s: %w", run.Name(), err)
		} else if err != nil {
			return Sizing{}, err
		}
		s.Parts = append(s.Parts, parts...)
	}
	s, err := s.answered()
	if err == nil && len(runs) == 1 {
		s.Apart, err = s.apart(runs[0])
	}
	return s, err
}

// answered computes the order for the maximum of all parts.
func (s Sizing) answered() (Sizing, error) {
	s.worst()
	if need := s.Target.Most; s.Basis != BySaying && need.TooSmall() {
		return Sizing{}, fmt.Errorf("its requests average %s bytes, below the minimum of %d, so the source's requests or "+
			"bytes are another metric; give the right figures to realiops size --need",
			number.Significant(need.Bytes()/need.Requests(), 3), needs.LeastRequest)
	}
	s.Balance = s.Ask.Balance.balance(s.Run)
	forecast, err := s.forecast()
	if err != nil {
		return Sizing{}, err
	}
	s.Options, err = Options(s.question(), s.Ask.Volumes, s.Ask.Instances, s.Ask.Tariff)
	if err != nil {
		return Sizing{}, err
	}
	s.warnOfMachine()
	s.addAurora(forecast)
	if s.Choice, err = s.choice(); err != nil {
		return Sizing{}, err
	}
	s.Passing = s.passing()
	s.Machines, s.Omitted, s.Cautions = s.machineCosts(), s.omitted(), s.cautions()
	s.Spreads = s.spreads()
	s.Misread, err = s.misread()
	return s, err
}

// parts returns the needs of one run. Its loads are alternatives to choose from. The loads of an observation belong to
// one server, which must carry all of them unless one is requested.
func (s *Sizing) parts(run *counts.Run, among []needs.Need) (all []Part, err error) {
	chosen, err := choose(among, s.Ask.Load, keptCold(run))
	switch o := run.Observed; {
	case o == nil:
	case o.Period == 0 && len(among) == 0 && o.Whole > 0 && o.Quiet == o.Whole:
		err = idle(run)
	case o.Period > 0 && (len(among) == 0 || time.Duration(o.Windows)*o.Window < time.Hour):
		err = errTooShort
	case len(among) == 0 && (o.Whole > o.Quiet || o.Whole == 0):
		err = fmt.Errorf("too few readings: of %s windows of %s, %s have all counters and some load; observe longer, or "+
			"read more often", printable.Count(o.Windows), printable.Largest(o.Window), printable.Count(o.Whole-o.Quiet))
	}
	if err != nil {
		return nil, err
	}
	loads := []needs.Need{chosen}
	if run.Observed != nil && s.Ask.Load == "" && s.Ask.RowsPerSecond == 0 {
		others := slices.DeleteFunc(slices.Clone(among), func(n needs.Need) bool {
			return n.Missing != nil || n.Load == chosen.Load
		})
		loads = append(loads, others...)
	}
	for _, load := range loads {
		p, err := s.part(Part{Run: run, Needs: among, Need: load})
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// part computes the need of a load.
func (s *Sizing) part(p Part) (_ Part, err error) {
	var warnings []string
	rate := p.rate(s.Ask, &warnings)
	rows := 0.0
	if p.Need.Rows != nil {
		rows = *p.Need.Rows
	}
	if p.Scale, err = ScaleTo(rows, s.Ask.RowsPerSecond, s.Ask.Growth); err != nil {
		return p, fmt.Errorf("%s: %w", p.Need.Load, err)
	}
	p.Scale.of(p.Need)
	p.Own = p.Scale.Apply(rate)
	if p.Need.Peaks == nil { // a percentile is no bound
		p.Own.Least = p.Scale.Apply(p.Need.Lowest).Least
	}
	for _, w := range append(warnings, p.others()...) {
		if !slices.Contains(s.Warnings, w) {
			s.Warnings = append(s.Warnings, w)
		}
	}
	return p, nil
}

// worst sets the target to the maximum of each number over the runs.
func (s *Sizing) worst() {
	for i, p := range s.Parts {
		if i == 0 || p.Run != s.Run && p.Own.Most.Bytes() > s.Own.Most.Bytes() {
			s.Part = p
		}
	}
	for _, p := range s.Parts {
		s.Target.raise(p.Own)
	}
}

// choose returns the load to size for: the requested one, or the one with the largest need. A load whose table was kept
// out of memory uses all that the device gives, and is chosen only if there is no other.
func choose(among []needs.Need, load string, cached func(needs.Need) bool) (needs.Need, error) {
	if load != "" {
		i := slices.IndexFunc(among, func(n needs.Need) bool { return n.Load == load })
		if i < 0 {
			return needs.Need{}, &UnknownLoad{Load: load, Known: names(among)}
		}
		if why := among[i].Missing; why != nil {
			return needs.Need{}, fmt.Errorf("what %s needed from storage is unknown: %w", load,
				why)
		}
		return among[i], nil
	}
	var most *needs.Need
	for i, n := range among {
		if n.Missing == nil && (most == nil || cached(*most) && !cached(n) || cached(*most) == cached(n) &&
			n.Mean.Bytes() > most.Mean.Bytes()) {
			most = &among[i]
		}
	}
	if most != nil {
		return *most, nil
	}
	for _, n := range among {
		return needs.Need{}, fmt.Errorf("what this run needed from storage is unknown: %w",
			n.Missing)
	}
	return needs.Need{}, errors.New("no load was measured to its end, so there is nothing to size")
}

func names(among []needs.Need) (all []string) {
	for _, n := range among {
		all = append(all, n.Load)
	}
	return all
}

// UnknownLoad is the error for a load that the run does not have.
type UnknownLoad struct {
	Load  string
	Known []string
}

func (e *UnknownLoad) Error() string { return fmt.Sprintf("the run has no load %s", e.Load) }

// othersShare is the share of the device's requests that others may have without a warning.
const othersShare = 0.1

// others warns if others worked on the server, or if the seconds include their work on the device: neither can be
// subtracted.
func (p Part) others() (warnings []string) {
	warnings = slices.DeleteFunc([]string{p.Run.Header.Target.Storage.MemoryText(), p.Run.OthersText()},
		func(text string) bool { return text == "" })
	counted := metric.BlockWrites
	if p.Need.ForServer {
		counted = metric.ServerWrites
	}
	if journal, much := p.journal(); much {
		warnings = append(warnings, fmt.Sprintf("Under %s, the file system's journal added %s writes/s and %s MB/s, for "+
			"this server and other programs. The need leaves them out.", p.Need.Load, number.Rate(journal.Writes),
			number.Rate(journal.WriteBytes/number.Mega)))
	}
	idle := p.Run.Idle.PerSecond[counted]
	if p.Need.Peaks != nil && idle > othersShare*p.Own.Most.Requests() {
		warnings = append(warnings,
			fmt.Sprintf("Without this load the device did %s writes/s. The figures of single seconds include them.",
				number.Rate(idle)))
	}
	return warnings
}

// journal returns what the file system's journal wrote under the load, if it is much and the need leaves it out, as a
// need from traced requests does.
func (p Part) journal() (own needs.Rate, much bool) {
	if !p.Need.ForServer {
		return own, false
	}
	load, _ := p.Run.Load(p.Need.Load)
	own.Writes = needs.MeanOver(load, func(r counts.Repetition) (float64, error) { return r.Count(metric.JournalWrites) })
	own.WriteBytes = needs.MeanOver(load, func(r counts.Repetition) (float64, error) { return r.Count(metric.JournalWriteBytes) })
	return own, own.Writes > othersShare*p.Need.Mean.Requests() || own.WriteBytes > othersShare*p.Need.Mean.Bytes()
}

// withJournal warns if the order would be another with the writes of the file system's journal.
func (s Sizing) withJournal() string {
	q, of, most := s.question(), "", 0.0
	for _, p := range s.Parts {
		if journal, much := p.journal(); much {
			journal, all := p.Scale.Apply(journal).Most, p.Own.Most
			all.Writes, all.WriteBytes = all.Writes+journal.Writes, all.WriteBytes+journal.WriteBytes
			q.Need.Raise(all)
			if journal.Writes >= most {
				of, most = fmt.Sprintf("%s writes/s under %s", number.Rate(journal.Writes), p.Need.Load), journal.Writes
			}
		}
	}
	if of == "" || s.Choice == nil {
		return ""
	}
	options, err := Options(q, s.Ask.Volumes, s.Ask.Instances, s.Ask.Tariff)
	same := func(o Option) bool {
		was := s.Choice.Order
		return o.chosen() && o.Volume.Name == was.Volume.Name && o.Disks == s.Choice.Disks && o.Order.GiB == was.GiB &&
			o.Order.IOPS == was.IOPS && o.Order.MiBps == was.MiBps
	}
	if err != nil || slices.ContainsFunc(options, same) {
		return ""
	}
	return "The file system's journal (" + of + ") is left out: if it is this server's, this order is too small"
}

// misread returns the order that would follow if each WAL record was a request.
func (s Sizing) misread() (*Misread, error) {
	need := s.Target.Most
	// less than one per second is no load
	if s.Need.WALRecords == nil || *s.Need.WALRecords < 1 || need.Requests() == 0 {
		return nil, nil //nolint:nilnil // there is nothing to misread
	}
	m := &Misread{Records: *s.Need.WALRecords * s.Scale.Factor}
	m.Factor = m.Records / need.Requests()
	need.Reads, need.Writes = 0, m.Records
	q := s.question()
	q.Need, q.Instance, q.Log, q.Demand = need, "", nil, nil
	options, err := Options(q, s.Ask.Volumes, nil, s.Ask.Tariff)
	if err != nil {
		return nil, err
	}
	if len(options) > 0 && options[0].Standing == Carries {
		m.Cheapest = &options[0]
	}
	if cost, err := s.Ask.Tariff.IOCost(m.Records); err == nil {
		m.IOCost = &cost
	}
	return m, nil
}

// keptCold returns a function that reports whether a load's table was kept out of memory.
func keptCold(run *counts.Run) func(needs.Need) bool {
	return func(n needs.Need) bool {
		if run == nil {
			return false
		}
		load, found := run.Load(n.Load)
		return found && load.Cold
	}
}

// LeftOut returns the needs of loads that kept their table out of memory, unless one was requested or sized for.
func (s Sizing) LeftOut() []needs.Need {
	if s.Ask.Load != "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.Needs), func(n needs.Need) bool {
		return n.Load == s.Need.Load || n.Missing != nil || !keptCold(s.Run)(n)
	})
}

// spreads returns the needs on distributed databases; none if the rows are unknown.
func (s Sizing) spreads() (all []catalog.Spread) {
	if s.Need.Rows == nil || *s.Need.Rows <= 0 {
		return nil
	}
	rows := *s.Need.Rows * s.Scale.Factor
	for _, rule := range s.Ask.Distributed {
		spread := rule.Spread(rows, rows, rows)
		if rule.MBPerVCPU > 0 {
			const megabyte = 1e6
			spread.VCPUs = new(rule.Copies * s.Target.Most.WriteBytes / megabyte / rule.MBPerVCPU)
		}
		all = append(all, spread)
	}
	return all
}
