package reading

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/typo"
)

// RequireOptions are the metrics that must get a verdict.
type RequireOptions struct{ patterns []string }

// namesOf returns a run's metrics that a flag names, each once. A pattern without a match is an error.
func namesOf(flag string, patterns, known []string) (names []string, err error) {
	for _, pattern := range patterns {
		matching, err := matching(flag, pattern, known)
		if err != nil {
			return nil, err
		}
		for _, name := range matching {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

func (o *RequireOptions) AddFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.patterns, "require", nil,
		"exit with 3 if this `metric` gets no verdict; use the name in a report or run file; * and ? match any text "+
			"(repeatable)")
}

// Names returns the required metrics of a run, each once. A pattern without a match is an error.
func (o *RequireOptions) Names(known []string) ([]string, error) {
	return namesOf("--require", o.patterns, known)
}

// matching returns the known metrics of which a spelling, or its end, matches a pattern.
func matching(flag, pattern string, known []string) ([]string, error) {
	table := metric.All()
	var names, spellings []string
	for _, name := range known {
		spelled := table.Spellings(name)
		for _, s := range spelled {
			matches, err := path.Match(overSlashes(pattern), overSlashes(s))
			if err != nil {
				return nil, fmt.Errorf(flag+" %s: missing ]", pattern)
			}
			if matches || s == pattern {
				names = append(names, name)
				break
			}
		}
		spellings = append(spellings, spelled...)
	}
	meant := table.Named(pattern)
	if len(names) == 0 {
		names = slices.DeleteFunc(slices.Clone(known), func(name string) bool { return !slices.Contains(meant, name) })
	}
	if len(names) > 0 {
		return names, nil
	}
	for _, name := range meant {
		for _, row := range table.Of(name) {
			if len(row.Instead) > 0 && slices.Contains(known, row.Instead[0]) {
				return nil, fmt.Errorf(flag+" %s: this server shows it as %s", pattern,
					metric.Printed(row.Instead[0], 0))
			}
		}
	}
	if near := cmp.Or(typo.Guess(pattern, spellings), nearestEnd(pattern, spellings)); near != "" {
		whose := slices.IndexFunc(known, func(name string) bool { return slices.Contains(table.Spellings(name), near) })
		if !strings.Contains(pattern, "/") { // a report's name, not a file's
			near = table.Printed(known[whose], 0)
		}
		return nil, fmt.Errorf(flag+" %s: the run has no such metric; the nearest is %s", pattern, near)
	}
	if documented := documentedLike(pattern); documented != "" {
		return nil, fmt.Errorf(flag+" %s: the run has neither this metric nor %s, which a console shows", pattern, documented)
	}
	return nil, fmt.Errorf(flag+" %q: the run has no such metric (-v lists those it has)", pattern)
}

// overSlashes lets * match a slash.
func overSlashes(text string) string { return strings.ReplaceAll(text, "/", "\x00") }

// unmet returns an error that names the required metrics without a verdict, or nil.
func unmet(required []string, verdicts attribution.Verdicts, version int) error {
	var open []string
	for _, name := range required {
		i := slices.IndexFunc(verdicts.Metrics, func(v attribution.Verdict) bool { return v.Metric.Name == name })
		if i < 0 || verdicts.Metrics[i].Kind == attribution.CannotTell {
			open = append(open, metric.Printed(name, version))
		}
	}
	if len(open) == 0 {
		return nil
	}
	return command.WithCode(command.ExitCannotTell, errors.New("no verdict on "+strings.Join(open, ", ")+
		", which was required"))
}

// nearestEnd returns the spelling whose last part is most similar to typed, ignoring punctuation, or "".
func nearestEnd(typed string, spellings []string) string {
	of := map[string]string{}
	var ends []string
	for _, s := range spellings {
		if end := s[strings.LastIndexAny(s, "./ ")+1:]; of[end] == "" {
			of[end], ends = s, append(ends, end)
		}
	}
	return of[typo.Guess(typed, ends)]
}

// documentedLike returns a console's metric with a name similar to typed, or "".
func documentedLike(typed string) string {
	return typo.Guess(typed, words.Each(func(m metric.Meaning) string { return m.Metric }, metric.Meanings()))
}
