package reading

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/figures"
	"github.com/realiops/realiops/internal/analyze/view"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/shell"
)

// convert converts amounts of metrics, without a run.
func convert(ctx context.Context, env command.Env, o SizeOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.Format.Chosen == command.FormatCSV {
		return errors.New("--from-metric supports only text and json")
	}
	o.flavor = strings.ToLower(o.flavor)
	amounts, err := parseAmounts(o.fromMetric)
	if err != nil {
		return err
	}
	if err := o.readCalibration(env); err != nil {
		return err
	}
	calibration, err := sizing.Calibrate(o.Calibrate, o.Load)
	if err != nil {
		return command.Naming(o.calibrate, err)
	}
	ask, err := o.Asked(ctx)
	if err != nil {
		return err
	}
	if cloud := catalog.CloudOfRegion(o.Region, nil); cloud != "" && cloud != catalog.AWS {
		return fmt.Errorf("--region %s is a region of %s, but the metrics are AWS's; use one of its regions, such as %s",
			o.Region, cloud.Title(), catalog.AWS.Home())
	}
	var all []figures.Converted
	answer := sizes.Converts{Schema: sizes.ConvertsSchema}
	for _, a := range amounts {
		meanings, err := meaningsOf(a.name, o.flavor)
		if err != nil {
			return err
		}
		if len(meanings) == 1 {
			if a, err = a.over(meanings[0]); err != nil {
				return fmt.Errorf("--from-metric %s: %w", a.text, err)
			}
		}
		converted, err := figures.Convert(meanings, a.asPublished(meanings), ask.Tariff, calibration)
		if err != nil {
			return err
		}
		all = append(all, converted)
		answer.Metrics = append(answer.Metrics, sizes.NewConvert(converted, calibration,
			o.spreadsOf(converted, ask)).Over(a.amount, a.seconds))
	}
	need, lacks := figures.NeedOf(all)
	for _, name := range lacks {
		if given(amounts, name) {
			return fmt.Errorf("--from-metric %s: %s is 0, but there are bytes without operations, or operations without "+
				"bytes", o.fromMetric, name)
		}
	}
	if need != nil {
		switch {
		case need.Reads == 0 && !given(amounts, "ReadIOPS"):
			ask.Doubts = append(ask.Doubts, "It is for writes alone, since ReadIOPS and ReadThroughput were not given")
		case need.Writes == 0 && !given(amounts, "WriteIOPS"):
			ask.Doubts = append(ask.Doubts, "It is for reads alone, since WriteIOPS and WriteThroughput were not given")
		}
		const always = 24
		size, err := sizing.SizeRate(ask, *need, always)
		if err != nil {
			return err
		}
		answer.Size = new(sizes.NewSize(size))
	} else if len(all) > 1 {
		answer.Lacks = lacks
	}
	return answerMetrics(env, o.Format.Chosen, answer)
}

// answerMetrics writes the conversions. A single one has no frame.
func answerMetrics(env command.Env, format string, answer sizes.Converts) error {
	switch {
	case format != command.FormatJSON:
		return env.Write(answer.Document())
	case len(answer.Metrics) == 1:
		return view.JSON(env.Out, answer.Metrics[0])
	}
	return view.JSON(env.Out, answer)
}

// spreadsOf returns what the rows would need from the distributed databases in --on.
func (o SizeOptions) spreadsOf(c figures.Converted, ask sizing.Ask) (all []catalog.Spread) {
	for _, rule := range ask.Distributed {
		if c.Rows != nil && slices.Contains(o.on, rule.Name) {
			all = append(all, rule.Spread(c.Rows.Least, c.Rows.Value, c.Rows.Most))
		}
	}
	return all
}

func meaningsOf(name, flavor string) ([]metric.Meaning, error) {
	all := metric.MeaningsOf(name)
	if len(all) == 0 {
		names := words.Each(func(m metric.Meaning) string { return m.Metric }, metric.Meanings())
		if len(metric.EntriesOf(name)) > 0 || len(allKnown().local.Named(name)) > 0 {
			return nil, fmt.Errorf("--from-metric takes metrics of a cloud's console, not %s; %s says what that counts, and "+
				"--need takes a disk's requests", name, shell.New("realiops explain").File(name, "NAME"))
		}
		return nil, fmt.Errorf("--from-metric: unknown metric %q%s; realiops explain lists views, tools and services", name,
			command.Meant("", name, names))
	}
	if flavors := []string{"aurora", "rds", "ebs"}; flavor != "" && !slices.Contains(flavors, flavor) {
		return nil, fmt.Errorf("--flavor %s: want one of %s%s", flavor, strings.Join(flavors, ", "), command.Meant("", flavor,
			flavors))
	}
	found := slices.DeleteFunc(slices.Clone(all), func(m metric.Meaning) bool { return flavor != "" && m.On != flavor })
	if named := slices.DeleteFunc(slices.Clone(found), func(m metric.Meaning) bool {
		return !strings.EqualFold(m.Metric, name)
	}); len(named) > 0 {
		found = named // and not one of that name elsewhere
	}
	if len(found) == 0 {
		on := words.Each(func(m metric.Meaning) string { return m.On }, all)
		slices.Sort(on)
		return nil, fmt.Errorf("--flavor %s does not have %s, which is a metric of %s", flavor, all[0].Metric,
			words.Enumerated(slices.Compact(on), " and "))
	}
	return found, nil
}
