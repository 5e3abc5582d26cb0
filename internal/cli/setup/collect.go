package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/cli/reading"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/collect"
	"github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/runfile"
)

// collectOptions are the flags of realiops aws collect.
type collectOptions struct {
	account  account.Options
	analyze  reading.AnalyzeOptions
	progress string
}

func newCollectCommand(env command.Env) *cobra.Command {
	var o collectOptions
	cmd := &cobra.Command{
		Use:   "collect FILE",
		Short: "Fetch the metrics that AWS reported after a run ended",
		Long: `Fetch the metrics that AWS had not reported when a run ended, add them to the run file, and show the
report.

FILE is a run file, compressed or not, of a database in AWS; LAST is the run in ./` + runfile.Directory + ` that
was written last. The file names the instance, so this needs only AWS credentials, on any machine and day. CloudWatch
keeps minutes for 15 days, and Performance Insights keeps 7 days unless you configured more.

AWS corrects its last minutes, so realiops asks until two answers agree. If you interrupt it, run the command again to
continue.`,
		Example: `  realiops aws collect LAST
  realiops aws collect run.jsonl.zst --profile audit --require 'CloudWatch *IOPS'`,
		Args: command.OneRunFile,
		RunE: func(cmd *cobra.Command, args []string) error { return runCollect(cmd.Context(), env, o, args[0]) },
	}
	flags := command.Group("Flags")
	command.AddAccountFlags(flags.FlagSet, &o.account)
	_ = flags.MarkHidden("region") // the file has it
	o.analyze.AddFlags(flags.FlagSet)
	flags.StringVar(&o.progress, "progress", string(progress.Auto),
		"`how` to show progress on standard error: bar, plain or none; auto is a bar on a terminal")
	return command.Describe(env, cmd, collectExitHelp, flags)
}

const collectExitHelp = `0  everything was collected, and the report was written
1  wrong usage, FILE cannot be continued, or AWS cannot be asked
2  AWS failed to answer, or you interrupted it; the answers so far are kept and reported
3  the report was written, and a metric that was required got no verdict`

func runCollect(ctx context.Context, env command.Env, o collectOptions, name string) error {
	mode, err := env.Progress(o.progress)
	if err != nil {
		return err
	}
	path, err := runfile.Resolve(name)
	if err != nil {
		return err
	}
	if path == command.StandardInput {
		return errors.New("collect adds to a run file, not to standard input; name the file")
	}
	w, err := runfile.Append(path)
	if err != nil {
		return err
	}
	show := env.Display(mode)
	p, err := o.provider(ctx, env, path, w)
	begun := err == nil
	if begun {
		err = p.Collect(ctx, w, show)
	}
	show.Close()
	err = errors.Join(command.Naming(path, err), w.Close())
	if !begun {
		return err
	}
	return errors.Join(command.WithCode(command.ExitFailed, err), o.analyze.AnalyzeFile(env, path))
}

// provider returns the provider of the file's server, as far as the run asked it.
func (o collectOptions) provider(ctx context.Context, env command.Env, path string, w *runfile.Writer) (*collect.Cloud,
	error) {
	file, err := collect.Read(path)
	if err != nil {
		return nil, err
	}
	cloud := file.Header.Target.Cloud
	if cloud == nil {
		return nil, errors.New("the run names no AWS database, so there is nothing to collect")
	}
	if o.account.Region != "" && o.account.Region != cloud.Region {
		return nil, fmt.Errorf("the run's metrics are in %s; leave out --region", cloud.Region)
	}
	o.account.Region = cloud.Region
	a, err := account.Open(ctx, o.account)
	if err != nil {
		return nil, err
	}
	if _, err := a.Credentials(ctx); err != nil {
		return nil, account.Explain(err)
	}
	w.Hide(a.Secrets(ctx)...)
	// Ask for the announced metrics, or all of a source if none was announced.
	asAnnounced := func(m runfile.Metric) bool {
		source, _, _ := strings.Cut(m.Name, "/")
		return file.Announced(m.Name) || !file.AnnouncedAny(source) && !file.AnnouncedAny(cloudwatch.Name)
	}
	return collect.NewCloud(a, *cloud, env.Tempo, env.Now, asAnnounced)
}
