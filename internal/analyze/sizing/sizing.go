package sizing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/drivers"
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
	Tariff        Tariff
	Volumes       []catalog.Volume
	Instances     []catalog.Instance
}

// Sizing is the answer.
type Sizing struct {
	Ask      Ask
	Needs    []Need // of every arm
	Need     Need   // that was sized for
	Balance  Balance
	Basis    string // of its rate: p99, mean or model
	Scale    Scale
	Target   Span // what storage must carry, before headroom
	Options  []Option
	Aurora   *AuroraAnswer // nil: rows or bytes of log are not known
	Misread  *Misread      // nil: log records are not known
	Warnings []string
}

// AuroraAnswer is what the load would show and cost on Aurora.
type AuroraAnswer struct {
	Forecast Forecast
	IOCost   *[3]float64 // a month: at least, as estimated, at most; nil: no price is known
	// Bills are the whole cluster's, with each of these; nil: no class was asked for, or its price is not known.
	Bills *[3]Aurora
}

// Misread is what would have been ordered by somebody who took log records for I/O.
type Misread struct {
	Records  float64  // a second
	Factor   float64  // of the device's requests
	Cheapest *Option  // nil: nothing carries as much
	IOCost   *float64 // a month on Aurora, were each record billed; nil: no price is known
}

// What the rate that is sized for is.
const (
	ByP99   = "p99" // of the seconds of the arm
	ByMean  = "mean"
	ByModel = "model"
)

// Size answers what to order for a run.
func Size(run *drivers.Run, ask Ask) (Sizing, error) {
	s := Sizing{Ask: ask, Needs: Needs(run), Balance: ask.Balance.balance(run)}
	need, err := s.choose()
	if err != nil {
		return Sizing{}, err
	}
	s.Need = need
	rate := s.rate()
	rows := 0.0
	if need.Rows != nil {
		rows = *need.Rows
	}
	if s.Scale, err = ScaleTo(rows, ask.RowsPerSecond, ask.Growth); err != nil {
		return Sizing{}, fmt.Errorf("%s: %w", need.Arm, err)
	}
	if need.Commits != nil && need.Mean.Flushes > 0 {
		s.Scale.Shared = *need.Commits / need.Mean.Flushes
	}
	s.Target = s.Scale.Apply(rate)
	s.Options, err = Options(s.question(), ask.Volumes, ask.Instances, ask.Tariff)
	if err != nil {
		return Sizing{}, err
	}
	s.warnOfOthers(run)
	s.Aurora = s.aurora()
	s.Misread, err = s.misread()
	return s, err
}

func (s Sizing) question() Question {
	q := Question{
		Need: s.Target.Most, GiB: s.Ask.GiB, Headroom: s.Ask.Headroom, Instance: s.Ask.Instance,
		Repeat: s.Ask.Repeat, Balance: s.Balance,
	}
	for _, rate := range s.Need.Seconds {
		q.Demand = append(q.Demand, s.Scale.Apply(rate).Most)
	}
	return q
}

// choose picks the arm to size for.
func (s Sizing) choose() (Need, error) {
	if s.Ask.Arm != "" {
		i := slices.IndexFunc(s.Needs, func(n Need) bool { return n.Arm == s.Ask.Arm })
		if i < 0 {
			return Need{}, &UnknownArm{Arm: s.Ask.Arm, Known: s.names()}
		}
		if why := s.Needs[i].Missing; why != nil {
			return Need{}, fmt.Errorf("what %s asked of storage is not known, nor what it would follow from: %w", s.Ask.Arm, why)
		}
		return s.Needs[i], nil
	}
	var most *Need
	for i, n := range s.Needs {
		if n.Missing == nil && (most == nil || n.Mean.Bytes() > most.Mean.Bytes()) {
			most = &s.Needs[i]
		}
	}
	if most != nil {
		return *most, nil
	}
	for _, n := range s.Needs {
		return Need{}, fmt.Errorf("what this run asked of storage is not known, nor what it would follow from: %w", n.Missing)
	}
	return Need{}, ErrNoDemand
}

func (s Sizing) names() []string {
	var names []string
	for _, n := range s.Needs {
		names = append(names, n.Arm)
	}
	return names
}

// UnknownArm is an arm that the run does not have.
type UnknownArm struct {
	Arm   string
	Known []string
}

