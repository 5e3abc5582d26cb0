package setup

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/diagnosis"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/run"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/runfile"
)

type doctorOptions struct {
	target command.TargetOptions
	store  command.StoreOptions
	format command.FormatFlag
}

func NewDoctorCommand(env command.Env) *cobra.Command {
	o := doctorOptions{store: command.StoreOptions{Back: command.Stretch(24 * time.Hour)}}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what a run could conclude on a server, and what is missing",
		Long: `Check what a run could conclude on this server as this user: which sources can be read, why others
cannot, which conclusions that costs, and how to fix it.

It reads every source once, and watches the disk for three seconds for other programs. It puts no load on the server
and changes nothing there. It takes the server flags of realiops run. Without --dsn or --container it checks the
server that the environment names; if it names none, it starts a PostgreSQL and removes it afterwards.

--prometheus checks a metrics store instead: what its history could tell about each server, and what is missing.`,
		Example: `  realiops doctor --dsn 'postgres://me@db.example/test'
  realiops doctor --prometheus http://prometheus:9090 --for 7d
  realiops doctor --dsn service=prod --format json | jq -r '.sources[].gaps[].remedy // empty' | sort -u`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), env, o) },
	}
	output := command.Group("Output")
	o.format.Add(output.FlagSet, command.FormatText, command.FormatJSON)
	return command.Describe(env, cmd, doctorExitHelp,
		append(o.target.Groups(), command.Group("A store of metrics", o.store.AddFlags), output)...)
}

const doctorExitHelp = `0  a run can draw conclusions here, within the limits shown
1  wrong usage, or the server cannot be reached
2  a run can draw conclusions here, but without AWS's metrics: a call to AWS was refused or not answered
3  a run could conclude nothing here: it would be refused, or no source shows what storage does`

// errWithoutAWS ends a diagnosis without AWS's part.
var errWithoutAWS = command.WithCode(command.ExitFailed, command.ErrSilent)

func runDoctor(ctx context.Context, env command.Env, o doctorOptions) error {
	if err := o.store.Strayed(); err != nil {
		return err
	}
	if o.store.URL != "" {
		return diagnoseStore(ctx, env, o)
	}
	if err := o.target.UseNamed(env); err != nil {
		return err
	}
	d, err := diagnose(ctx, env, o.target)
	if err != nil {
		return err
	}
	err = env.Answer(o.format.Chosen, command.Finding{What: "a diagnosis", Value: d, Words: d.Document})
	switch {
	case err == nil && !d.Concludes:
		return command.ErrNoConclusion
	case err == nil && d.AWS != nil && d.AWS.Silent():
		return errWithoutAWS
	}
	return err
}

// diagnose opens a server for the diagnosis.
func diagnose(ctx context.Context, env command.Env, o command.TargetOptions) (d diagnosis.Diagnosis, err error) {
	mode, err := env.Progress(string(progress.Auto))
	if err != nil {
		return d, err
	}
	server, err := o.Target(ctx, env)
	if err != nil {
		return d, err
	}
	show := env.Display(mode)
	defer show.Close()
	t, err := target.Open(ctx, server, show)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, t.Close(ctx, show)) }()
	ctx, cancel := t.Watch(ctx)
	defer cancel()
	d, err = examine(ctx, t, o.Allowed)
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
	refusals, err := refusalsOf(ctx, t, session)
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
	keepers, err := postgres.WALKeepers(ctx, session.Control)
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	followers, err := postgres.Followers(ctx, session.Control, postgres.UnderLoad)
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	if lost := run.RefuseFollowers(followers); lost != nil {
		refusals = append(refusals, lost.Error())
	}
	readers, err := postgres.LogicalReaders(ctx, session.Control)
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	queries, err := postgres.StandbyQueries(ctx, session.Control, "A run")
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	p, err := t.Probes(ctx, facts, "") // creates nothing
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	defer p.Close(context.WithoutCancel(ctx))
	if full := run.RefuseFull(t, p.Layout()); full != nil {
		refusals = append(refusals, full.Error())
	}
	untold := p.WALUntold(ctx)
	if untold != "" {
		untold = "A run cannot tell which tables and indexes the WAL belongs to: " + untold + "."
	}
	aws := diagnoseAWS(ctx, &t.AWS)
	subject := diagnosis.Subject{
		Target: t.Describe(facts, p.Storage), Clock: facts.Clock, Refusals: refusals, AWS: aws,
		Cautions: slices.Concat(cautions(facts, allowed, p), cautionsOfTriggers(fire, facts),
			said("wal-kept", postgres.KeepsWAL(keepers), "repair the archiver; drop unused slots (pg_drop_replication_slot)"),
			said("wal-limited", postgres.Followed(followers), ""),
			said("standby-queries", queries, "turn on the standby's hot_standby_feedback while a run lasts"),
			said("logical-readers", postgres.ReadLogically(readers), "use another database of this server"),
			said("wal-untold", untold, ""), cautionsOfAWS(&t.AWS, aws, facts, time.Now())),
		Settings: set, Remedy: remedyOf(facts), Advise: hostOf(facts).advise,
	}
	for _, sampler := range p.Samplers {
		sample, err := sampler.Sample(ctx)
		if err != nil {
			sample = probe.Sample{Gaps: []runfile.Gap{probe.GapOf(err)}}
		}
		read := diagnosis.Probe{Name: sampler.Name(), Metrics: sampler.Metrics(), Values: sample.Values,
			Gaps: sample.Gaps}
		subject.Probes = append(subject.Probes, read)
	}
	subject.Disk = lookAtDisk(ctx, p)
	return diagnosis.New(subject), nil
}

// refusalsOf returns all reasons why a run would not begin.
func refusalsOf(ctx context.Context, t *target.Target, session *target.Session) (why []string, err error) {
	refusals := t.Refusals(session.Facts)
	if session.Facts.VersionNum >= postgres.Oldest {
		schema, err := session.Facts.RefuseSchema(ctx, session.Control)
		if err != nil {
			return nil, err
		}
		refusals = append(refusals, append(schema, session.Facts.RefuseClients(1))...)
	}
	if session.Facts.Pooler {
		refusal, err := t.Endpoint.RefuseTransactions(ctx)
		if err != nil {
			return nil, err
		}
		refusals = append(refusals, refusal)
	}
	for _, refusal := range refusals {
		if refusal != nil {
			why = append(why, refusal.Error())
		}
	}
	return why, nil
}
