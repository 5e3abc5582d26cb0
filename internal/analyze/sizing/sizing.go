package sizing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/metric"
)

// Ask is what somebody wants to know of a run.
type Ask struct {
	Arm           string  // whose load is like theirs; empty: the one that asked most of storage
	RowsPerSecond float64 // to scale to; 0: as measured
	Growth        float64 // percent on top
	Headroom      float64 // percent
	GiB           float64 // of data
	Instance      string
	Repeat        int // seconds that the demand goes on for, over and over
	Balance       Asked
	Calibrate     *drivers.Run // on Aurora; nil: what was published stands
	Tariff        Tariff
	Volumes       []catalog.Volume
	Instances     []catalog.Instance
	Distributed   []catalog.Distributed
}

// Sizing is the answer.
type Sizing struct {
	Ask      Ask
	Parts    []Part // what each run needs, or each load of an observation; what is sized for is the worst of them, number by number
	Part            // the one that asks for most bytes; of an observation, that which does so on average
	Balance  Balance
	Target   Span // what storage must carry, before headroom
	Options  []Option
	Aurora   *AuroraAnswer // nil: rows or bytes of WAL are not known
	Misread  *Misread      // nil: WAL records are not known
	Spreads  []Spread      // on distributed databases; none: rows are not known
	Warnings []string
}

// Part is what one run needs, or one load of an observation.
type Part struct {
	Run   *drivers.Run
	Needs []Need // of every arm
	Need  Need   // that is sized for
	Basis string // of its rate: p99, mean or model
	Scale Scale
	Own   Span // what it makes of the target
}

// Misread is what would have been ordered by somebody who took WAL records for I/O.
type Misread struct {
	Records  float64  // a second
	Factor   float64  // of the requests that are sized for
	Cheapest *Option  // nil: nothing carries as much
	IOCost   *float64 // a month on Aurora, were each record billed; nil: no price is known
}

// What the rate that is sized for is.
const (
	ByP99   = "p99" // of the seconds of the arm
	ByMean  = "mean"
	ByModel = "model"
)

// Size answers what to order for runs: what carries the worst of them.
func Size(ask Ask, runs ...*drivers.Run) (Sizing, error) {
	s := Sizing{Ask: ask}
	for _, run := range runs {
		parts, err := s.parts(run)
		if err != nil && len(runs) > 1 {
			return Sizing{}, fmt.Errorf("%s: %w", run.Header.ID, err)
		} else if err != nil {
			return Sizing{}, err
		}
		s.Parts = append(s.Parts, parts...)
	}
	s.worst()
	s.Balance = ask.Balance.balance(s.Run)
	forecast, err := s.forecast()
	if err != nil {
		return Sizing{}, err
	}
	s.Options, err = Options(s.question(), ask.Volumes, ask.Instances, ask.Tariff)
	if err != nil {
		return Sizing{}, err
	}
	if w := s.machineInTheWay(); w != "" {
		s.Warnings = append(s.Warnings, w)
	}
	s.addAurora(forecast)
	s.Spreads = s.spreads()
	s.Misread, err = s.misread()
	return s, err
}

