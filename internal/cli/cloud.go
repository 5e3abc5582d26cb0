package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/collect"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/measure/probe/insights"
	"github.com/realiops/realiops/internal/runfile"
)

// Periods of what AWS publishes, in seconds: of most metrics, and of those of an Aurora volume.
const (
	minutePeriod = 60
	volumePeriod = 300
)

// provider is what AWS tells of a server later.
type provider struct {
	env     Env
	account *account.Account
	wanted  func(runfile.Metric) bool // by the name that it has of the run's own instance
	sources []probe.Backfiller
}

// newProvider has the sources for a server: all that they have, or the metrics that are wanted. It asks nobody yet.
func newProvider(env Env, a *account.Account, cloud runfile.Cloud, wanted func(runfile.Metric) bool) (*provider, error) {
	p := &provider{env: env, account: a, wanted: wanted}
	var err error
	p.sources, err = p.about(cloud)
	return p, err
}

// about are the sources about one server.
func (p *provider) about(cloud runfile.Cloud) (sources []probe.Backfiller, err error) {
	there := func() time.Time { return p.env.Tempo.ToThere(p.env.Now()) }
	config := p.account.In(cloud.Region).Config()
	watch, err := cloudwatch.New(config, cloud)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range watch.Metrics() {
		if p.wanted(m) {
			names = append(names, m.Name)
		}
	}
	if len(names) > 0 {
		if watch, err = cloudwatch.New(config, cloud, names...); err != nil {
			return nil, err
		}
		watch.Now = there
		sources = append(sources, p.env.Tempo.Source(watch))
	}
	if detail := insights.New(config, cloud); cloud.Resource != "" && slices.ContainsFunc(detail.Metrics(), p.wanted) {
		detail.Now = there
		sources = append(sources, p.env.Tempo.Source(detail))
	}
	return sources, nil
}

// follow adds the sources about instances that failovers moved the load to.
func (p *provider) follow(moves []collect.Move) error {
	for _, to := range moves {
		sources, err := p.about(to.Cloud)
		if err != nil {
			return err
		}
		for _, s := range sources {
			p.sources = append(p.sources, collect.Moved(s, to))
		}
	}
	return nil
}

// metrics are those of all sources; a run that asks nobody has none.
func (p *provider) metrics() []runfile.Metric {
	if p == nil {
		return nil
	}
	var all []runfile.Metric
	for _, s := range p.sources {
		all = append(all, s.Metrics()...)
	}
	return all
}

// collect asks for what the run file at the path does not have yet, until it has settled, and adds it to the file.
func (p *provider) collect(ctx context.Context, path string, w *runfile.Writer, show *progress.Display) error {
	if err := w.Sync(); err != nil {
		return err
	}
	file, err := collect.Read(path)
	if err != nil {
		return err
	}
	if file.Span.From.IsZero() {
		return errors.New("no arm was run, so there is nothing to ask AWS for")
	}
	if err := p.follow(file.Moves); err != nil {
		return err
	}
	said := ""
	c := collect.Collector{
		Sources: p.sources, Rules: p.env.Tempo.Rules(collect.DefaultRules()), File: file, Record: telling(w, show), Now: p.env.Now, Wait: experiment.Wait,
		Tell: func(now collect.Progress) {
			if text := waitingFor(now); text != said {
				said = text
				show.Stage(text)
			}
		},
	}
	outcome, err := c.Run(ctx)
	p.conclude(show, outcome)
	return errors.Join(err, w.Sync())
}

// telling writes what is collected, and tells people what a source does not have at all, or only coarsely: in the file
// alone nobody would see it. What single metrics lack stands in the report.
func telling(w *runfile.Writer, show *progress.Display) func(runfile.Record) error {
	said := map[string]bool{}
	return func(r runfile.Record) error {
		if gap, ok := r.(runfile.Gap); ok && (gap.Metric == "" || gap.Code == cloudwatch.Retention) && !said[gap.Probe+gap.Code] {
			said[gap.Probe+gap.Code] = true
			show.Message(gap.Detail)
		}
		return w.Write(r)
	}
}

// conclude says what came, and what it cost to ask.
func (p *provider) conclude(show *progress.Display, o collect.Outcome) {
	switch {
	case o.Metrics == 0:
	case o.Periods == 0 && o.Settled == o.Metrics:
		show.Message(fmt.Sprintf("AWS has told all it has: nothing of %d metrics is open", o.Metrics))
	default:
		text := fmt.Sprintf("AWS told of %d periods", o.Periods)
		if o.Unsettled > 0 {
			text += fmt.Sprintf(", %d of which it may still correct", o.Unsettled)
		}
		show.Message(text + fmt.Sprintf("; %d of %d metrics are settled", o.Settled, o.Metrics))
	}
	if text := callsText(p.account.Calls()); text != "" {
		show.Message(text)
	}
}

func waitingFor(p collect.Progress) string {
	names := map[string]string{cloudwatch.Name: "CloudWatch", insights.Name: "Performance Insights"}
	source, _, _ := strings.Cut(p.Source, ".")
	left := "less than a minute"
	if p.Left > time.Minute {
		left = fmt.Sprintf("about %.0f min", p.Left.Minutes())
	}
	return fmt.Sprintf("waiting for %s: %d of %d metrics settled, %s", names[source], p.Settled, p.Metrics, left)
}
