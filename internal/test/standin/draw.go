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

// Of returns what the rule shows for so much work.
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
	Noise      float64 // of each value, the deviation of its logarithm
	Background float64 // a second of the cloud's, whatever the load
	Missing    float64 // of all values
	// Step is the time for which VolumeWriteIOPs shows the same value, the mean of that time; 0: no longer than its
	// period.
	Step time.Duration
}

// Draw is an Aurora: how it counts and publishes.
type Draw struct {
	Seed       uint64
	Write      Rule // of WriteIOPS, which Performance Insights shows too
	Volume     Rule // of VolumeWriteIOPs
	Read       Rule // of ReadIOPS, which Performance Insights shows too
	VolumeRead Rule // of VolumeReadIOPs
	Habits     Habits
}

// New draws an Aurora.
func New(seed uint64) Draw {
	d := rand.New(rand.NewPCG(seed, 6)) //nolint:gosec // a test's, not a secret
	drawn := Draw{
		Seed: seed, Write: rule(d, OfWrites(), 1), Volume: rule(d, OfWrites(), 0.01),
		Habits: Habits{Noise: []float64{0.002, 0.01, 0.02}[d.IntN(3)], Background: 20 * d.Float64(),
			Missing: 0.05 * d.Float64()},
	}
	// of the pages missed, as published
	drawn.Read, drawn.VolumeRead = rule(d, OfReads(), 1), Rule{{Missed, 0.34 + 0.3*d.Float64()}}
	return drawn
}

// NewBlind draws an Aurora whose WriteIOPS and VolumeWriteIOPs count what it shows to nobody: no verdict that they are
// work of the database is right.
func NewBlind(seed uint64) Draw {
	drawn := New(seed)
	d := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // a test's, not a secret
	rules := []Rule{{{Writes, 1}}, {{Syncs, 2}}, {{Writes, 1}, {Missed, 1}}, {{Writes, 1}, {Syncs, 1}}}
	d.Shuffle(len(rules), func(i, j int) { rules[i], rules[j] = rules[j], rules[i] })
	drawn.Write, drawn.Volume = rules[0], rules[1]
	return drawn
}

// typical returns about how much of each kind comes with a row of a bulk insert, or a page missed, so that two terms
// weigh alike.
func typical(k Kind) float64 {
	return map[Kind]float64{Rows: 1, Entries: 2, Records: 2, Bytes: 120, Missed: 1, Touched: 3, Returned: 3,
		Lookups: 0.3, Writes: 0.01, Syncs: 0.01}[k]
}

// batch is the unit in which Aurora's log is billed, in bytes.
const batch = 4096

// rule draws one of some kinds whose factors are about so large.
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

// Said is a verdict, as a report has it.
type Said struct {
	Verdict string   // logical, requested, physical, not_logical, mixed, silent or cannot tell
	Counts  string   // the one kind it counts
	PerUnit float64  // for one of these
	Between []string // what the run could not tell apart
	Mixture []string // what it counts together
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

// accuracy is the largest relative error of a ratio that counts as the rule's.
const accuracy = 0.05

// pageOfServer is the number of bytes requested per page missed, so that the two are one count.
const pageOfServer = 8192

// Judge holds what was said of a metric against its rule.
func (r Rule) Judge(s Said) Sort {
	s = s.inPages()
	of := func(name string) bool {
		return slices.ContainsFunc(r, func(t Term) bool { return string(t.Kind) == name })
	}
	onlyOf := func(names []string) bool { return !slices.ContainsFunc(names, func(n string) bool { return !of(n) }) }
	stated := s.Verdict != "cannot_tell"
	switch {
	case len(r) == 0: // it shows nothing
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

// inPages says pages missed for the bytes that are asked for with them.
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

// sideOf reports whether the verdict's side is the rule's: bytes, writes and fsyncs of the WAL are physical, pages
// missed are asked of a storage that has no cache before it, and all else is logical.
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
