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
	// reportEvery is the interval of the load's records.
	reportEvery = time.Second
	// patience is how long a server may be silent, or go on after the load's end. A transaction may be long, but one
	// that outlasts its load by more does not belong to a steady load.
	patience = 10 * time.Second
	// rehearsalWithin bounds the rehearsed transaction, which may copy very many rows.
	rehearsalWithin = 10 * time.Minute
)

// Connect opens a session for a client.
type Connect func(context.Context) (*pgx.Conn, error)

// Engine runs a load's clients: engine.Run in this process, or a crew of workers.
type Engine func(context.Context, engine.Options) (engine.Result, error)

// Run lets the load's clients repeat the workload for the duration. It passes their work to report every second and
// once at the end; the caller fills in Repetition. All clients connect before the first begins, finish their last
// transaction, and have left when Run returns. When one fails, or ctx ends, all stop immediately, and everything that
// the server had confirmed is reported.
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

// configOf opens a session once, to learn the clients' configuration and to report an
// unreachable server in connect's words.
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

// options returns the engine's options for this workload. Any client's error ends it: with a client
// less it would be another load.
func (w *Workload) options(config *pgx.ConnConfig) engine.Options {
	if !w.pooled {
		for _, s := range w.settings() {
			config.RuntimeParams[s.name] = s.value // of the session alone
		}
	}
	return engine.Options{
		Scripts: []engine.Weighted{{Script: w.script, Weight: 1}}, Set: w.set, Mode: w.Mode(),
		Connect: func(context.Context) (*pgx.ConnConfig, error) { return config, nil }, ExitOnAbort: true,
	}
}

// plain returns the reason of an Abort without the client's number, which means nothing here, and that of a lost
// connection without our statement. It returns other errors unchanged.
func plain(err error) error {
	if lost, ok := errors.AsType[*session.LostError](err); ok {
		return lost
	}
	if abort, ok := errors.AsType[*engine.Abort](err); ok {
		return abort.Err
	}
	if session.KindOf(err) == session.TooMany {
		return fmt.Errorf("%w; use fewer clients, or wait", err)
	}
	return err
}

// report converts a tick to a record of the run file.
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
