package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/realiops/realiops/internal/measure/access"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/collect"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// askAWS returns the source to ask when the run is over, or nil if the user did not ask for AWS's metrics.
func (m *measurement) askAWS(ctx context.Context) (*collect.Cloud, error) {
	aws := &m.target.AWS
	m.say(aws.Notice(m.session.Facts))
	switch {
	case m.AWSPeriod == 0 && aws.Cloud != nil:
		m.Show.Message("AWS's metrics of this server are not judged; use --quick-aws, or --aws, which takes hours")
		return nil, nil
	case m.AWSPeriod == 0:
		return nil, nil
	case aws.Trouble != nil:
		return nil, fmt.Errorf("--aws: %w", aws.Trouble)
	case aws.Cloud == nil:
		return nil, errors.New("--aws: neither the host nor --instance identifies the database in AWS")
	}
	if clock := aws.Account.Clock(); clock.Off(experiment.Lead * m.AWSPeriod) {
		return nil, fmt.Errorf("--aws: AWS's clock and ours differ by %s, too much to match loads to AWS's periods; "+
			"synchronize this machine's clock", printable.Duration(clock.Apart()))
	}
	if err := m.mayCollect(ctx); err != nil {
		return nil, err
	}
	return collect.NewCloud(aws.Account, *aws.Cloud, m.Tempo, time.Now, func(metric runfile.Metric) bool {
		return metric.Period <= m.AWSPeriod
	})
}

// mayCollect checks before the load that AWS will answer afterwards. It returns an error if CloudWatch refuses; if
// only Performance Insights does, it warns.
func (m *measurement) mayCollect(ctx context.Context) error {
	aws := &m.target.AWS
	m.Show.Stage("asking AWS for its newest points")
	for _, answer := range access.Try(ctx, aws.Account.Config(), *aws.Cloud, false) {
		switch trouble, refused := errors.AsType[*account.Trouble](answer.Err); {
		case answer.Unasked != "" && aws.Cloud.Instance == "": // a server on EC2
			return nil
		case answer.Unasked != "":
			m.Show.Message("Counters of Performance Insights will be missing: " + answer.Unasked)
			return nil // the next call has the same reason
		case !refused || trouble.Reason() != runfile.Permission: // such as a missing point
		case answer.Action == access.Metrics:
			return fmt.Errorf("--aws: %w", trouble)
		default:
			m.Show.Message("Counters of Performance Insights will be missing: " + trouble.Error())
		}
	}
	return nil
}

// collect waits for AWS's data on the run. The server has been released by then.
func (m *measurement) collect(ctx context.Context) error {
	switch {
	case m.cloud == nil:
		return nil
	case ctx.Err() != nil:
		m.Show.Message("AWS's metrics were not collected; run realiops aws collect later")
		return nil
	}
	until := "after a load"
	if rest := m.Program.Plan.RestSeconds; rest > 0 {
		until = "after the " + printable.About(time.Duration(rest*float64(time.Second))) + " of rest that begin now"
	}
	m.Show.Message(fmt.Sprintf("AWS revises its metrics for about %s %s; an interrupt loses nothing, and realiops "+
		"aws collect continues", printable.About(m.Tempo.Rules(collect.DefaultRules()).Ripe), until))
	if err := m.cloud.Collect(ctx, m.file, m.Show); err != nil {
		return fmt.Errorf("%w; continue with realiops aws collect", err)
	}
	return nil
}