func (e *UnknownArm) Error() string { return fmt.Sprintf("the run has no arm %s with a load", e.Arm) }

// rate is what is sized for: the 99th percentile of the seconds where they were read, but never below the mean, which has
// the pages of the closing checkpoint in it.
func (s *Sizing) rate() Rate {
	switch {
	case s.Need.Model != nil:
		s.Basis = ByModel
		s.Warnings = append(s.Warnings, fmt.Sprintf("What the device did is not known (%s): requests and bytes follow from the log and the pages by a model of one machine, and are ordered for at twice that.", s.Need.Model))
		return s.Need.Highest
	case s.Need.Peaks == nil:
		s.Basis = ByMean
		s.Warnings = append(s.Warnings, "Nothing was read while the arm ran, so its peaks are not known: sized for the highest mean of its replicates.")
		return s.Need.Highest
	}
	s.Basis = ByP99
	rate := s.Need.Mean
	for i, p99 := range s.Need.Peaks.P99.fields() {
		f := rate.fields()[i]
		*f = max(*f, *p99)
	}
	if s.Need.Peaks.Seconds < 100 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("The 99th percentile is that of %d seconds: the worst of them.", s.Need.Peaks.Seconds))
	}
	return rate
}

// othersShare is how much of the device's requests may be somebody else's before that is worth a word.
const othersShare = 0.1

// warnOfOthers tells that seconds hold what others did to the device, which cannot be taken off them one by one.
func (s *Sizing) warnOfOthers(run *drivers.Run) {
	idle := run.Idle.PerSecond["block/writes"]
	if s.Basis == ByP99 && idle > othersShare*s.Target.Most.Requests() {
		s.Warnings = append(s.Warnings, fmt.Sprintf("Without this load the device did %.0f writes/s: its seconds have those in them.", idle))
	}
}

// aurora forecasts what the mean of the arm would show there.
func (s Sizing) aurora() *AuroraAnswer {
	if s.Need.Rows == nil || s.Need.LogBytes == nil {
		return nil
	}
	records := s.Need.LogRecords
	if records != nil {
		scaled := *records * s.Scale.Factor
		records = &scaled
	}
	a := &AuroraAnswer{Forecast: ForecastAurora(*s.Need.Rows*s.Scale.Factor, *s.Need.LogBytes*s.Scale.Factor, records, Published())}
	w := a.Forecast.BilledWrites
	var costs [3]float64
	for i, rate := range []float64{w.Least, w.Value, w.Most} {
		cost, err := s.Ask.Tariff.IOCost(rate)
		if err != nil {
			return a
		}
		costs[i] = cost
	}
	a.IOCost, a.Bills = &costs, s.clusters(costs)
	return a
}

// clusters are what one instance of the class that was asked for, the data and the I/O cost together.
func (s Sizing) clusters(io [3]float64) *[3]Aurora {
	hour, known := s.Ask.Tariff.Hour("db." + strings.TrimPrefix(s.Ask.Instance, "db."))
	storage, err := s.Ask.Tariff.storage(s.Ask.GiB)
	if !known || err != nil {
		return nil
	}
	var bills [3]Aurora
	for i := range io {
		bills[i] = CostAurora(hour*catalog.HoursInMonth, storage, io[i])
	}
	return &bills
}

// misread orders for the log records of the arm as if each were a request.
func (s Sizing) misread() (*Misread, error) {
	if s.Need.LogRecords == nil || s.Need.Mean.Requests() == 0 {
		return nil, nil //nolint:nilnil // there is nothing to misread
	}
	m := &Misread{Records: *s.Need.LogRecords * s.Scale.Factor}
	m.Factor = *s.Need.LogRecords / s.Need.Mean.Requests()
	need := s.Target.Most
	need.Reads, need.Writes = 0, m.Records
	options, err := Options(Question{Need: need, GiB: s.Ask.GiB, Headroom: s.Ask.Headroom}, s.Ask.Volumes, nil, s.Ask.Tariff)
	if err != nil {
		return nil, err
	}
	if options[0].Order != nil {
		m.Cheapest = &options[0]
	}
	if cost, err := s.Ask.Tariff.IOCost(m.Records); err == nil {
		m.IOCost = &cost
	}
	return m, nil
}
