package collect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/measure/probe/insights"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Cloud collects a server's AWS metrics after a run.
type Cloud struct {
	account *account.Account
	tempo   Tempo
	now     func() time.Time
	wanted  func(runfile.Metric) bool // by the name on the run's first instance
	sources []probe.Backfiller
}

// NewCloud opens the sources for a server: of all metrics, or the wanted ones. It makes no call.
func NewCloud(a *account.Account, server runfile.Cloud, tempo Tempo, now func() time.Time,
	wanted func(runfile.Metric) bool) (*Cloud, error) {
	c := &Cloud{account: a, tempo: tempo, now: now, wanted: wanted}
	var err error
	c.sources, err = c.about(server)
	return c, err
}

func (c *Cloud) about(server runfile.Cloud) (sources []probe.Backfiller, err error) {
	there := func() time.Time { return c.tempo.ToThere(c.clock()) }
	config := c.account.In(server.Region).Config()
	watch, err := cloudwatch.New(config, server)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range watch.Metrics() {
		if c.wanted(m) {
			names = append(names, m.Name)
		}
	}
	if len(names) > 0 {
		if watch, err = cloudwatch.New(config, server, names...); err != nil {
			return nil, err
		}
		watch.Now = there
		sources = append(sources, c.tempo.Source(watch))
	}
	if detail := insights.New(config, server); server.Resource != "" &&
		slices.ContainsFunc(detail.Metrics(), c.wanted) {
		detail.Now = there
		sources = append(sources, c.tempo.Source(detail))
	}
	return sources, nil
}

// Metrics returns the metrics of all sources, or none for a nil Cloud.
func (c *Cloud) Metrics() (all []runfile.Metric) {
	if c == nil {
		return nil
	}
	for _, s := range c.sources {
		all = append(all, s.Metrics()...)
	}
	return all
}

// Display shows the progress to people.
type Display interface {
	Stage(text string)
	Message(text string)
}

// tolerated is the difference between our clock and AWS's, in seconds, up to which ours
// decides which values have settled.
const tolerated = 5

// clock returns the time by AWS's clock, if that is known to differ from ours.
func (c *Cloud) clock() time.Time {
	now := c.now()
	if aws := c.account.Clock(); aws.Off(tolerated) {
		now = now.Add(time.Duration(aws.Offset * float64(time.Second)))
	}
	return now
}

// Collect asks for data that the run file lacks until it has settled, and appends it to the file.
func (c *Cloud) Collect(ctx context.Context, w *runfile.Writer, show Display) error {
	if err := w.Sync(); err != nil {
		return err
	}
	file, err := Read(w.Path())
	if err != nil {
		return err
	}
	if file.Span.From.IsZero() {
		return errors.New("no load was run, so there is nothing to ask AWS for")
	}
	for _, to := range file.Moves {
		sources, err := c.about(to.Cloud)
		if err != nil {
			return err
		}
		for _, s := range sources {
			c.sources = append(c.sources, Moved(s, to))
		}
	}
	said := ""
	collector := Collector{
		Sources: c.sources, Rules: c.tempo.Rules(DefaultRules()), File: file, Record: telling(w, show), Now: c.clock,
		Wait: experiment.Wait,
		Tell: func(now Progress) {
			if text := waitingFor(now); text != said {
				said = text
				show.Stage(text)
			}
		},
	}
	outcome, err := collector.Run(ctx)
	c.conclude(show, outcome)
	return errors.Join(err, w.Sync())
}

// telling returns a function that appends records, and shows what a source lacks entirely or has only coarsely. Gaps
// of single metrics appear in the report.
func telling(w *runfile.Writer, show Display) func(runfile.Record) error {
	said := map[string]bool{}
	return func(r runfile.Record) error {
		gap, isGap := r.(runfile.Gap)
		refused := gap.Reason == runfile.Failed || gap.Reason == runfile.Permission // reported at the end
		if isGap && !refused && (gap.Metric == "" || gap.Code == cloudwatch.Retention) && !said[gap.Probe+gap.Code] {
			said[gap.Probe+gap.Code] = true
			show.Message(gap.Detail)
		}
		return w.Write(r)
	}
}

// conclude shows the results and the cost of the calls.
func (c *Cloud) conclude(show Display, o Outcome) {
	switch {
	case o.Metrics == 0:
	case o.Periods == 0 && o.Settled == o.Metrics:
		show.Message(fmt.Sprintf("AWS has reported everything: all %s metrics are final", printable.Count(o.Metrics)))
	default:
		text := "AWS reported " + printable.Counted(o.Periods, "period")
		if o.Unsettled > 0 {
			text += ", " + printable.Count(o.Unsettled) + " of which it may still correct"
		}
		show.Message(text + fmt.Sprintf("; %d of %d metrics are final", o.Settled, o.Metrics))
	}
	if aws := c.account.Clock(); aws.Off(tolerated) {
		show.Message("AWS's clock and ours differ by " + printable.Duration(aws.Apart()) + "; realiops used AWS's. " +
			"Synchronize this machine's clock before the next run")
	}
	if text := account.Text(c.account.Calls()); text != "" {
		show.Message(text)
	}
}

func waitingFor(p Progress) string {
	names := map[string]string{cloudwatch.Name: "CloudWatch", insights.Name: "Performance Insights"}
	source, _, _ := strings.Cut(p.Source, ".")
	left := "less than a minute"
	if p.Left > time.Minute {
		left = fmt.Sprintf("about %.0f min", p.Left.Minutes())
	}
	return fmt.Sprintf("waiting for %s: %d of %d metrics are final, %s", names[source], p.Settled, p.Metrics, left)
}
