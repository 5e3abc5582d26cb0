package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/cli/diagnosis"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// doctorOptions are the flags of realiops doctor.
type doctorOptions struct {
	target targetOptions
	format string
}

func newDoctorCommand(env Env) *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what a run could conclude here, and what stands in its way",
		Long: `Say what a run could conclude on this target as this user: which sources can be read, why the others cannot,
which conclusions that costs, and what to do about it.

It reads every source once, puts no load on the server, creates nothing there and changes nothing. The flags that
choose the target are those of realiops run; without --dsn or --container it starts a PostgreSQL of its own.`,
		Example: `  realiops doctor --dsn 'postgres://me@db.example/test'
  realiops doctor --dsn service=prod --format json | jq -r '.sources[].gaps[].remedy // empty' | sort -u`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), env, o) },
	}
	return describe(env, cmd, doctorExitHelp, append(o.target.groups(), group("What to tell", o.addFlags))...)
}

const doctorExitHelp = `0  a run can conclude here, with what the diagnosis says
1  wrong usage, or no server to ask
3  no run could conclude anything here: it would be refused, or nothing shows what storage has to do`

func (o *doctorOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.format, "format", formatText, "the `format` of the diagnosis: text or json")
}

// errNoConclusion ends a diagnosis that has said so already.
var errNoConclusion = withCode(exitUndetermined, errSilent)

func runDoctor(ctx context.Context, env Env, o doctorOptions) error {
	if o.format != formatText && o.format != formatJSON {
		return unknownFormat(o.format)
	}
	d, err := diagnose(ctx, env, o.target)
	if err != nil {
		return err
	}
	if o.format == formatJSON {
		err = report.JSON(env.Out, d)
	} else {
		err = diagnosis.Text(env.Out, d, env.columns())
	}
	if err == nil && !d.Concludes {
		return errNoConclusion
	}
	return err
}

// diagnose has a server for as long as it takes to ask it.
func diagnose(ctx context.Context, env Env, o targetOptions) (d diagnosis.Diagnosis, err error) {
	mode, err := progress.Resolve(string(progress.Auto), env.ErrTerminal)
	if err != nil {
		return d, err
	}
	show := progress.New(env.Err, mode, env.Width)
	defer show.Close()
	t, err := o.open(ctx, env, show)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, t.close(ctx, show)) }()
	ctx, cancel := t.watch(ctx)
	defer cancel()
	d, err = examine(ctx, t, o)
	return d, t.because(ctx, err)
}

// examine asks everything that a run would ask before it begins, and reads each source once.
func examine(ctx context.Context, t *target, o targetOptions) (diagnosis.Diagnosis, error) {
	control, facts, err := t.inspect(ctx, o)
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	defer control.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was written over it
	refusal, err := refusalOf(ctx, t, control, facts, o)
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	s, err := openSources(ctx, t, facts, "") // which makes nothing
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	defer s.close(context.WithoutCancel(ctx))
	aws := t.aws.diagnose(ctx)
	subject := diagnosis.Subject{
		Target: t.describe(facts, s.storage), Clock: facts.Clock, Refusal: refusal, AWS: aws,
		Cautions: append(cautions(facts, o, s), t.aws.cautions(aws, facts, time.Now())...), Remedy: remedyOf(facts),
	}
	for _, sampler := range s.samplers {
		subject.Probes = append(subject.Probes, readOnce(ctx, sampler))
	}
	return diagnosis.New(subject), nil
}

// refusalOf says why a run would not begin, or nothing.
func refusalOf(ctx context.Context, t *target, control *pgx.Conn, facts postgres.Facts, o targetOptions) (string, error) {
	if err := t.refuse(o, facts); err != nil {
		return err.Error(), nil
	}
	refusal, err := facts.RefuseSchema(ctx, control)
	if err != nil {
		return "", err
	}
	if refusal != nil {
		return refusal.Error(), nil
	}
	return "", nil
}

func readOnce(ctx context.Context, s probe.Sampler) diagnosis.Probe {
	sample, err := s.Sample(ctx)
	if err != nil {
		sample = probe.Sample{Gaps: []runfile.Gap{probe.GapOf(err)}}
	}
	return diagnosis.Probe{Name: s.Name(), Metrics: s.Metrics(), Values: sample.Values, Gaps: sample.Gaps}
}

func unknownFormat(format string) error {
	return fmt.Errorf("unknown format %q: there are %s and %s", format, formatText, formatJSON)
}
