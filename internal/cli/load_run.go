package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/output"
	"github.com/realiops/realiops/internal/measure/load/tables"
	"github.com/realiops/realiops/internal/measure/postgres"
)

// benchmark is one load, from the flags to the exit code.
type benchmark struct {
	*loadOptions
	env   Env
	asked output.Asked
	log   *output.Log
}

// runBenchmark runs a load and reports on it, however it ends.
func (o *loadOptions) runBenchmark(ctx context.Context, env Env, endpoint *postgres.Endpoint, flags *pflag.FlagSet) error {
	render, err := loadRendererOf(o.format)
	if err != nil {
		return err
	}
	b := &benchmark{loadOptions: o, env: env}
	if err := b.settle(endpoint); err != nil {
		return err
	}
	if err := b.prepare(ctx, endpoint, flags.Changed("scale")); err != nil {
		return err
	}
	result, err := b.run(ctx)
	if err != nil && result.Began.IsZero() {
		return err
	}
	return b.report(ctx, result, err, render)
}

// settle takes the flags together to what the engine is asked.
func (b *benchmark) settle(endpoint *postgres.Endpoint) (err error) {
	o := b.load
	if o.Set, o.Scripts, err = b.readScripts(b.env); err != nil {
		return err
	}
	if err := b.seed.settle(b.env); err != nil {
		return err
	}
	o.Define, o.Seed = b.define, b.seed.value
	_, o.SeedGiven = b.define["default_seed"]
	o.MaxTries, o.Unlimited = b.maxTries, b.maxTries == 0
	o.Debug = b.env.Err
	o.Connect = func(context.Context) (*pgx.ConnConfig, error) { return clientConfig(endpoint), nil }
	b.asked = output.Asked{
		Options: o, Program: strings.Trim(version(), "()"), Scale: b.scale,
		ShowProgress: b.progress > 0, FailuresDetailed: b.failuresDetailed,
	}
	return nil
}

// clientConfig is how a client connects, under the name by which the server knows our load.
func clientConfig(endpoint *postgres.Endpoint) *pgx.ConnConfig {
	config := endpoint.Config()
	config.RuntimeParams["application_name"] = "realiops load"
	return config
}

// prepare does before the load what pgbench does: it finds the scale, and vacuums.
func (b *benchmark) prepare(ctx context.Context, endpoint *postgres.Endpoint, scaleGiven bool) error {
	conn, err := endpoint.Connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is left to be done on it
	b.asked.Server = conn.PgConn().ParameterStatus("server_version")
	if b.seed.given {
		b.say("setting random seed to %d", b.seed.value)
	}
	if b.format == formatText {
		fmt.Fprintln(b.env.Out, b.asked.Banner())
	}
	if err := b.findTables(ctx, conn, scaleGiven); err != nil {
		return err
	}
	if b.noVacuum {
		return nil
	}
	return tables.Vacuum(ctx, conn, b.vacuumAll, b.env.Err)
}

// say puts a line on standard error.
func (b *benchmark) say(format string, values ...any) {
	fmt.Fprintf(b.env.Err, "realiops: "+format+"\n", values...)
}

// findTables asks the tables of the built-in scripts for their scale, and tells the scripts.
func (b *benchmark) findTables(ctx context.Context, conn *pgx.Conn, scaleGiven bool) (err error) {
	if b.usesBuiltin() {
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

// run puts the load on the server.
func (b *benchmark) run(ctx context.Context) (engine.Result, error) {
	o := &b.asked.Options
	if b.loadOptions.log {
		var err error
		if b.log, err = output.CreateLog(b.prefix(), os.Getpid(), b.asked, time.Duration(b.aggregate)*time.Second); err != nil {
			return engine.Result{}, err
		}
		o.Log = b.log.Transaction
	}
	b.watch(o)
	o.Trouble = (&output.Troubles{W: b.env.Err, Asked: b.asked, Verbose: b.verboseErrors}).Tell
	result, err := engine.Run(ctx, *o)
	if b.log != nil {
		err = errors.Join(err, b.log.Close(time.Now()))
	}
	return result, err
}

func (b *benchmark) prefix() string {
	if b.logPrefix == "" {
		return output.DefaultLogPrefix
	}
	return b.logPrefix
}

// watch asks for ticks where something is made of them: progress, and the beginning of the log's first interval.
func (b *benchmark) watch(o *engine.Options) {
	show := output.Progress{W: b.env.Err, Timestamp: b.progressTimestamp}
	if b.progress == 0 && b.aggregate == 0 {
		return
	}
	o.Every = b.progress
	if o.Every == 0 {
		o.Every = time.Second
	}
	show.Asked = b.asked
	o.Tick = func(t engine.Tick) error {
		if b.log != nil && !t.Warmup {
			b.log.Begin(t.From)
		}
		if b.progress == 0 {
			return nil
		}
		return show.Tick(t)
	}
}
