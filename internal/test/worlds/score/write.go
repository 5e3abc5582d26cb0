package score

import (
	"fmt"
	"io"
	"strings"

	"github.com/realiops/realiops/internal/test/worlds"
)

// Write prints figures as a table in Markdown.
func Write(w io.Writer, figures []Figure) {
	fmt.Fprintln(w, "| figure | reached | 95% interval | of | must reach | |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	for _, f := range figures {
		low, high := f.Interval()
		fmt.Fprintf(w, "| %s | %.2f%% | %.2f to %.2f%% | %d | %s | %s |\n",
			f.What, 100*f.Share(), 100*low, 100*high, f.Of, f.Target(), f.outcome())
	}
}

func (f Figure) outcome() string {
	switch {
	case !f.Targeted():
		return ""
	case f.Passes():
		return "yes"
	default:
		return "**no**"
	}
}

// WriteFailures lists the cases that a figure counts against the method, with the truth and the verdict.
func WriteFailures(w io.Writer, cases []Case) {
	for _, c := range cases {
		if why := c.shortfall(); why != "" {
			fmt.Fprintf(w, "world %d %s: %s\n  true: %s\n  said: %s\n", c.World.Seed, c.Meter.Name, why,
				truth(c.Meter), c.said())
		}
	}
}

// WriteWrong lists only the cases with wrong verdicts, for designs in which the method may be silent.
func WriteWrong(w io.Writer, cases []Case) {
	for _, c := range cases {
		why := c.Wrong()
		if why == "" && c.Strictly() {
			why = "what it counts was not recorded"
		}
		if why != "" {
			fmt.Fprintf(w, "world %d %s: WRONG: %s\n  true: %s\n  said: %s\n", c.World.Seed, c.Meter.Name, why,
				truth(c.Meter), c.said())
		}
	}
}

// WriteChanged lists the meters whose verdicts a change altered although it must not.
func WriteChanged(w io.Writer, pairs []Pair) {
	for _, t := range pairs {
		if t.Change == Split && t.contradicts() || t.Change != Split && t.plain() && t.differs() ||
			t.Change == Renamed && t.differs() {
			fmt.Fprintf(w, "world %d %s: CHANGED by %d\n  true: %s\n  said: %s\n  then: %s\n", t.World.Seed,
				t.Meter.Name, t.Change, truth(t.Meter), saying(t.Verdict), saying(t.After))
		}
	}
}

// shortfall says what a case lacks.
func (c Case) shortfall() string {
	if why := c.Wrong(); why != "" {
		return "WRONG: " + why
	}
	switch {
	case !c.known():
		return ""
	case c.sort() == worlds.Single:
		if !c.open() {
			return "the true quantity is excluded"
		}
		if c.World.TwoLoads() || c.named() && c.sideRight() {
			return ""
		}
		return "not named"
	case c.sort() == worlds.Mixture:
		if c.parted() && c.heavy() && !c.World.TwoLoads() && !c.termsNamed() {
			return "terms not named"
		}
	case c.sort() == worlds.Silent:
		if !c.stated() {
			return "not called silent"
		}
	}
	return ""
}

func truth(m worlds.Meter) string {
	var terms []string
	for _, t := range m.Rule.Terms {
		terms = append(terms, fmt.Sprintf("%.4g %s (%.0f %%)", t.PerUnit, t.Quantity, 100*t.Share))
	}
	text := fmt.Sprintf("%s %s, noise %g %%", m.Rule.Sort, strings.Join(terms, " + "), 100*m.Noise)
	if m.Disturbed != "" {
		text += ", disturbed in " + m.Disturbed
	}
	if m.Trouble != "" {
		text += ", " + string(m.Trouble)
	}
	return text
}

func (c Case) said() string {
	v := c.Verdict
	parts := []string{string(v.Kind)}
	add := func(format string, values ...any) { parts = append(parts, fmt.Sprintf(format, values...)) }
	if v.Counts != "" {
		add("counts %s", v.Counts)
	}
	if v.PerUnit != nil {
		add("x %.4g (%.4g-%.4g)", v.PerUnit.Value, v.PerUnit.Lo, v.PerUnit.Hi)
	}
	if len(v.Between) > 0 {
		add("between %s", v.Between)
	}
	if v.Mixture != nil {
		for _, t := range v.Mixture.Terms {
			add("+ %.4g %s (%.0f %%)", t.PerUnit.Value, t.Quantity, 100*t.Share)
		}
		add("off by %.3g", v.Mixture.Off)
	}
	if v.Why != "" {
		add("because %s", v.Why)
	}
	return strings.Join(parts, " ")
}
