package engine

import (
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/load/session"
)

// afterFailure cleans up after a failed try and decides what comes next.
func (c *client) afterFailure(p *program, err error, try int) Aftermath {
	c.now = 0
	if c.stopped() {
		c.cutShort = true
		c.record(p, unfinished, try)
		return Aborts
	}
	how := c.failure(err)
	if how == unfinished {
		return c.abort(p, err, try)
	}
	if lost := c.rollBack(); lost != nil {
		return c.abort(p, lost, try)
	}
	if c.time() >= c.over { // like pgbench, do not count a transaction when time is up
		c.record(p, unfinished, try)
		return Aborts
	}
	if how != failedOtherwise && c.mayRetry(try) {
		c.report(c.trouble(p, err, try, TriesAgain))
		return TriesAgain
	}
	c.report(c.trouble(p, err, try, FailsTransaction))
	c.record(p, how, try)
	return FailsTransaction
}

// failure returns the outcome of a transaction with that error: unfinished if the client cannot go on.
func (c *client) failure(err error) outcome {
	if c.session.Err() != nil {
		return unfinished
	}
	switch session.KindOf(err) {
	case session.Serialization:
		return failedSerializing
	case session.Deadlock:
		return failedByDeadlock
	}
	if _, objection := errors.AsType[*pgconn.PgError](err); objection && c.ContinueOnError {
		return failedOtherwise
	}
	return unfinished
}

// mayRetry limits the tries of a transaction by number and time.
func (c *client) mayRetry(try int) bool {
	if c.MaxTries > 0 && try >= c.MaxTries {
		return false
	}
	return c.LatencyLimit == 0 || c.time()-c.due <= c.LatencyLimit
}

// rollBack ends what the failed try left open.
func (c *client) rollBack() error {
	if c.session.Status() == session.Idle {
		return nil
	}
	c.session.Query([]byte("ROLLBACK"), false)
	result, err := c.session.Finish()
	if err == nil {
		err = result.Err
	}
	return err
}

func (c *client) trouble(p *program, err error, try int, then Aftermath) Trouble {
	at := min(c.at, len(p.steps)-1) // past the last step if the script left something open
	command, sent := p.steps[at].command, ""
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if ok && refused.Position != 0 && command.Kind == script.KindSQL {
		sent = command.Statement.Query
		if c.Mode == Simple {
			sent = string(command.Statement.AppendSimple(nil, c.env.Vars))
		}
	}
	if command.Kind != script.KindIf { // \if reports its own errors
		err = p.script.Wrap(at, err)
	}
	return Trouble{
		Client: c.id, Script: p.index, Command: at, Try: try, Latency: c.time() - c.due, Err: err,
		Statement: sent, Then: then,
	}
}

func (c *client) abort(p *program, err error, try int) Aftermath {
	c.record(p, unfinished, try)
	t := c.trouble(p, err, try, Aborts)
	c.report(t)
	gaveUp := &Abort{Client: c.id, Kind: session.KindOf(err), Err: t.Err}
	c.totals.addAbort(gaveUp, c.time() < c.warm)
	if c.ExitOnAbort {
		c.cancel(gaveUp)
	}
	return Aborts
}

func (c *client) report(t Trouble) {
	c.totals.addFault(t, c.time() < c.warm)
	if c.Trouble == nil || t.Then != Aborts && !c.Verbose {
		return
	}
	c.reports.Lock()
	defer c.reports.Unlock()
	c.Trouble(t)
}

// log logs a transaction if it is in the sample.
func (l *load) log(c *client, s *sample, now time.Duration) {
	l.reports.Lock()
	defer l.reports.Unlock()
	if l.SampleRate < 1 && c.thread.sample.Float64() > l.SampleRate {
		return
	}
	err := l.Log(Transaction{
		Client: c.id, Number: c.count - 1, Script: int(s.script), Outcome: s.outcome.public(),
		Latency: s.latency, Lag: s.lag, Ended: l.clock.time(now), Retries: int(s.retries),
	})
	if err != nil {
		l.cancel(err)
	}
}
