package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/cli/diagnosis"
	"github.com/realiops/realiops/internal/measure/access"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/shell"
)

// diagnoseAWS makes each call of a run once; nil if AWS is not asked.
func diagnoseAWS(ctx context.Context, a *target.AWS) *diagnosis.AWS {
	if a.Account == nil && a.Trouble == nil {
		return nil
	}
	d := &diagnosis.AWS{Calls: []diagnosis.Call{}}
	if a.Trouble != nil {
		d.Trouble = a.Trouble.Error()
	}
	if a.Account == nil {
		return d
	}
	ctx, cancel := context.WithTimeout(ctx, target.AskWithin)
	defer cancel()
	d.Region = a.Account.Region()
	if ends, err := a.Account.Credentials(ctx); err == nil && !ends.IsZero() {
		d.Ends = &ends
	}
	d.Calls = append(d.Calls, described(a)...)
	if a.Cloud != nil {
		for _, answer := range access.Try(ctx, a.Account.Config(), *a.Cloud, true) {
			d.Calls = append(d.Calls, callOf(answer))
		}
	}
	if clock := a.Account.Clock(); clock.Source != "" {
		d.Clock = &clock
	}
	d.Asked = account.Text(a.Account.Calls())
	return d
}

// described returns the calls that looked for the database, without repeating them.
func described(a *target.AWS) (all []diagnosis.Call) {
	for _, c := range a.Account.Calls() {
		if c.Service != "rds" {
			continue
		}
		answer := access.Answer{Action: c.Service + ":" + c.Operation}
		if trouble, ok := errors.AsType[*account.Trouble](a.Trouble); ok && c.Failures == c.Count {
			answer.Err = trouble // the only possible one: the search ends with the first
		}
		all = append(all, callOf(answer))
	}
	return all
}

func callOf(answer access.Answer) diagnosis.Call {
	call := diagnosis.Call{Action: answer.Action, Allowed: answer.Allowed(), Detail: answer.Unasked}
	if answer.Unasked != "" {
		call.Reason = diagnosis.Unasked
	}
	if answer.Action == access.Statements {
		call.Only = "observe"
	}
	if trouble, ok := errors.AsType[*account.Trouble](answer.Err); ok {
		call.Reason, call.Detail = string(trouble.Kind), trouble.Error()
	}
	return call
}

// soon is how long a run with all of AWS's metrics takes, including collection.
const soon = 4 * time.Hour

// cautionsOfAWS returns AWS's missing or unsuitable settings for a run.
func cautionsOfAWS(a *target.AWS, d *diagnosis.AWS, facts postgres.Facts, now time.Time) (all []diagnosis.Caution) {
	if d == nil {
		return nil
	}
	caution := func(applies bool, code, text, remedy string) {
		if applies {
			all = append(all, diagnosis.Caution{Code: code, Text: text, Remedy: remedy})
		}
	}
	caution(d.Ends != nil && d.Ends.Before(now.Add(soon)), "credentials-end",
		"The AWS credentials expire before a run with AWS's metrics would end: "+until(d.Ends, now)+".",
		"sign in again before the run; realiops aws collect can continue later with new credentials")
	var clock runfile.Clock
	if d.Clock != nil {
		clock = *d.Clock
	}
	caution(clock.Off(clockMatters), "aws-clock",
		"AWS's clock and ours differ by "+printable.Duration(clock.Apart())+", so AWS's periods do not match "+
			"the run file; from five minutes on, AWS refuses to answer.", "synchronize this machine's clock")
	denied := slices.ContainsFunc(d.Calls, func(c diagnosis.Call) bool {
		return c.Reason == string(account.Denied) && c.Only == ""
	})
	caution(denied, "aws-denied", "AWS denies some of the calls that a run makes.",
		"attach the policy that realiops aws policy prints")
	unnamed := slices.ContainsFunc(d.Calls, func(c diagnosis.Call) bool {
		return c.Reason != "" && c.Reason != diagnosis.Unasked && c.Only != ""
	})
	caution(unnamed, "statements-unknown", "Performance Insights may not be asked which statements ran, so an "+
		"observation can name them only from pg_stat_statements.",
		"attach the policy that realiops aws policy --for observe prints")
	if a.Found == nil {
		return all
	}
	c := *a.Cloud
	caution(!c.Insights, "insights-off", "Performance Insights is off, so a run lacks its counters of storage and the "+
		"operating system, its waits and its statements (CloudWatch Database Insights shows the same).",
		shell.New("aws rds modify-db-instance --apply-immediately --enable-performance-insights").
			Flag("--db-instance-identifier", c.Instance, "INSTANCE").String())
	caution(c.MonitoringSeconds == 0, "monitoring-off",
		"Enhanced Monitoring is off, so figures of the operating system come at most once a minute.",
		shell.New("aws rds modify-db-instance --apply-immediately --monitoring-interval 1 --monitoring-role-arn ROLE").
			Flag("--db-instance-identifier", c.Instance, "INSTANCE").String())
	caution(a.Found.Status != "" && a.Found.Status != "available", "aws-status", "AWS reports the instance as "+
		a.Found.Status+", and the I/O of that work is counted too.", "wait until it is available")
	caution(otherVersion(c, facts), "aws-other",
		fmt.Sprintf("AWS reports %s as %s %s, but the server reports PostgreSQL %s: this may be another instance.",
			c.Instance, c.Engine, c.Version, facts.Version), "check --instance and --cluster")
	return all
}

func until(ends *time.Time, now time.Time) string {
	if ends == nil {
		return ""
	}
	if left := ends.Sub(now).Round(time.Minute); left > 0 {
		return "they expire in " + printable.About(left)
	}
	return "they have expired"
}

// otherVersion reports whether AWS and the server disagree on the major version. AWS adds its own minor numbers.
func otherVersion(c runfile.Cloud, facts postgres.Facts) bool {
	major := func(version string) string { m, _, _ := strings.Cut(version, "."); return m }
	return c.Version != "" && major(c.Version) != major(facts.Version)
}
