package load

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/session"
	"github.com/realiops/realiops/internal/runfile"
)

const (
	// reportEvery is the grain of the record of the load.
	reportEvery = time.Second
	// patience is the longest silence of a server beyond the length of the load: a transaction may be long, but one
	// that outlives its load does not belong to a steady load.
	patience = 10 * time.Second
	// rehearsalWithin bounds the one transaction that is tried beforehand, which may copy very many rows.
	rehearsalWithin = 10 * time.Minute
)

// Connect opens a session for a client.
type Connect func(context.Context) (*pgx.Conn, error)

// Engine runs a load's clients: engine.Run in this process, or a crew of workers.
type Engine func(context.Context, engine.Options) (engine.Result, error)

// Run lets the load's clients repeat the workload for the duration and hands what they did to report, every second and
// once at the end; Repetition is the caller's to fill in. All clients are connected before the first begins, finish
// what they began, and have left when Run returns. When one fails, or ctx ends, all stop at once; what the server had
// confirmed by then has been reported.
func (w *Workload) Run(ctx context.Context, connect Connect, run Engine, duration time.Duration,
	report func(runfile.Work) error) error {
	config, err := configOf(ctx, connect)
	if err != nil {
		return err
	}
	o := w.options(config)
	o.Clients, o.Duration, o.Silence = w.load.Clients, duration, duration+patience
	o.Every, o.Tick = reportEvery, func(t engine.Tick) error { return w.report(t, report) }
	if _, err := run(ctx, o); err != nil {
		return fmt.Errorf("load %s: %w", w.load.Name, plain(err))
	}
	return nil
}

// configOf opens a session once, to learn how the clients are to open theirs, and so that a server out of reach is
// reported in connect's words.
func configOf(ctx context.Context, connect Connect) (*pgx.ConnConfig, error) {
	conn, err := connect(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return conn.Config(), conn.Close(ctx)
}

// options returns those of all loads with this workload. An error ends it: a load with a client less is another load.
func (w *Workload) options(config *pgx.ConnConfig) engine.Options {
	if !w.pooled {
		for _, s := range w.settings() {
			config.RuntimeParams[s.name] = s.value // of the session alone
		}
	}
	return engine.Options{
		Scripts:     []engine.Weighted{{Script: w.script, Weight: 1}},
		Set:         w.set,
		Mode:        w.Mode(),
		Connect:     func(context.Context) (*pgx.ConnConfig, error) { return config, nil },
		ExitOnAbort: true,
	}
}

// plain returns the reason why a client gave up, without its number, which says nothing here; other errors stay as
// they are.
func plain(err error) error {
	if abort, ok := errors.AsType[*engine.Abort](err); ok {
		return abort.Err
	}
	if session.KindOf(err) == session.TooMany {
		return fmt.Errorf("%w: ask for fewer clients, or wait", err)
	}
	return err
}

// report hands on a tick as the run file has it.
func (w *Workload) report(t engine.Tick, report func(runfile.Work) error) error {
	each, n := w.deed(), t.Transactions
	line := runfile.Work{
		Updated: n * each.updated, Deleted: n * each.deleted, Returned: n * each.returned, Lookups: n * each.lookups,
		From: t.From, To: t.To, Load: w.load.Name,
		Transactions: t.Transactions, Statements: t.Statements - w.brackets(t.Totals), Rows: t.Rows,
		Failures: t.Failed(), BytesSent: t.Sent, BytesReceived: t.Received, Processor: t.Processor.Seconds(),
	}
	if t.Transactions > 0 {
		text, err := t.Latency.Histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			return fmt.Errorf("record the load: %w", err)
		}
		line.Latency = string(text)
	}
	return errors.Join(report(line), w.confirm(t.Totals))
}
