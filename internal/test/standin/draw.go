package standin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Term is the weight of one kind in a rule.
type Term struct {
	Kind    Kind
	PerUnit float64
}

// Rule is the truth about a metric: it counts one kind, or two together.
type Rule []Term

// Of returns the metric's value for that work.
func (r Rule) Of(done map[Kind]float64) (shown float64) {
	for _, t := range r {
		shown += t.PerUnit * done[t.Kind]
	}
	return shown
}

func (r Rule) String() string {
	var terms []string
	for _, t := range r {
		terms = append(terms, fmt.Sprintf("%.3g %s", t.PerUnit, t.Kind))
	}
	return strings.Join(terms, " + ")
}

// Habits describes the defects with which counts are published.
type Habits struct {
	Noise      float64 // standard deviation of each value's logarithm
	Background float64 // per second of the cloud's time, whatever the load
	Missing    float64 // share of all values
	// Step is the mean time for which VolumeWriteIOPs keeps the same value; 0: no longer than its period.
	Step time.Duration
}

// Draw is an Aurora: how it counts and publishes.
type Draw struct {
	Seed       uint64
	Write      Rule // of WriteIOPS, also in Performance Insights
	Volume     Rule // of VolumeWriteIOPs
	Read       Rule // of ReadIOPS, also in Performance Insights
	VolumeRead Rule // of VolumeReadIOPs
	Habits     Habits
}

// New draws an Aurora.
func New(seed uint64) Draw {
	d := rand.New(rand.NewPCG(seed, 6)) //nolint:gosec // for a test, not a secret
	drawn := Draw{
		Seed: seed, Write: rule(d, OfWrites(), 1), Volume: rule(d, OfWrites(), 0.01),
		Habits: Habits{Noise: []float64{0.002, 0.01, 0.02}[d.IntN(3)], Background: 20 * d.Float64(),
			Missing: 0.05 * d.Float64()},
	}
	// of the pages missed, as published
	drawn.Read, drawn.VolumeRead = rule(d, OfReads(), 1), Rule{{Missed, 0.34 + 0.3*d.Float64()}}
	return drawn
}

// NewBlind draws an Aurora whose WriteIOPS and VolumeWriteIOPs count invisible work: any verdict that attributes them
// to the database's work is wrong.
func NewBlind(seed uint64) Draw {
	drawn := New(seed)
	d := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // for a test, not a secret
	rules := []Rule{{{Writes, 1}}, {{Syncs, 2}}, {{Writes, 1}, {Missed, 1}}, {{Writes, 1}, {Syncs, 1}}}
	d.Shuffle(len(rules), func(i, j int) { rules[i], rules[j] = rules[j], rules[i] })
	drawn.Write, drawn.Volume = rules[0], rules[1]
	return drawn
}

// typical returns roughly how much of each kind comes with a row of a bulk insert, or a page missed,
// so that two terms weigh alike.
func typical(k Kind) float64 {
	return map[Kind]float64{Rows: 1, Entries: 2, Records: 2, Bytes: 120, Missed: 1, Touched: 3, Returned: 3,
		Lookups: 0.3, Writes: 0.01, Syncs: 0.01}[k]
}

// batch is the billing unit of Aurora's WAL, in bytes.
const batch = 4096

// rule draws a rule over some kinds with factors of about that size.
func rule(d *rand.Rand, kinds []Kind, size float64) Rule {
	d.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	if d.Float64() < 0.25 { // a mixture
		a, b := kinds[0], kinds[1]
		return Rule{{a, size / typical(a)}, {b, size / typical(b) * math.Exp(d.Float64()-0.5)}}
	}
	switch factor := size * math.Exp(0.7*d.NormFloat64()); {
	case kinds[0] == Bytes:
		return Rule{{Bytes, []float64{1, 0.38}[d.IntN(2)] / batch}}
	case d.Float64() < 0.5:
		return Rule{{kinds[0], size}}
	default:
		return Rule{{kinds[0], factor}}
	}
}

