package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/series"
)

// Estimate is a number with the interval that holds the true one with probability Level.
type Estimate struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"` // null, as Hi, where nothing bounds it
	Hi    float64 `json:"hi"`
	Level float64 `json:"level"`
	N     int     `json:"n"` // arms that it rests on
}

// MarshalJSON writes null for an end of the interval that lies at infinity.
func (e Estimate) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Value Number  `json:"value"`
		Lo    Number  `json:"lo"`
		Hi    Number  `json:"hi"`
		Level float64 `json:"level"`
		N     int     `json:"n"`
	}{Number(e.Value), Number(e.Lo), Number(e.Hi), e.Level, e.N})
}

// Number is null in JSON where it is infinite or not a number.
type Number float64

// MarshalJSON writes null for what JSON has no number for.
func (n Number) MarshalJSON() ([]byte, error) {
	if !finite(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// Mixture is a sum of drivers, each with its coefficient.
type Mixture struct {
	Terms []Term `json:"terms"`
	Off   Number `json:"off"` // typical factor by which it misses an arm that it was not fitted to
}

// Term is one driver of a mixture.
type Term struct {
	Driver  string   `json:"driver"`
	Side    string   `json:"side"`
	PerUnit Estimate `json:"per_unit"`
	Share   Number   `json:"share"` // of what the metric shows, on average over the arms
	Or      []string `json:"or"`    // drivers that could stand in its place
}

// Rival is one driver, held against the metric.
type Rival struct {
	Driver string `json:"driver"`
	Side   string `json:"side"`
	Status string `json:"status"` // consistent, possible, excluded, unknown, itself
	// Modelled: the driver was not counted but computed from the work of the clients.
	Modelled bool      `json:"modelled,omitempty"`
	Spread   *Estimate `json:"spread"` // the factor by which the ratio varies between arms
	Ratio    *Estimate `json:"ratio"`  // over all arms
	// Beaten is the driver that explains it so much better that this one is excluded, though its spread would not do it.
	Beaten string     `json:"beaten,omitempty"`
	Arms   []RivalArm `json:"arms"`
	Why    *Missing   `json:"why,omitempty"` // it is unknown
}

// RivalArm is the metric's ratio to a driver in one arm.
type RivalArm struct {
	Arm   string `json:"arm"`
	Ratio Figure `json:"ratio"`
}

// Settle is an arm that would decide between drivers.
type Settle struct {
	Arm     string   `json:"arm"`
	Between []string `json:"between"`
	Factor  Number   `json:"factor"` // by which their ratio would differ there
}

// MetricWarning is something to know before a verdict is believed.
type MetricWarning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// judge puts the verdicts to their metrics. A metric without one is undetermined.
func judge(metrics []Metric, verdicts attribution.Verdicts) []Metric {
	byName := map[string]attribution.Verdict{}
	for _, v := range verdicts.Metrics {
		byName[v.Metric.Name] = v
	}
	for i := range metrics {
		v, judged := byName[metrics[i].Metric]
		if !judged {
			v = attribution.Verdict{Kind: attribution.Undetermined, Why: "it was not judged"}
		}
		metrics[i].take(v)
	}
	return metrics
}

func (m *Metric) take(v attribution.Verdict) {
	m.Verdict, m.Counts, m.Exact = string(v.Kind), v.Counts, v.Exact
	m.PerUnit, m.Between, m.Why = estimate(v.PerUnit), append([]string{}, v.Between...), v.Why
	m.Rivals, m.Warnings = []Rival{}, []MetricWarning{}
	if v.Mixture != nil {
		m.Mixture = &Mixture{Terms: []Term{}, Off: Number(v.Mixture.Off)}
		for _, t := range v.Mixture.Terms {
			m.Mixture.Terms = append(m.Mixture.Terms, Term{t.Driver, string(t.Side), Estimate(t.PerUnit), Number(t.Share), append([]string{}, t.Or...)})
		}
		slices.SortStableFunc(m.Mixture.Terms, func(a, b Term) int { return cmp.Compare(b.Share, a.Share) })
	}
	for _, r := range v.Rivals {
		m.Rivals = append(m.Rivals, rival(r))
	}
	if s := v.SettleWith; s != nil {
		m.SettleWith = &Settle{s.Arm, append([]string{}, s.Between...), Number(s.Factor)}
	}
	for _, w := range v.Warnings {
		m.Warnings = append(m.Warnings, MetricWarning{w.Code, w.Text})
	}
	if v.Kind == attribution.Logical && !m.itself() {
		m.Misnomer = claim(*m)
	}
}

func rival(r attribution.Rival) Rival {
	rival := Rival{
		Driver: r.Driver, Side: string(r.Side), Status: string(r.Status), Spread: estimate(r.Spread), Ratio: estimate(r.Ratio),
		Modelled: r.Modelled, Beaten: r.Beaten, Arms: []RivalArm{}, Why: whyNot(r.Why),
	}
	for _, a := range r.Arms {
		rival.Arms = append(rival.Arms, RivalArm{a.Arm, inArm(a)})
	}
	return rival
}

// inArm is a ratio with its replicates' ends.
func inArm(a attribution.ArmRatio) Figure {
	f := Figure{Value: a.Value, Lowest: a.Lowest, Highest: a.Highest, N: a.N, Missing: whyNot(a.Missing)}
	if !finite(f.Value) || !finite(f.Lowest) || !finite(f.Highest) {
		return Figure{Missing: whyNot(outOfBounds())}
	}
	return f
}

func estimate(e *attribution.Estimate) *Estimate {
	if e == nil {
		return nil
	}
	same := Estimate(*e)
	return &same
}

func whyNot(m *series.Missing) *Missing {
	if m == nil {
		return nil
	}
	return whyMissing(m)
}

// itself tells whether the metric is what the driver that it counts is made of: a tautology, and no finding.
func (m Metric) itself() bool {
	i := slices.IndexFunc(m.Rivals, func(r Rival) bool { return r.Driver == m.Counts })
	return m.Counts != "" && i >= 0 && m.Rivals[i].Status == string(attribution.Itself)
}

// iops is the claim that misleads most.
const iops = "IOPS"

// called is what people call a driver that the metric is said to count, and whether anybody counted it.
func (m Metric) called(driver string) words {
	w := noun(driver)
	if slices.ContainsFunc(m.Rivals, func(r Rival) bool { return r.Driver == driver && r.Modelled }) {
		return words{"modelled " + w.one, "modelled " + w.many}
	}
	return w
}

// claim is what kind of storage I/O a metric claims to be, by its name and unit; empty where it claims nothing.
func claim(m Metric) string {
	name := strings.ToUpper(m.Metric)
	switch {
	case strings.Contains(name, iops), strings.Contains(name, "IOSPS"):
		return iops
	case strings.Contains(name, "WRITE"):
		return "writes"
	case m.Unit == "operations":
		return "operations"
	default:
		return ""
	}
}

// sources are the beginnings of metrics' names in the order in which people want to know: what is sold as IOPS first.
func sources() []string {
	return []string{
		"cloudwatch/", "insights/", "block/", "pgstat.io/", "pgstat.wal/", "pgstat.checkpointer/", "pgstat.bgwriter/",
		"pgstat.lsn/", "pgstat.database/",
	}
}

// ranked are the metrics in that order.
func ranked(metrics []Metric) []Metric {
	rank := func(m Metric) int {
		i := slices.IndexFunc(sources(), func(s string) bool { return strings.HasPrefix(m.Metric, s) })
		if i < 0 {
			return len(sources())
		}
		return i
	}
	all := slices.Clone(metrics)
	slices.SortStableFunc(all, func(a, b Metric) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}
