package measuring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/output"
	"github.com/realiops/realiops/internal/measure/load/tables"
	"github.com/realiops/realiops/internal/measure/load/workers"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
)

// benchmark is one load, from the flags to the exit code.
type benchmark struct {
	*loadOptions
	env   command.Env
	asked output.Asked
	// password returns each connection's password; nil if they share one.
	password func(context.Context) (string, error)
}

// resolve converts the flags to options of the engine.
func (b *benchmark) resolve(ctx context.Context, endpoint *postgres.Endpoint) (err error) {
	o := b.load
	if o.Set, o.Scripts, err = b.readScripts(ctx, b.env); err != nil {
		return err
	}
	if err := b.seed.resolve(b.env); err != nil {
		return err
	}
	o.Define, o.Seed = b.define, b.seed.value
	_, o.SeedGiven = b.define["default_seed"]
	o.MaxTries, o.Unlimited = b.maxTries, b.maxTries == 0
	o.Debug = b.env.Err
	o.Connect = func(context.Context) (*pgx.ConnConfig, error) { return endpoint.UserConfig(), nil }
	b.asked = output.Asked{
		Options: o, Program: strings.Trim(command.Version(), "()"), Scale: b.scale,
		ShowProgress: b.progress > 0, FailuresDetailed: b.failuresDetailed,
	}
	return nil
}

// prepare does pgbench's work before a load: it finds the scale, and vacuums.
func (b *benchmark) prepare(ctx context.Context, endpoint *postgres.Endpoint, scaleGiven bool) error {
	conn, err := endpoint.ConnectUser(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing more is done with it
	b.asked.Server = conn.PgConn().ParameterStatus("server_version")
	if b.seed.given {
		b.say("setting random seed to %d", b.seed.value)
	}
	if b.format.Chosen == command.FormatText {
		fmt.Fprintln(b.env.Out, b.asked.Banner())
	}
	warnOfStandby(ctx, b.env, conn)
	if slices.ContainsFunc(b.scripts, func(s scriptArgument) bool {
		return s.builtin == nil || s.builtin.Name != "select-only"
	}) {
		warnOfQueries(ctx, b.env, conn)
	}
	if err := b.findTables(ctx, conn, scaleGiven); err != nil {
		return err
	}
	if b.noVacuum {
		return nil
	}
	return tables.Vacuum(ctx, conn, b.vacuumAll, b.env.Err)
}

// say writes a line to standard error.
func (b *benchmark) say(format string, values ...any) { b.env.Tell("realiops: "+format, values...) }

// findTables reads the scale of the built-in scripts' tables, and passes it to the scripts.
func (b *benchmark) findTables(ctx context.Context, conn *pgx.Conn, scaleGiven bool) (err error) {
	if slices.ContainsFunc(b.scripts, func(s scriptArgument) bool { return s.builtin != nil }) {
		if b.asked.Scale, err = tables.Scale(ctx, conn); err != nil {
			return err
		}
		if scaleGiven {
			b.say("warning: scale option ignored, using count from pgbench_branches table (%d)", b.asked.Scale)
		}
		var method tables.Method
		if method, b.asked.Partitions, err = tables.Partitions(ctx, conn); err != nil {
			return err
		}
		b.asked.PartitionMethod = string(method)
	}
	if _, given := b.define["scale"]; !given {
		b.define["scale"] = strconv.Itoa(b.asked.Scale)
	}
	return nil
}

func (b *benchmark) run(ctx context.Context) (engine.Result, error) {
	o := b.asked.Options
	if b.progress > 0 {
		show := output.Progress{W: b.env.Err, Asked: b.asked, Timestamp: b.progressTimestamp}
		show.Asked.Every = b.progress
		o.Every, o.Tick = b.progress, show.Tick
	}
	o.Trouble = (&output.Troubles{Say: b.say, Asked: b.asked, Verbose: b.verboseErrors}).Tell
	o.Verbose = b.verboseErrors
	crew := workers.Crew{Password: b.password, Tell: func(line string) { b.say("warning: %s", line) }}
	if b.log {
		crew.Log = &workers.Log{
			Prefix: cmp.Or(b.logPrefix, output.DefaultLogPrefix), PID: os.Getpid(),
			Interval: time.Duration(b.aggregate) * time.Second, FailuresDetailed: b.failuresDetailed,
		}
	}
	return crew.Run(ctx, o)
}

// report writes the results, with comments on standard error. Failures decide the exit code.
func (b *benchmark) report(ctx context.Context, result engine.Result, failure error) error {
	r := output.Report{Asked: b.asked, Result: result, Status: output.Complete}
	switch {
	case ctx.Err() != nil:
		r.Status = output.Interrupted
	case failure != nil || len(result.Aborted) > 0:
		r.Status = output.Aborted
	}
	for _, g := range b.gates {
		r.Gates = append(r.Gates, g.Judge(r))
	}
	if err := b.env.Answer(b.format.Chosen, command.Finding{What: "a load", Forms: map[string]func(io.Writer) error{
		command.FormatText: r.Text, command.FormatJSON: r.JSON,
	}}); err != nil {
		return command.WithCode(command.ExitFailed, err)
	}
	for _, line := range r.Faults() {
		b.say("errors: %s", line)
	}
	for _, line := range r.Warnings() {
		b.say("warning: %s", line)
	}
	return b.verdict(r, failure)
}

// verdict returns the exit code with its reason. An incomplete result passes no gate.
func (b *benchmark) verdict(r output.Report, failure error) error {
	var failed error
	for _, v := range r.Gates {
		if v.Failed {
			failed = errors.Join(failed, errors.New(v.String()))
		}
	}
	switch r.Status {
	case output.Interrupted:
		b.say("Run was interrupted; the above results are incomplete.")
	case output.Aborted:
		if _, reported := errors.AsType[*engine.Abort](failure); failure != nil && !reported {
			b.say("error: %s", runfile.OneLine(failure.Error()))
		}
		b.say("Run was aborted; the above results are incomplete.")
	default:
		return command.WithCode(command.ExitGate, failed)
	}
	return command.WithCode(command.ExitFailed, command.ErrSilent)
}