// Sort is the result of comparing a verdict with the truth.
type Sort string

// The sorts of verdict.
const (
	Right      Sort = "named"
	OneSide    Sort = "side alone"
	CannotTell Sort = "cannot_tell"
	Wrong      Sort = "wrong"
)

// Said is a report's verdict.
type Said struct {
	Verdict string   // logical, requested, physical, not_logical, mixed, silent or cannot tell
	Counts  string   // the kind it counts, if one
	PerUnit float64  // per unit of it
	Between []string // kinds that the run could not tell apart
	Mixture []string // kinds that it counts together
}

func (s Said) String() string {
	switch {
	case len(s.Mixture) > 0:
		return s.Verdict + ": " + strings.Join(s.Mixture, " + ")
	case s.Counts != "":
		return fmt.Sprintf("%s: %.3g %s", s.Verdict, s.PerUnit, s.Counts)
	case len(s.Between) > 0:
		return s.Verdict + ": " + strings.Join(s.Between, " or ")
	default:
		return s.Verdict
	}
}

// accuracy is the largest relative error of a correct ratio.
const accuracy = 0.05

// pageOfServer is the bytes requested per page missed, so that the two are one count.
const pageOfServer = 8192

// Judge compares a verdict with the rule.
func (r Rule) Judge(s Said) Sort {
	s = s.inPages()
	of := func(name string) bool {
		return slices.ContainsFunc(r, func(t Term) bool { return string(t.Kind) == name })
	}
	onlyOf := func(names []string) bool { return !slices.ContainsFunc(names, func(n string) bool { return !of(n) }) }
	stated := s.Verdict != "cannot_tell"
	switch {
	case len(r) == 0: // it is always zero
		return when(s.Verdict == "silent", Right)
	case s.Verdict == "silent" || stated && !s.sideOf(r):
		return Wrong
	case len(s.Mixture) > 0:
		return when(len(r) == len(s.Mixture) && onlyOf(s.Mixture), Right)
	case s.Counts != "":
		return when(len(r) == 1 && of(s.Counts) && math.Abs(s.PerUnit/r[0].PerUnit-1) <= accuracy, Right)
	case len(s.Between) > 0 && len(r) == 1 && !slices.ContainsFunc(s.Between, of):
		return Wrong
	case !stated:
		return CannotTell
	case len(s.Between) > 0 && len(r) == 1 && onlyOf(s.Between):
		return Right
	default:
		return OneSide
	}
}

// inPages replaces bytes requested by pages missed.
func (s Said) inPages() Said {
	const bytes = "bytes_asked"
	renamed := func(names []string) (all []string) {
		for _, name := range names {
			if name == bytes {
				name = string(Missed)
			}
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
		return all
	}
	if s.Counts == bytes {
		s.Counts, s.PerUnit = string(Missed), s.PerUnit*pageOfServer
	}
	s.Between, s.Mixture = renamed(s.Between), renamed(s.Mixture)
	return s
}

func when(holds bool, sort Sort) Sort {
	if holds {
		return sort
	}
	return Wrong
}

// sideOf reports whether the verdict has the rule's side: bytes, writes and fsyncs of the WAL are physical, pages
// missed are requested of a storage without a cache in front, and all else is logical.
func (s Said) sideOf(r Rule) bool {
	isPhysical := func(t Term) bool { return t.Kind == Bytes || slices.Contains(Blind(), t.Kind) }
	has := func(kind Kind) bool { return slices.ContainsFunc(r, func(t Term) bool { return t.Kind == kind }) }
	physical := slices.ContainsFunc(r, isPhysical)
	logical := slices.ContainsFunc(r, func(t Term) bool { return !isPhysical(t) && t.Kind != Missed })
	switch s.Verdict {
	case "mixed":
		return (physical || has(Missed)) && logical
	case "physical":
		return physical
	case "not_logical":
		return physical || has(Missed)
	case "requested":
		return has(Missed)
	default:
		return logical
	}
}
