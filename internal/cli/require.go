package cli

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/typo"
)

// requireOptions are the metrics that must get a verdict.
type requireOptions struct{ patterns []string }

func (o *requireOptions) addFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.patterns, "require", nil,
		"a `metric` that must get a verdict, or the exit status is 3; * and ? stand for any text, as often as needed")
}

// names are the metrics of a run that are required, each once. That none goes by what the user typed is an error.
func (o *requireOptions) names(known []string) ([]string, error) {
	var names []string
	for _, pattern := range o.patterns {
		matching, err := matching(pattern, known)
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

func matching(pattern string, known []string) ([]string, error) {
	whole := strings.NewReplacer("/", "\x00") // so that * reaches over a slash
	var names []string
	for _, name := range known {
		matches, err := path.Match(whole.Replace(pattern), whole.Replace(name))
		if err != nil {
			return nil, fmt.Errorf("--require %s: a [ without its ]", pattern)
		}
		if matches || name == pattern {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		return names, nil
	}
	if near := typo.Guess(pattern, known); near != "" {
		return nil, fmt.Errorf("--require %s: the run has no such metric; the nearest is %s", pattern, near)
	}
	return nil, fmt.Errorf("--require %q: the run has no such metric (realiops explain lists all that there are)", pattern)
}

// unmet is an error that names the required metrics without a verdict; nil where all have one.
func unmet(required []string, verdicts attribution.Verdicts) error {
	var open []string
	for _, name := range required {
		i := slices.IndexFunc(verdicts.Metrics, func(v attribution.Verdict) bool { return v.Metric.Name == name })
		if i < 0 || verdicts.Metrics[i].Kind == attribution.Undetermined {
			open = append(open, name)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return withCode(exitUndetermined, errors.New("no verdict on "+strings.Join(open, ", ")+", which was required"))
}
