package standin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Term is how much a rule counts for one of a kind.
type Term struct {
	Kind    Kind
	PerUnit float64
}

// Rule is what a metric counts: one kind, or two together.
type Rule []Term

// Of is what the rule shows for so much work.
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

// Habits are how badly what was counted is published.
type Habits struct {
	Noise      float64 // of each value, the deviation of its logarithm
	Background float64 // a second of the cloud's, whatever the load
	Missing    float64 // of all values
	// Step is how long VolumeWriteIOPs shows the same, the mean of that time; 0: no longer than its period.
	Step time.Duration
}

// Draw is an Aurora: how it counts and publishes.
type Draw struct {
	Seed   uint64
	Write  Rule // of WriteIOPS, which Performance Insights shows too
	Volume Rule // of VolumeWriteIOPs
	Habits Habits
}

// New draws an Aurora.
func New(seed uint64) Draw {
	d := rand.New(rand.NewPCG(seed, 6)) //nolint:gosec // a test's, not a secret
	return Draw{
		Seed: seed, Write: rule(d, 1), Volume: rule(d, 0.01),
		Habits: Habits{Noise: []float64{0.002, 0.01, 0.02}[d.IntN(3)], Background: 20 * d.Float64(), Missing: 0.05 * d.Float64()},
	}
}

// typical is about how much of each kind comes with a row of a bulk insert, so that two terms weigh alike.
func typical(k Kind) float64 {
	return map[Kind]float64{Rows: 1, Entries: 2, Records: 2, Bytes: 120}[k]
}

// batch is the unit in which Aurora's log is billed, in bytes.
const batch = 4096

// rule draws one whose factors are about so large.
func rule(d *rand.Rand, size float64) Rule {
	kinds := Kinds()
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

// Sort is how a verdict compares with the truth.
type Sort string

// The sorts of verdict.
const (
	Right        Sort = "right"
	Undetermined Sort = "undetermined"
	Wrong        Sort = "wrong"
)

// Said is a verdict, as a report has it.
type Said struct {
	Verdict string   // logical, physical, not_logical, mixed, silent or undetermined
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

// accuracy is how far a ratio may be off that is said to be the rule's.
const accuracy = 0.05

// Judge holds what was said of a metric against its rule.
func (r Rule) Judge(s Said) Sort {
	of := func(name string) bool {
		return slices.ContainsFunc(r, func(t Term) bool { return string(t.Kind) == name })
	}
	switch {
	case len(s.Mixture) > 0:
		return when(len(r) == len(s.Mixture) && !slices.ContainsFunc(s.Mixture, func(n string) bool { return !of(n) }), Right)
	case s.Counts != "":
		return when(len(r) == 1 && of(s.Counts) && math.Abs(s.PerUnit/r[0].PerUnit-1) <= accuracy, Right)
	case len(s.Between) > 0 && len(r) == 1:
		return when(slices.ContainsFunc(s.Between, of), Undetermined)
	case s.Verdict == "undetermined":
		return Undetermined
	default: // a side alone, or silence: nothing was named, and the side is checked by whoever knows sides
		return when(s.Verdict != "silent" && s.sideOf(r), Undetermined)
	}
}

func when(holds bool, sort Sort) Sort {
	if holds {
		return sort
	}
	return Wrong
}

// sideOf tells whether the verdict's side is the rule's: bytes are physical, all else is logical.
func (s Said) sideOf(r Rule) bool {
	physical := slices.ContainsFunc(r, func(t Term) bool { return t.Kind == Bytes })
	logical := slices.ContainsFunc(r, func(t Term) bool { return t.Kind != Bytes })
	switch s.Verdict {
	case "mixed":
		return physical && logical
	case "physical", "not_logical":
		return physical
	default:
		return logical
	}
}
