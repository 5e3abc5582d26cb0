package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/measure/collect"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/runfile"
)

// cloudOptions are the flags that have a run wait for what AWS publishes.
type cloudOptions struct{ all, quick bool }

func (o *cloudOptions) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.all, "aws", false,
		"judge AWS's own metrics too, CloudWatch's and Performance Insights': arms of two of their five minutes each, hours in all")
	f.BoolVar(&o.quick, "quick-aws", false,
		"only those of AWS's metrics that come every minute: arms of two minutes, and nothing of the volume, such as VolumeWriteIOPs")
}

func (o cloudOptions) asked() bool { return o.all || o.quick }

// period is that of the slowest metric asked for, in seconds; 0: none was.
func (o cloudOptions) period() float64 {
	switch {
	case o.quick:
		return minutePeriod
	case o.all:
		return volumePeriod
	default:
		return 0
	}
}

// provider is what the run is to ask AWS for; nil where that was not asked for.
func (o cloudOptions) provider(env Env, t *target, show *progress.Display) (*provider, error) {
	cloud := t.aws.cloud
	switch {
	case o.asked() && t.aws.trouble != nil:
		return nil, fmt.Errorf("--aws: %w", t.aws.trouble)
	case o.asked() && cloud == nil:
		return nil, errors.New("--aws: neither the host nor --instance says which of AWS's databases this is")
	case o.asked() && off(t.aws.account.Clock(), experiment.Lead*o.period()):
		clock := t.aws.account.Clock()
		return nil, fmt.Errorf("--aws: AWS's clock and ours differ by %s, more than a load reaches over AWS's periods: synchronize this machine's clock", apart(&clock))
	case o.asked():
		return newProvider(env, t.aws.account, *cloud, func(m runfile.Metric) bool { return m.Period <= o.period() })
	case cloud != nil:
		show.Message("What AWS publishes of this server is not judged: that takes --quick-aws, or --aws with hours of time")
	}
	return nil, nil
}

// collect waits for what AWS tells of a run, once its server is let go of.
func (m *measurement) collect(ctx context.Context) error {
	switch {
	case m.provider == nil:
		return nil
	case ctx.Err() != nil:
		m.show.Message("AWS was not asked for its part: realiops collect does that later")
		return nil
	}
	m.show.Message(fmt.Sprintf("AWS corrects what it says for about %s after an arm; an interrupt loses nothing, and realiops collect goes on",
		minutes(m.env.Tempo.Rules(collect.DefaultRules()).Ripe)))
	if err := m.provider.collect(ctx, m.file.Path(), m.file, m.show); err != nil {
		return fmt.Errorf("%w; realiops collect goes on from here", err)
	}
	return nil
}

// publishedPace is how many billed writes a second the published bulk load made on a db.t3.medium: 246,000 in five minutes.
const publishedPace = 820

// toll says what the writes of a run may cost; empty where the server has no bill that is known here.
func toll(cloud *runfile.Cloud, p *program) string {
	if cloud == nil {
		return ""
	}
	if !strings.HasPrefix(cloud.Engine, "aurora") || cloud.Storage == "aurora-iopt1" {
		return " Its writes cost nothing beside what the instance and its storage do, unless they end burst credits."
	}
	loaded := slices.DeleteFunc(slices.Clone(p.plan.Arms), runfile.Arm.Idle)
	writes := publishedPace * p.plan.ArmSeconds * float64(len(loaded)*p.plan.Replicates) / 1e6
	text := fmt.Sprintf(" At the pace of a published run on a db.t3.medium it makes %.1f million billed writes", writes)
	if price, known := auroraIO(cloud.Region); known {
		text += fmt.Sprintf(", for %.2f %s by the price list of %s", writes*price.Price, price.Currency, price.Region)
	}
	return text + "; larger instances write more."
}

// auroraIO is what a million billed operations cost, in the region or else in the one that the catalog has.
func auroraIO(region string) (catalog.Price, bool) {
	prices, err := catalog.Prices()
	if err != nil {
		return catalog.Price{}, false
	}
	of := slices.DeleteFunc(prices, func(p catalog.Price) bool { return p.Volume != "aurora" || p.Per != catalog.PerMillionIO })
	if i := slices.IndexFunc(of, func(p catalog.Price) bool { return p.Region == region }); i >= 0 {
		return of[i], true
	}
	if len(of) == 0 {
		return catalog.Price{}, false
	}
	return of[0], true
}