// parts are what one run needs. Arms are loads to choose from; the loads of an observation are all those of one server,
// which must carry each of them, so that all count unless one is asked for.
func (s *Sizing) parts(run *drivers.Run) (all []Part, err error) {
	needs := Needs(run)
	chosen, err := choose(needs, s.Ask.Arm)
	if err != nil {
		return nil, err
	}
	loads := []Need{chosen}
	if run.Observed != nil && s.Ask.Arm == "" && s.Ask.RowsPerSecond == 0 {
		others := slices.DeleteFunc(slices.Clone(needs), func(n Need) bool { return n.Missing != nil || n.Arm == chosen.Arm })
		loads = append(loads, others...)
	}
	for _, load := range loads {
		p, err := s.part(Part{Run: run, Needs: needs, Need: load})
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// machineInTheWay says that nothing is carried behind the class of machine that was asked for; empty: something is, or none
// was asked for. An order carries the need, so that what does not get through is held up by the machine.
func (s Sizing) machineInTheWay() string {
	var behind []Option
	for _, o := range s.Options {
		if o.Cap != nil && o.Cap.Carries {
			return ""
		} else if o.Cap != nil {
			behind = append(behind, o)
		}
	}
	if len(behind) == 0 {
		return ""
	}
	m, need := behind[0].Cap.Instance, s.Target.Most.Times(1+s.Ask.Headroom/100)
	return fmt.Sprintf("The %s is too small for it, whatever volume is behind it: for good it lets %.0f operations and %.0f MiB/s by, and with headroom %.0f requests and %.0f MiB/s are asked for.",
		strings.TrimPrefix(m.Class, "Standard_"), m.BaseIOPS, m.BaseMB*1e6/mib, need.Requests(), need.Bytes()/mib)
}

// part works out what a load comes to.
func (s *Sizing) part(p Part) (_ Part, err error) {
	var warnings []string
	rate := p.rate(&warnings)
	rows := 0.0
	if p.Need.Rows != nil {
		rows = *p.Need.Rows
	}
	if p.Scale, err = ScaleTo(rows, s.Ask.RowsPerSecond, s.Ask.Growth); err != nil {
		return p, fmt.Errorf("%s: %w", p.Need.Arm, err)
	}
	p.Scale.of(p.Need)
	p.Own = p.Scale.Apply(rate)
	if p.Basis != ByP99 { // which is no end of anything
		p.Own.Least = p.Scale.Apply(p.Need.Lowest).Least
	}
	for _, w := range append(warnings, p.others()...) {
		if !slices.Contains(s.Warnings, w) {
			s.Warnings = append(s.Warnings, w)
		}
	}
	return p, nil
}

// worst sizes for the most of each number among the runs.
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

func (s Sizing) question() Question {
	q := Question{
		Need: s.Target.Most, GiB: s.Ask.GiB, Headroom: s.Ask.Headroom, Instance: s.Ask.Instance,
		Repeat: s.Ask.Repeat, Balance: s.Balance, Log: s.Need.logShare(),
	}
	for _, rate := range s.Need.Seconds {
		q.Demand = append(q.Demand, s.Scale.Apply(rate).Most)
	}
	return q
}

// choose picks the arm to size for: the one that was named, or that asked most of storage.
func choose(needs []Need, arm string) (Need, error) {
	if arm != "" {
		i := slices.IndexFunc(needs, func(n Need) bool { return n.Arm == arm })
		if i < 0 {
			return Need{}, &UnknownArm{Arm: arm, Known: names(needs)}
		}
		if why := needs[i].Missing; why != nil {
			return Need{}, fmt.Errorf("what %s asked of storage is not known, nor what it would follow from: %w", arm, why)
		}
		return needs[i], nil
	}
	var most *Need
	for i, n := range needs {
		if n.Missing == nil && (most == nil || n.Mean.Bytes() > most.Mean.Bytes()) {
			most = &needs[i]
		}
	}
	if most != nil {
		return *most, nil
	}
	for _, n := range needs {
		return Need{}, fmt.Errorf("what this run asked of storage is not known, nor what it would follow from: %w", n.Missing)
	}
	return Need{}, ErrNoDemand
}

func names(needs []Need) []string {
	var all []string
	for _, n := range needs {
		all = append(all, n.Arm)
	}
	return all
}

// UnknownArm is an arm that the run does not have.
type UnknownArm struct {
	Arm   string
	Known []string
}

func (e *UnknownArm) Error() string { return fmt.Sprintf("the run has no load %s", e.Arm) }

// rate is what is sized for: the 99th percentile of the seconds where they were read, but never below the mean, which has
// the pages of the closing checkpoint in it.
func (p *Part) rate(warnings *[]string) Rate {
	switch {
	case p.Need.Model != nil:
		p.Basis = ByModel
		*warnings = append(*warnings, fmt.Sprintf("What the device did is not known (%s): requests and bytes follow from the WAL and the pages by a model of one machine, and are ordered for at twice that.", p.Need.Model))
		return p.Need.Highest
	case p.Need.Peaks == nil:
		p.Basis = ByMean
		*warnings = append(*warnings, "No single seconds of it are known, and so no peaks: sized for the highest mean of its repetitions.")
		return p.Need.Highest
	}
	p.Basis = ByP99
	rate := p.Need.Mean
	for i, p99 := range p.Need.Peaks.P99.fields() {
		f := rate.fields()[i]
		*f = max(*f, *p99)
	}
	if p.Need.Peaks.Seconds < 100 {
		*warnings = append(*warnings, fmt.Sprintf("The 99th percentile is that of %d seconds: the worst of them.", p.Need.Peaks.Seconds))
	}
	return rate
}

// othersShare is how much of the device's requests may be somebody else's before that is worth a word.
const othersShare = 0.1

// others tells that others worked on the server, or that seconds hold what they did to the device: neither can be taken off.
func (p Part) others() (warnings []string) {
	if text := p.Run.OthersText(); text != "" {
		warnings = append(warnings, text)
	}
	idle := p.Run.Idle.PerSecond[metric.BlockWrites]
	if p.Basis == ByP99 && idle > othersShare*p.Own.Most.Requests() {
		warnings = append(warnings, fmt.Sprintf("Without this load the device did %.0f writes/s: its seconds have those in them.", idle))
	}
	return warnings
}

// misread orders for the WAL records of the arm as if each were a request.
func (s Sizing) misread() (*Misread, error) {
	need := s.Target.Most
	if s.Need.LogRecords == nil || need.Requests() == 0 {
		return nil, nil //nolint:nilnil // there is nothing to misread
	}
	m := &Misread{Records: *s.Need.LogRecords * s.Scale.Factor}
	m.Factor = m.Records / need.Requests()
	need.Reads, need.Writes = 0, m.Records
	options, err := Options(Question{Need: need, GiB: s.Ask.GiB, Headroom: s.Ask.Headroom}, s.Ask.Volumes, nil, s.Ask.Tariff)
	if err != nil {
		return nil, err
	}
	if len(options) > 0 && options[0].Order != nil {
		m.Cheapest = &options[0]
	}
	if cost, err := s.Ask.Tariff.IOCost(m.Records); err == nil {
		m.IOCost = &cost
	}
	return m, nil
}
