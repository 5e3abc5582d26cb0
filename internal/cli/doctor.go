package cli

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/cli/diagnosis"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/runfile"
)

// doctorOptions are the flags of realiops doctor.
type doctorOptions struct {
	target targetOptions
	store  storeOptions
	format formatFlag
}

func newDoctorCommand(env Env) *cobra.Command {
	o := doctorOptions{store: storeOptions{back: stretch(24 * time.Hour)}}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what a run could conclude on a server, and what it lacks",
		Long: `Say what a run could conclude on this server as this user: which sources can be read, why the others cannot, which
conclusions that costs, and what to do about it.

It reads every source once, and looks for three seconds at what the disk does for others. It puts no load on the server
and changes nothing there. It takes the server flags of realiops run. Without --dsn or --container it examines the server that the environment names, and if it names none, a
PostgreSQL that it starts and removes.

--prometheus examines a store of metrics instead: what could be concluded about each server from the history in it, and
what is missing.`,
		Example: `  realiops doctor --dsn 'postgres://me@db.example/test'
  realiops doctor --prometheus http://prometheus:9090 --for 7d
  realiops doctor --dsn service=prod --format json | jq -r '.sources[].gaps[].remedy // empty' | sort -u`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), env, o) },
	}
	told := group("What to tell")
	o.format.add(told.FlagSet, formatText, formatJSON)
	return describe(env, cmd, doctorExitHelp, append(o.target.groups(), group("A store of metrics", o.store.addFlags), told)...)
}

const doctorExitHelp = `0  a run can conclude here, with what the diagnosis says
1  wrong usage, or no server to ask
2  a run can conclude here, but without AWS's part: a call to AWS was refused or not answered
3  no run could conclude anything here: it would be refused, or nothing shows what storage has to do`

// Errors that end a command that has said so already.
var (
	errNoConclusion = withCode(exitCannotTell, errSilent)
	errWithoutAWS   = withCode(exitFailed, errSilent)
)

func runDoctor(ctx context.Context, env Env, o doctorOptions) error {
	if err := o.store.strayed(); err != nil {
		return err
	}
	if o.store.url != "" {
		return diagnoseStore(ctx, env, o)
	}
	if err := o.target.useNamed(env); err != nil {
		return err
	}
	d, err := diagnose(ctx, env, o.target)
	if err != nil {
		return err
	}
	err = env.answer(o.format.chosen, finding{what: "a diagnosis", value: d, words: d.Document})
	switch {
	case err == nil && !d.Concludes:
		return errNoConclusion
	case err == nil && d.AWS != nil && d.AWS.Silent():
		return errWithoutAWS
	}
	return err
}

// diagnose has a server for as long as it takes to ask it.
func diagnose(ctx context.Context, env Env, o targetOptions) (d diagnosis.Diagnosis, err error) {
	mode, err := progress.Resolve(string(progress.Auto), env.ErrTerminal)
	if err != nil {
		return d, err
	}
	show := env.display(mode)
	defer show.Close()
	server, err := o.target(env)
	if err != nil {
		return d, err
	}
	t, err := target.Open(ctx, server, show)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, t.Close(ctx, show)) }()
	ctx, cancel := t.Watch(ctx)
	defer cancel()
	d, err = examine(ctx, t, o.allowed)
	return d, t.Because(ctx, err)
}

// examine asks everything that a run would ask before it begins, and reads each source once.
func examine(ctx context.Context, t *target.Target, allowed postgres.Permissions) (diagnosis.Diagnosis, error) {
	session, err := t.Session(ctx)
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	defer session.Close(ctx)
	facts := session.Facts
	refusal, err := refusalOf(ctx, t, session)
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	set, err := postgres.SessionSettings(ctx, session.Control)
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	fire, err := postgres.EventTriggers(ctx, session.Control)
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	p, err := t.Probes(ctx, facts, "") // which makes nothing
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	defer p.Close(context.WithoutCancel(ctx))
	aws := diagnoseAWS(ctx, &t.AWS)
	subject := diagnosis.Subject{
		Target: t.Describe(facts, p.Storage), Clock: facts.Clock, Refusal: refusal, AWS: aws,
		Cautions: slices.Concat(cautions(facts, allowed, p), cautionsOfTriggers(fire), cautionsOfAWS(&t.AWS, aws, facts, time.Now())),
		Settings: set, Remedy: remedyOf(facts),
	}
	for _, sampler := range p.Samplers {
		sample, err := sampler.Sample(ctx)
		if err != nil {
			sample = probe.Sample{Gaps: []runfile.Gap{probe.GapOf(err)}}
		}
		read := diagnosis.Probe{Name: sampler.Name(), Metrics: sampler.Metrics(), Values: sample.Values, Gaps: sample.Gaps}
		subject.Probes = append(subject.Probes, read)
	}
	subject.Disk = lookAtDisk(ctx, p)
	return diagnosis.New(subject), nil
}

// refusalOf says why a run would not begin, or nothing.
func refusalOf(ctx context.Context, t *target.Target, session *target.Session) (string, error) {
	refusal, err := t.Refuse(session.Facts), error(nil)
	if refusal == nil {
		refusal, err = session.Facts.RefuseSchema(ctx, session.Control)
	}
	if err != nil || refusal == nil {
		return "", err
	}
	return refusal.Error(), nil
}
